package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	applied "github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/shell"
)

// confineWord is the first argument by which this program starts itself as a process of a sandbox.
const confineWord = "confine"

// measureSandbox times the start and end of a command in the sandbox, in a small workspace and in a large one, against
// the bare command, and what becomes of its changes.
func measureSandbox(ctx context.Context, l *setup) (rows []row, err error) {
	dir, err := l.folder("sandbox")
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	for _, w := range []struct {
		files, folders int
		most           time.Duration
	}{{2000, 50, 15 * time.Millisecond}, {100_000, 10_000, 60 * time.Millisecond}} {
		more, err := measureStart(ctx, dir, w.files, w.folders, w.most)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	applyings, err := measureApplying(ctx, dir)
	return append(rows, applyings...), err
}

// measureStart times starts in a workspace with so many files.
func measureStart(ctx context.Context, dir string, files, folders int, most time.Duration) (rows []row, err error) {
	root := filepath.Join(dir, fmt.Sprintf("work-%d", files))
	for i := range files {
		name := filepath.Join(root, fmt.Sprintf("part%02d/folder%03d/file%d.txt", i%folders%10, i%folders, i))
		if err := write(name, ""); err != nil {
			return nil, err
		}
	}
	s := sandbox.New(sandbox.Options{Helper: []string{confineWord}, Root: root, Cache: filepath.Join(dir, "cache")})
	state := s.State(ctx)
	if !state.Proven {
		return nil, errors.New(state.Sentence)
	}
	// At first every folder has just changed, so all of them are read again before each command; then none is.
	fresh, bare, err := startConfined(ctx, s, root)
	if err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(3 * time.Second):
	}
	settled, bareLater, err := startConfined(ctx, s, root)
	if err != nil {
		return nil, err
	}
	made := func(what, target string, confined, bare time.Duration, how string) row {
		more := confined - bare
		return row{
			what: what, target: target, ok: more <= most,
			got: fmt.Sprintf("%s (%s, bare %s)", ms(more), ms(confined), ms(bare)),
			how: fmt.Sprintf(
				"The line true, run by bash and its keeper to its end, in a workspace of %d files in %d folders, %s, "+
					"by %s; medians of %d.",
				files, folders, how, state.Kind, confinedRuns,
			),
		}
	}
	return []row{
		made(
			fmt.Sprintf("a sandboxed command's start, over a bare one, %d files", files), "≤ "+ms(most), settled,
			bareLater, "none of them new",
		),
		made("the same, in folders that just changed", "", fresh, bare, "made within the last seconds"),
	}, nil
}

const (
	appliedFiles = 10_000
	builtFiles   = 2_000
	builtBytes   = 1 << 30 // together
)

// measureApplying times reading and applying what a command did: changes of many small files, and a new folder with a
// gigabyte.
func measureApplying(ctx context.Context, dir string) (rows []row, err error) {
	root := filepath.Join(dir, "applying")
	for i := range appliedFiles {
		name := filepath.Join(root, fmt.Sprintf("folder%03d/file%d.txt", i%200, i))
		if err := write(name, "before\n"); err != nil {
			return nil, err
		}
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	s := sandbox.New(sandbox.Options{Helper: []string{confineWord}, Root: root, Cache: filepath.Join(dir, "cache")})
	if state := s.State(ctx); !state.Proven {
		return nil, errors.New(state.Sentence)
	}
	for _, r := range []struct {
		what, script string
		most         time.Duration
	}{
		{"10,000 changed files, read and applied", "for f in folder*/*; do echo after >$f; done", 2 * time.Second},
		{
			"1 GB in 2,000 new files, read and applied",
			fmt.Sprintf(
				"mkdir -p build/x; for i in $(seq %d); do head -c %d /dev/zero >build/x/$i; done", builtFiles,
				builtBytes/builtFiles,
			),
			time.Second / 2,
		},
	} {
		took, err := applying(ctx, s, root, r.script)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{
			what: r.what, target: "≤ " + ms(r.most), ok: took <= r.most, got: ms(took),
			how: "From the end of the command in its view until all is in the workspace, without asking policy; " +
				"once, on one file system.",
		})
	}
	return rows, nil
}

func applying(ctx context.Context, s *sandbox.Sandbox, root, script string) (time.Duration, error) {
	w, err := s.Wrap(ctx, sandbox.Command{Argv: []string{"/bin/bash", "-c", script}, Env: os.Environ(), Dir: root})
	if err != nil {
		return 0, err
	}
	defer w.Close()
	if out, err := w.Command(ctx).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w: %s", err, out)
	}
	began := time.Now()
	list, err := applied.Read(ctx, w.Layer)
	if err != nil {
		return 0, err
	}
	report, err := applied.Apply(w.Layer, list.Changes)
	if left := len(report.Conflicts) + len(report.Failed); err == nil && left > 0 {
		err = fmt.Errorf("%d changes were not applied", left)
	}
	return time.Since(began), err
}

// confinedRuns is how often each of the two is started.
const confinedRuns = 40

// startConfined starts a command in the sandbox and a bare one, by turns, and returns the median time of each.
func startConfined(ctx context.Context, s *sandbox.Sandbox, root string) (confined, bare time.Duration, err error) {
	sh := shell.New(keepWord, "")
	once := func(confine shell.Confine) (time.Duration, error) {
		began := time.Now()
		o, err := sh.Run(ctx, shell.Command{Line: "true", Dir: root, Confine: confine})
		if err == nil && o.Status != 0 {
			err = fmt.Errorf("it ended with %d: %s", o.Status, o.Output.Head)
		}
		return time.Since(began), err
	}
	var all, others []time.Duration
	for range confinedRuns {
		took, err := once(nil)
		if err != nil {
			return 0, 0, err
		}
		others = append(others, took)
		var w sandbox.Wrapped
		took, err = once(func(argv, env []string, dir string) (shell.Confined, error) {
			w, err = s.Wrap(ctx, sandbox.Command{Argv: argv, Env: env, Dir: dir})
			return shell.Confined{Argv: w.Argv, Env: w.Env, How: w.How}, err
		})
		began := time.Now()
		if w.Close != nil {
			w.Close()
		}
		if err != nil {
			return 0, 0, err
		}
		all = append(all, took+time.Since(began))
	}
	return median(all), median(others), nil
}
