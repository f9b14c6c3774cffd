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
	const runs = 40
	var bare, confined []time.Duration
	for range runs {
		began := time.Now()
		if err := exec.CommandContext(ctx, "/bin/true").Run(); err != nil {
			return nil, err
		}
		bare = append(bare, time.Since(began))
		began = time.Now()
		w, err := s.Wrap(ctx, []string{"/bin/true"}, os.Environ(), root)
		if err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, w.Argv[0], w.Argv[1:]...)
		cmd.Env = w.Env
		err = cmd.Run()
		w.Close()
		if err != nil {
			return nil, err
		}
		confined = append(confined, time.Since(began))
	}
	more := median(confined) - median(bare)
	return []row{{
		what: "a sandboxed command's start, over a bare one", target: "≤ 15 ms", ok: more <= 15*time.Millisecond,
		got: fmt.Sprintf("%s (%s, bare %s)", ms(more), ms(median(confined)), ms(median(bare))),
		how: fmt.Sprintf("/bin/true to its end in a workspace of 2,000 files, by %s; medians of %d.", state.Kind, runs),
	}}, nil
}
