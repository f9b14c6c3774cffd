// Command eval runs suites of small tasks on real models through the product's own agent, and keeps the dated table of
// docs/small-models.md. `make eval` runs it in the root of the repository; it takes minutes per model and mode.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/ollama"
	lines "github.com/assent-ls/assent/tools/command/runner"
	"github.com/assent-ls/assent/tools/shell"
)

// options are the flags.
type options struct {
	models, modes, tasks []string
	set                  string
	runs                 int
	limit                time.Duration
	out, engine, keep    string
	profiles             string
}

func main() { os.Exit(run()) }

func run() int {
	if len(os.Args) > 1 && os.Args[1] == keepWord {
		return keep(os.Args[2:])
	}
	if len(os.Args) == 3 && os.Args[1] == lineWord {
		return line(os.Args[2])
	}
	o := readFlags()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := evaluate(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		return 1
	}
	return 0
}

// The first arguments by which this program starts itself: as the keeper of a command, and as what runs a line that was understood.
const (
	keepWord = "keep"
	lineWord = "line"
)

func line(argument string) int {
	status, err := lines.Main(argument)
	if err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		return 1
	}
	return status
}

func keep(args []string) int {
	if err := shell.Keep(args); err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		return 1
	}
	return 0
}

func readFlags() options {
	var o options
	models := flag.String("model", "qwen2.5-coder:1.5b,qwen2.5-coder:0.5b,gemma3:270m", "comma-separated models, one after the other")
	modes := flag.String("mode", "default,text,native", "comma-separated modes: default is what the product chooses, the others are names of tool-call formats")
	tasks := flag.String("tasks", "", "comma-separated names of tasks; empty: all of the set")
	flag.StringVar(&o.set, "set", "suite", "suite, held-out, files, or probe: what the probe of each model picks, beside what the suite's rows say")
	flag.IntVar(&o.runs, "runs", 3, "how often each task is run")
	flag.DurationVar(&o.limit, "limit", 3*time.Minute, "time for one run of a task; longer counts as not solved")
	flag.StringVar(&o.out, "out", "docs/small-models.md", "the page whose rows are replaced; empty: only print")
	flag.StringVar(&o.engine, "engine", "", "the engine's version for the page; empty: what the server says")
	flag.StringVar(&o.keep, "keep", "", "a folder for the transcripts; empty: they are not kept")
	flag.StringVar(&o.profiles, "profiles", "", "a file of model profiles over the built-in ones")
	flag.Parse()
	o.models, o.modes, o.tasks = list(*models), list(*modes), list(*tasks)
	return o
}

func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// evaluate runs every model in every mode and writes each row as soon as it is complete.
func evaluate(ctx context.Context, o options) error {
	backend, err := ollama.Open(os.Getenv("OLLAMA_HOST"), "")
	if err != nil {
		return err
	}
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
	if o.set == probeSet {
		return probeAll(ctx, o, backend, profiles)
	}
	chosen, err := choose(o)
	if err != nil {
		return err
	}
	for _, name := range o.models {
		for _, mode := range o.modes {
			r := runner{backend: backend, profiles: profiles, model: name, mode: mode, limit: o.limit, keep: o.keep}
			fmt.Printf("%s, %s: %d tasks, %d runs\n", name, mode, len(chosen), o.runs)
			s := measure(ctx, r, chosen, o.runs)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			found := s.row(o, name, mode)
			fmt.Println(found.markdown())
			if o.out == "" || len(o.tasks) > 0 {
				continue // a part of a set is no row of the page
			}
			if err := putRow(o.out, results(), found); err != nil {
				return err
			}
		}
	}
	return nil
}

// choose picks the tasks that the flags name.
func choose(o options) ([]task, error) {
	sets := map[string][]task{"suite": suite(), "held-out": heldOut(), "files": fileTools()}
	all, known := sets[o.set]
	if !known {
		return nil, fmt.Errorf("--set %s: there are suite, held-out, files and %s", o.set, probeSet)
	}
	if len(o.tasks) == 0 {
		return all, nil
	}
	var chosen []task
	for _, name := range o.tasks {
		i := slices.IndexFunc(all, func(t task) bool { return t.name == name })
		if i < 0 {
			return nil, fmt.Errorf("--tasks %s: the set has no such task", name)
		}
		chosen = append(chosen, all[i])
	}
	return chosen, nil
}

// measure runs all tasks, several times, and prints each as it ends.
func measure(ctx context.Context, r runner, tasks []task, runs int) scores {
	var s scores
	for n := range runs {
		solved := 0
		for i, t := range tasks {
			if ctx.Err() != nil {
				return s
			}
			out := r.run(ctx, t)
			problem := out.problem(ctx, t)
			s.add(n, t.name, out, problem)
			verdict := "ok"
			if problem != nil {
				verdict = "NOT SOLVED: " + problem.Error()
			} else {
				solved++
			}
			fmt.Printf("  run %d  %2d/%d  %-18s %5.1f s  %d steps  %s\n", n+1, i+1, len(tasks), t.name, out.took.Seconds(), out.steps, verdict)
		}
		fmt.Printf("  run %d: %d of %d\n", n+1, solved, len(tasks))
	}
	return s
}
