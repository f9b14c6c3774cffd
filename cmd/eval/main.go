// Command eval runs suites of small tasks on real models through the product's own agent, and keeps the dated table of
// docs/small-models.md. `make eval` runs it in the root of the repository; it takes minutes per model and mode.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/assent-ls/assent/agent/guidance"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/ollama"
	"github.com/assent-ls/assent/agent/model/servers"
	"github.com/assent-ls/assent/cmd/eval/runner"
	"github.com/assent-ls/assent/cmd/eval/tasks"
	"github.com/assent-ls/assent/internal/network"
	lines "github.com/assent-ls/assent/tools/command/runner"
	"github.com/assent-ls/assent/tools/mcp/mcptest"
	"github.com/assent-ls/assent/tools/python"
	"github.com/assent-ls/assent/tools/python/interpreter"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/shell"
)

// options are the flags.
type options struct {
	models, modes, tasks []string
	without              []string
	set, kind, again     string
	runs                 int
	limit                time.Duration
	out, engine, keep    string
	profiles, replies    string
	servers              string
	commands             string // the setting: ask or try
	// drawn says that replies may come from an earlier run, or twice in this one: no row is measured so.
	drawn bool
}

func main() { os.Exit(run()) }

func run() int {
	status, err := start(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		return 1
	}
	return status
}

// start evaluates, or is what this program starts itself as, by the first argument.
func start(args []string) (status int, err error) {
	if len(args) > 0 {
		rest := args[1:]
		switch args[0] {
		case keepWord:
			return 0, shell.Keep(rest, sandbox.Inside)
		case confineWord:
			return 0, sandbox.Help(rest)
		case pythonWord:
			return 0, interpreter.Help(rest)
		case serverWord:
			return 0, mcptest.Serve(strings.Join(rest, " "))
		case lineWord:
			return lines.Main(strings.Join(rest, " "))
		}
	}
	o := readFlags()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return 0, evaluate(ctx, o)
}

// The first arguments by which this program starts itself: as the keeper of a command, as what runs a line that was
// understood, as a process of the sandbox, as a server, and as a helper of the Python interpreter.
const (
	keepWord    = "keep"
	lineWord    = "line"
	confineWord = "confine"
	serverWord  = "mcp-server"
	pythonWord  = "python"
)

// itself is how this program starts itself.
func itself() runner.Programs {
	return runner.Programs{
		Shell: shell.New(keepWord, lineWord), Confine: confineWord, Server: serverWord,
		Python: python.Installed(pythonWord, filepath.Join(os.Getenv("ASSENT_TEST_CACHE"), "python")),
	}
}

func readFlags() options {
	var o options
	models := flag.String(
		"model", "qwen2.5-coder:1.5b,qwen2.5-coder:0.5b,gemma3:270m", "comma-separated models, one after the other",
	)
	modes := flag.String(
		"mode", "default,text,native",
		"comma-separated modes: default is what the product chooses, the others are names of tool-call formats",
	)
	tasks := flag.String("tasks", "", "comma-separated names of tasks; empty: all of the set")
	flag.StringVar(
		&o.set, "set", "suite",
		"work, more (further tasks to work with), large (those of work among 280 other files), many (each takes many "+
			"steps over many files), kept (whole and for "+
			"the page alone), fresh-work and fresh-kept (sixty further tasks, cut in two in the same way), suite, "+
			"held-out, files, servers and servers-fresh (200 tools of 5 MCP servers), suite-servers (the suite "+
			"beside them), sql (two databases), long (thirty "+
			"turns in a context of 4,096 tokens), search (tools and tables, by words and by the vectors of a model), "+
			"large-search (files of Go's standard library), history (5,000 chats, by words and by the vectors of a "+
			"model), intents (what messages in seven languages are taken for), or probe: what the probe of each "+
			"model picks, "+
			"beside what the suite's rows say",
	)
	flag.StringVar(&o.kind, "kind", "", "talk, read or change: only the tasks of that kind; empty: all")
	flag.StringVar(
		&o.again, "again", "",
		"a file of names: if it is there, only these tasks are run; those that are not solved are written into it",
	)
	flag.IntVar(&o.runs, "runs", 3, "how often each task is run")
	flag.DurationVar(&o.limit, "limit", 3*time.Minute, "time for one message of a task; longer counts as not solved")
	flag.StringVar(&o.out, "out", "docs/small-models.md", "the page whose rows are replaced; empty: only print")
	flag.StringVar(&o.engine, "engine", "", "the engine's version for the page; empty: what the server says")
	flag.StringVar(&o.keep, "keep", "", "a folder for the transcripts; empty: they are not kept")
	flag.StringVar(&o.servers, "servers", "", "a servers.json; models are named SERVER/MODEL then")
	flag.StringVar(&o.profiles, "profiles", "", "a file of model profiles over the built-in ones")
	flag.StringVar(
		&o.replies, "replies", "",
		"a folder that keeps replies by their request, so that a request that was made before is not made again; for "+
			"the page only if it is empty",
	)
	without := flag.String(
		"without", "", "comma-separated families of rules for small models that are left out, for print alone: "+
			strings.Join(guidance.Rules(), ", "),
	)
	flag.StringVar(
		&o.commands, "commands", "ask",
		"ask, or try: commands run in the sandbox on a copy, and what they changed there is kept; for print alone",
	)
	flag.Parse()
	o.without = list(*without)
	o.models, o.modes, o.tasks = list(*models), list(*modes), list(*tasks)
	return o
}

