//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools/changes"
)

// testLimit is how long a self-test may take.
const testLimit = 20 * time.Second

// prove runs the self-test: a command in a sandbox around a workspace made for it, which tries to break out. An error says what failed.
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
	m, heard, err := prepare(scratch)
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
	var all []attempt
	if err := json.Unmarshal(out, &all); err != nil || len(all) == 0 {
		return nil, fmt.Errorf("its self-test said nothing: %.200s", out)
	}
	for _, a := range all {
		findings = append(findings, fmt.Sprintf("%s: %s", a.What, map[bool]string{true: "as it must be", false: a.Saw}[a.Holds]))
		if !a.Holds {
			err = errors.Join(err, fmt.Errorf("the self-test failed: %s: %s", a.What, a.Saw))
		}
	}
	return findings, errors.Join(err, m.untouched(w.Layer), heard())
}

// sendProbe runs the probe in the sandbox.
func (s *Sandbox) sendProbe(ctx context.Context, k kind, scratch string, m mission) (w Wrapped, out []byte, err error) {
	told, err := json.Marshal(m)
	if err != nil {
		return w, nil, err
	}
	inner := New(Options{Helper: s.options.Helper, Root: m.Root, Cache: filepath.Join(scratch, "cache")})
	argv := append(append([]string{"/proc/self/exe"}, s.options.Helper...), wordProbe, string(told))
	if w, err = inner.wrap(k, Command{Argv: argv, Env: []string{"PATH=/usr/bin:/bin", "HOME=" + home()}, Dir: m.Root}); err != nil {
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

// prepare makes what the probe shall not reach. heard fails if something reached the sockets after all; it closes them.
func prepare(scratch string) (m mission, heard func() error, err error) {
	m = mission{Root: filepath.Join(scratch, "work"), Outside: filepath.Join(scratch, "outside"), Abstract: "@" + filepath.Base(scratch), Parent: os.Getpid()}
	if m.Network, err = os.Readlink("/proc/self/ns/net"); err != nil {
		return m, nil, err
	}
	for _, dir := range []string{filepath.Join(m.Root, ".git/hooks"), filepath.Join(m.Root, "in"), m.Outside} {
		err = errors.Join(err, os.MkdirAll(dir, 0o700))
	}
	for path, text := range map[string]string{
		filepath.Join(m.Root, "kept"): canary, filepath.Join(m.Root, ".env"): canary, filepath.Join(m.Root, "in/.env"): canary, filepath.Join(m.Outside, "secret"): canary,
	} {
		err = errors.Join(err, os.WriteFile(path, []byte(text), 0o600))
	}
	if err != nil {
		return m, nil, err
	}
	var sockets []net.PacketConn
	heard = func() (err error) {
		for _, s := range sockets {
			_ = s.SetReadDeadline(time.Now()) // what was sent is there: the sender has ended
			if n, _, readErr := s.ReadFrom(make([]byte, 1)); readErr == nil || n > 0 {
				err = errors.Join(err, fmt.Errorf("the self-test failed: the socket %s was reached", s.LocalAddr()))
			}
			_ = s.Close()
		}
		return err
	}
	for _, address := range []string{m.Root, m.Outside, m.Abstract} {
		s, err := listenIn(address)
		if err != nil {
			return m, nil, errors.Join(err, heard())
		}
		sockets = append(sockets, s)
	}
	return m, heard, nil
}

// listenIn opens a socket in a folder, or an abstract one. The kernel takes only short paths for sockets, so the folder is named by its number.
func listenIn(address string) (net.PacketConn, error) {
	if filepath.IsAbs(address) {
		dir, err := os.Open(address)
		if err != nil {
			return nil, err
		}
		defer dir.Close() //nolint:errcheck // only a place
		address = fmt.Sprintf("/proc/self/fd/%d/socket", dir.Fd())
	}
	return net.ListenPacket("unixgram", address) //nolint:noctx // it waits for nothing
}

// untouched fails if the probe changed what lies on the disk, whatever it said, or if what it wrote in the view is not there to be checked.
func (m mission) untouched(l *changes.Layer) error {
	var err error
	for _, path := range []string{
		filepath.Join(m.Outside, "made"), filepath.Join(m.Root, ".git/hooks/post-checkout"), filepath.Join(m.Root, "made"), filepath.Join(m.Root, "moved"), filepath.Join(m.Root, "a"),
	} {
		if _, statErr := os.Lstat(path); statErr == nil {
			err = errors.Join(err, fmt.Errorf("the self-test failed: it made %s", path))
		}
	}
	for _, name := range []string{"kept", ".env", "in/.env"} {
		if text, readErr := os.ReadFile(filepath.Join(m.Root, name)); readErr != nil || string(text) != canary {
			err = errors.Join(err, fmt.Errorf("the self-test failed: it changed %s", name))
		}
	}
	if text, readErr := os.ReadFile(filepath.Join(l.Upper, "moved")); readErr != nil || string(text) != canary {
		err = errors.Join(err, errors.New("the self-test failed: what it wrote is not in its private folder"))
	}
	return err
}
