package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/assent-ls/assent/tools/sandbox"
)

// confineWord is the first argument by which this program starts itself as a process of a sandbox.
const confineWord = "confine"

// measureSandbox times the start and end of a command in the sandbox, in a workspace of 2,000 files, against the bare command.
func measureSandbox(ctx context.Context, l *setup) (rows []row, err error) {
	dir, err := l.folder("sandbox")
	if err != nil {
		return nil, err
	}
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	root = filepath.Join(root, "work")
	for i := range 2000 {
		name := filepath.Join(root, fmt.Sprintf("folder%02d/file%d.txt", i%50, i))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o750), os.WriteFile(name, nil, 0o600)); err != nil {
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
			what: what, target: target, ok: more <= 15*time.Millisecond,
			got: fmt.Sprintf("%s (%s, bare %s)", ms(more), ms(confined), ms(bare)),
			how: fmt.Sprintf("/bin/true to its end in a workspace of 2,000 files, %s, by %s; medians of %d.", how, state.Kind, confinedRuns),
		}
	}
	return []row{
		made("a sandboxed command's start, over a bare one", "≤ 15 ms", settled, bareLater, "none of them new"),
		made("the same, in folders that just changed", "", fresh, bare, "made within the last seconds"),
	}, nil
}

// confinedRuns is how often each of the two is started.
const confinedRuns = 40

// startConfined starts a command in the sandbox and a bare one, by turns, and returns the median time of each.
func startConfined(ctx context.Context, s *sandbox.Sandbox, root string) (confined, bare time.Duration, err error) {
	var all, others []time.Duration
	for range confinedRuns {
		began := time.Now()
		if err := exec.CommandContext(ctx, "/bin/true").Run(); err != nil {
			return 0, 0, err
		}
		others = append(others, time.Since(began))
		began = time.Now()
		w, err := s.Wrap(ctx, []string{"/bin/true"}, os.Environ(), root)
		if err != nil {
			return 0, 0, err
		}
		cmd := exec.CommandContext(ctx, w.Argv[0], w.Argv[1:]...)
		cmd.Env = w.Env
		err = cmd.Run()
		w.Close()
		if err != nil {
			return 0, 0, err
		}
		all = append(all, time.Since(began))
	}
	return median(all), median(others), nil
}
