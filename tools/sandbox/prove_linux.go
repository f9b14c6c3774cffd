//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools/sandbox/probe"
)

// testLimit is how long a self-test may take.
const testLimit = 20 * time.Second

// prove runs the self-test: a command in a sandbox around a workspace made for it, which tries to break out. An error
// says what failed.
func (s *Sandbox) prove(ctx context.Context, k kind) (findings []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, testLimit)
	defer cancel()
	f, err := s.folders()
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp(filepath.Dir(f.cache), "self-test-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	m, heard, err := probe.Prepare(scratch)
	if err != nil {
		return nil, err
	}
	w, out, err := s.sendProbe(ctx, k, scratch, m)
	if w.Close != nil {
		defer w.Close()
	}
	if err != nil {
		return nil, errors.Join(err, heard())
	}
	var all []probe.Attempt
	if err := json.Unmarshal(out, &all); err != nil || len(all) == 0 {
		return nil, fmt.Errorf("its self-test said nothing: %.200s", out)
	}
	for _, a := range all {
		findings = append(
			findings, fmt.Sprintf("%s: %s", a.What, map[bool]string{true: "as it must be", false: a.Saw}[a.Holds]),
		)
		if !a.Holds {
			err = errors.Join(err, fmt.Errorf("the self-test failed: %s: %s", a.What, a.Saw))
		}
	}
	return findings, errors.Join(err, m.Untouched(w.Layer.Upper), heard())
}

// sendProbe runs the probe in the sandbox, as a command that only reads: any other one sees more of the workspace, and
// is confined alike.
func (s *Sandbox) sendProbe(
	ctx context.Context, k kind, scratch string, m probe.Mission,
) (w Wrapped, out []byte, err error) {
	told, err := json.Marshal(m)
	if err != nil {
		return w, nil, err
	}
	inner := New(Options{Helper: s.options.Helper, Root: m.Root, Cache: filepath.Join(scratch, "cache")})
	argv := append(append([]string{"/proc/self/exe"}, s.options.Helper...), wordProbe, string(told))
	if w, err = inner.wrap(
		k, Command{Argv: argv, Env: []string{"PATH=/usr/bin:/bin", "HOME=" + home()}, Dir: m.Root, Reads: true},
	); err != nil {
		return w, nil, err
	}
	var stdout, stderr bytes.Buffer
	cmd := w.Command(ctx)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "/", &stdout, &stderr
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		said := strings.TrimSpace(stderr.String())
		if len(said) > 300 {
			said = said[:300]
		}
		return w, nil, fmt.Errorf("it cannot be made here: %w: %s", err, said)
	}
	return w, stdout.Bytes(), nil
}
