package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/build"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/workspace"
)

const (
	largeRuns    = 15
	largeAsked   = "## You\n\nWhere is the function that parses a duration string?\n"
	largeSends   = 8
	typing       = 3 * time.Second // of the first question
	mostFirst    = 100 * time.Millisecond
	mostLater    = 30 * time.Millisecond
	mostResident = 60.0 // MB
)

// measureLarge times searches and Sends in a large workspace.
func measureLarge(ctx context.Context, l *setup) ([]row, error) {
	// the source of Go's standard library: some 11,500 files, wherever the toolchain is
	root, err := filepath.EvalSymlinks(filepath.Join(build.Default.GOROOT, "src"))
	if err != nil {
		return nil, err
	}
	rows, err := searches(ctx, root)
	if err != nil {
		return rows, err
	}
	for _, format := range []string{"native", "guided"} {
		sends, err := l.largeSends(ctx, root, format)
		if rows = append(rows, sends...); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// searches compares the tools that search with ripgrep.
func searches(ctx context.Context, root string) (rows []row, err error) {
	ws, err := workspace.Open(root, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ws.Close()) }()
	search, find := builtin.SearchFiles(ws), builtin.FindFiles(ws)
	how := fmt.Sprintf(
		"In the source of Go's standard library, %d pairs by turns: the tool in this process, "+
			"ripgrep as a process with its output thrown away. The median of the ratios of their times.",
		largeRuns,
	)
	for _, r := range []struct {
		what, pattern string
		tool          tools.Tool
		flags         []string // of ripgrep, before the pattern
	}{
		{"search_files / ripgrep, a literal", "ParseDuration", search, []string{"-n"}},
		{"search_files / ripgrep, a regular expression", `func \(\w+ \*?Duration\)`, search, []string{"-n"}},
		{"search_files / ripgrep, a text that does not occur", "zzzqqqxyz", search, []string{"-n"}},
		{"find_files / ripgrep --files", "*_linux.go", find, []string{"--files", "-g"}},
	} {
		made, err := againstRipgrep(ctx, root, r.tool, r.pattern, append(r.flags, r.pattern))
		if err != nil {
			return rows, err
		}
		made.what, made.how = r.what, how
		rows, how = append(rows, made), ""
	}
	return rows, nil
}

// againstRipgrep runs a tool and ripgrep by turns.
func againstRipgrep(ctx context.Context, root string, tool tools.Tool, pattern string, args []string) (row, error) {
	arguments, err := json.Marshal(map[string]string{"pattern": pattern})
	if err != nil {
		return row{}, err
	}
	program, missing := exec.LookPath("rg")
	var ours, theirs []time.Duration
	var ratios []float64
	for i := range largeRuns + 1 {
		began := time.Now()
		plan, err := tool.Plan(ctx, tools.Call{Name: tool.Spec().Name, Arguments: arguments})
		if err != nil {
			return row{}, err
		}
		plan.Run(ctx, nil)
		a := time.Since(began)
		b := time.Duration(0)
		if missing == nil {
			cmd := exec.CommandContext(ctx, program, args...) //nolint:gosec // ripgrep
			cmd.Dir = root
			began = time.Now()
			// 1: nothing matches
			if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 {
				return row{}, err
			}
			b = time.Since(began)
		}
		if i == 0 {
			continue // the first reads the files from the disk
		}
		ours, theirs = append(ours, a), append(theirs, b)
		ratios = append(ratios, ratio(a, max(b, 1)))
	}
	r := row{target: "≤ 2"}
	if missing != nil {
		r.got = fmt.Sprintf("NOT MEASURED: ripgrep (rg) is not installed (ours %s)", ms(median(ours)))
		return r, nil //nolint:nilerr // the row says so
	}
	r.ok = median(ratios) <= 2
	r.got = fmt.Sprintf("%.2f (%s / %s)", median(ratios), ms(median(ours)), ms(median(theirs)))
	return r, nil
}

// firstLetter types in a new chat, and waits as long as a person takes for a short question.
func (e *editor) firstLetter(uri string) error {
	if err := e.open(uri, "## You\n\n"); err != nil {
		return err
	}
	if err := e.append(uri, "W"); err != nil {
		return err
	}
	time.Sleep(typing)
	return e.close(uri)
}

// largeSends times how much longer a Send takes in a large workspace than the model server alone.
func (l *setup) largeSends(ctx context.Context, root, format string) (rows []row, err error) {
	address, stop, err := l.play(ctx, "model "+smallModels[0]+" loaded=8192\nturn repeat\nsay Here\nrate 50 count 20\n")
	if err != nil {
		return nil, err
	}
	defer stop()
	w, err := l.newProject()
	if err != nil {
		return nil, err
	}
	w.dir = root
	args := []string{"--model", smallModels[0], "--tool-format", format, "--temperature", "0"}
	request, err := l.capture(ctx, w, address, largeAsked, args...)
	if err != nil {
		return nil, err
	}
	e, err := l.startEditor(ctx, w, append(args, "--ollama-host", address)...)
	if err != nil {
		return nil, err
	}
	defer e.quit()
	if err := e.firstLetter(w.uri("typed.chat.md")); err != nil {
		return nil, err
	}
	var took []time.Duration
	for i := range largeSends {
		uri := w.uri(fmt.Sprintf("large%d.chat.md", i))
		through, err := e.firstToken(uri, largeAsked)
		if err != nil {
			return nil, err
		}
		straight, err := directFirst(ctx, address, request)
		if err != nil {
			return nil, err
		}
		took = append(took, through-straight)
		pause()
		if err := e.close(uri); err != nil {
			return nil, err
		}
	}
	size, err := residentSize(ctx, e.cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	later := median(took[1:])
	return []row{
		{
			what: "the first Send in a large workspace, " + format, target: "≤ 100 ms", ok: took[0] <= mostFirst,
			got: ms(took[0]),
			how: "In the source of Go's standard library, three seconds after the first letter was typed: " +
				"from Send to the first character of the reply in the document, " +
				"less the time until the same character comes from the scripted model server when the same request " +
				"is sent straight.",
		},
		{
			what: "the later ones, " + format, target: "≤ 30 ms", ok: later <= mostLater, got: fmt.Sprintf(
				"%s (slowest %s)", ms(later), ms(quantile(took[1:], 1)),
			),
			how: fmt.Sprintf("Each in a new chat; median of %d.", largeSends-1),
		},
		{
			what: "memory (RSS) after them, " + format, target: "≤ 60 MB", ok: size <= mostResident,
			got: fmt.Sprintf("%.1f MB", size),
		},
	}, nil
}