func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// evaluate runs every model in every mode and writes each row as soon as it is complete.
func evaluate(ctx context.Context, o options) error {
	way := network.New(false, nil)
	usual, err := ollama.Open(way, os.Getenv("OLLAMA_HOST"), "")
	if err != nil {
		return err
	}
	backend := servers.New(servers.Options{File: o.servers, Usual: usual, Network: way, Tell: func(sentence string) {
		fmt.Fprintln(os.Stderr, "eval:", sentence)
	}})
	if o.engine == "" {
		if o.engine, err = backend.Version(ctx); err != nil {
			return err
		}
	}
	profiles, err := model.LoadProfileFiles(list(o.profiles)...)
	if err != nil {
		return err
	}
	if o.keep != "" {
		if err := os.MkdirAll(o.keep, 0o700); err != nil {
			return err
		}
	}
	switch o.set {
	case probeSet:
		return probeAll(ctx, o, backend, profiles)
	case longSet:
		return longAll(ctx, o, backend, profiles)
	case intentsSet:
		return intentsAll(ctx, o, backend)
	case searchSet:
		return searchAll(ctx, o, backend, profiles)
	case largeSearchSet:
		return largeSearchAll(ctx, o, backend, profiles)
	case historySet:
		return searchPast(ctx, o, backend, profiles)
	}
	chosen, err := choose(o)
	if err != nil {
		return err
	}
	var server model.Backend = backend
	if o.replies != "" {
		if o.drawn, err = o.drawsReplies(); err != nil {
			return err
		}
		server = replies{backend, o.replies, o.engine}
	}
	shared := &runner.Databases{}
	defer shared.Close()
	var unsolved []string
	for _, name := range o.models {
		for _, mode := range o.modes {
			r := runner.Runner{
				Backend: server, Profiles: profiles, Model: name, Mode: mode, Limit: o.limit, Keep: o.keep,
				Databases: shared, Without: o.without, Commands: o.commands, Programs: itself(),
			}
			failed, err := measureMode(ctx, o, r, chosen)
			if err != nil {
				return err
			}
			unsolved = append(unsolved, failed...)
		}
	}
	if o.again == "" {
		return nil
	}
	slices.Sort(unsolved)
	return os.WriteFile(o.again, []byte(strings.Join(slices.Compact(unsolved), "\n")+"\n"), 0o600)
}

// measureMode runs a set with one model in one mode and writes its row; it returns the names of the tasks that were not
// solved.
func measureMode(ctx context.Context, o options, r runner.Runner, chosen []tasks.Task) (unsolved []string, err error) {
	fmt.Fprintf(os.Stderr, "%s, %s: %d tasks, %d runs\n", r.Model, r.Mode, len(chosen), o.runs)
	number := ""
	if keptApart(o.set) {
		if number, err = begin(o, r); err != nil {
			return nil, err
		}
	}
	s := measure(ctx, r, chosen, o.runs, keptApart(o.set))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	where, found := s.onPage(o, number, r)
	if s.kinds != nil {
		fmt.Print(s.summary())
	}
	return s.order, show(o.page(), where, found)
}

// begin writes a row for a run of the kept set before it begins, so that it counts though it may be broken off, and
// returns its number.
func begin(o options, r runner.Runner) (number string, err error) {
	page, err := os.ReadFile(o.out)
	if err != nil {
		return "", err
	}
	number = fmt.Sprint(len(keptTable(o.set).rows(string(page))) + 1)
	return number, putRow(o.out, keptTable(o.set), row{
		number, r.Model, r.Mode, time.Now().Format(time.DateOnly), o.engine, fmt.Sprint(o.runs), "broken off",
		"", "", "", "", "", "", "",
	})
}

// measure runs all tasks, several times, and prints each as it ends; quietly, it does not say which ones were solved,
// and why not.
func measure(ctx context.Context, r runner.Runner, all []tasks.Task, runs int, quietly bool) scores {
	var s scores
	for n := range runs {
		for i, t := range all {
			out := r.Run(ctx, t)
			if ctx.Err() != nil {
				return s
			}
			problem := out.Problem(ctx, t, r.Programs.Shell)
			s.add(n, t, out, problem)
			verdict, name := "ok", t.Name()
			if problem != nil {
				verdict = "NOT SOLVED: " + problem.Error()
			}
			if quietly {
				verdict, name = "", string(t.Kind())
			}
			fmt.Fprintf(
				os.Stderr, "  run %d  %2d/%d  %-22s %5.1f s  %d steps  %s\n", n+1, i+1, len(all), name,
				out.Took.Seconds(), out.Steps, verdict,
			)
		}
		fmt.Fprintf(os.Stderr, "  run %d: %d of %d\n", n+1, s.solved[n], len(all))
	}
	return s
}
