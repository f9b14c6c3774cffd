// Command bench measures what docs/performance.md promises and writes that page. It builds the program and drives it as
// an editor does, over pipes; every comparison is made within one run. `make bench` runs it in the root of the
// repository.
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

	"github.com/assent-ls/assent/tools/mcp/mcptest"
	"github.com/assent-ls/assent/tools/python/interpreter"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/shell"
)

// suite is one group of measurements.
type suite struct {
	name    string
	about   string
	measure func(context.Context, *setup) ([]row, error)
}

func suites() []suite {
	return []suite{
		{"first-token", "time to the first token", measureFirstToken},
		{"throughput", "tokens per second", measureThroughput},
		{"startup", "start and idle memory", measureStartup},
		{"prompt", "size of the first request", measurePrompt},
		{"conversation", "a conversation with a real model", measureConversation},
		{"steps", "a run of twenty steps with a real model", measureOllamaSteps},
		{"llamacpp", "a real server of llama.cpp, which LLAMA_SERVER and MODEL_FILE name", measureLlama},
		{"composing", "composing of long requests", measureComposing},
		{"editing", "changes and code actions in a document of 10 MB", measureEditing},
		{"review", "changes that wait for a decision", measureReview},
		{"neovim", "the plugin of Neovim", measureNeovim},
		{"decisions", "what policy says about a call", measureDecisions},
		{"decoder", "decoding of tool calls", measureDecoder},
		{"history", "searches over 10,000 chats", chatsOf(fewChats)},
		{"long-history", "searches over 100,000 chats", chatsOf(manyChats)},
		{"servers", "tools of MCP servers", measureServers},
		{"large", "searches and Sends in a large workspace", measureLarge},
		{"sandbox", "start of a sandboxed command", measureSandbox},
		{"code", "Python programs of models", measureCode},
		{"release", "the archives of a release, and the minutes to the first approved edit", measureRelease},
		{"worst", "decoding of what is hard to decode", measureWorst},
	}
}

func main() {
	if len(os.Args) < 2 || processes()[os.Args[1]] == nil {
		os.Exit(run())
	}
	if err := processes()[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// processes are what this program starts itself as, by the first argument.
func processes() map[string]func(args []string) error {
	return map[string]func([]string) error{
		confineWord: sandbox.Help,
		keepWord:    func(args []string) error { return shell.Keep(args, sandbox.Inside) },
		serverWord:  serveTools,
		pythonWord:  interpreter.Help,
	}
}

// serveTools is a server until its input ends.
func serveTools(args []string) error { return mcptest.Serve(strings.Join(args, " ")) }

func run() int {
	var names []string
	for _, s := range suites() {
		names = append(names, s.name)
	}
	only := flag.String("only", "", "comma-separated names of what to measure; all: "+strings.Join(names, ","))
	out := flag.String("out", "docs/performance.md", "the page to write; empty: only print")
	program := flag.String("program", "", "the assent program to measure; empty: build it")
	real := flag.Bool(
		"real", true,
		"measure with a model of Ollama if OLLAMA_HOST has one (editors/e2e/install/engine.sh serve starts one)",
	)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	load := loadAverage()
	setup, err := newSetup(ctx, *program, *real)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	defer setup.close()
	p := page{date: time.Now(), model: setup.modelName(), load: load}
	status := 0
	for _, s := range suites() {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), s.name) {
			continue
		}
		setup.log("%s: %s ...", s.name, s.about)
		rows, err := s.measure(ctx, setup)
		for _, r := range rows {
			setup.log("  %s", r.line())
		}
		p.rows = append(p.rows, rows...)
		if err != nil {
			status = 1
			setup.log("  could not be measured: %v", err)
			p.rows = append(p.rows, row{what: s.about, got: "could not be measured: " + err.Error()})
		}
	}
	if *out != "" {
		if err := os.WriteFile(*out, []byte(p.markdown()), 0o644); err != nil { //nolint:gosec // a page of the project
			fmt.Fprintln(os.Stderr, "bench:", err)
			return 1
		}
		setup.log("wrote %s", *out)
	}
	return status
}
