//go:build unix

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// silence is how long a program at the terminal may say nothing while it is waited for.
const silence = 30 * time.Second

// typist is a person at a terminal of 80 by 24 on which the program runs.
type typist struct {
	t      *testing.T
	keys   *os.File // the typist's end of the terminal
	pieces chan string
	screen string // all that was shown so far
	seen   int    // how much of it was waited for
	cmd    *exec.Cmd
	ended  chan error
}

// sitDown starts the program at a terminal of its own. change may redirect its standard streams, or take the terminal
// away.
func (s *user) sitDown(change func(*exec.Cmd), args ...string) *typist {
	s.t.Helper()
	keys, tty, err := pty.Open()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := pty.Setsize(keys, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		s.t.Fatal(err)
	}
	p := &typist{t: s.t, keys: keys, pieces: make(chan string, 1024), ended: make(chan error, 1), cmd: exec.CommandContext(context.Background(), os.Args[0], s.with(args)...)}
	p.cmd.Env = append(os.Environ(), "TERM=xterm")
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = tty, tty, tty
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if change != nil {
		change(p.cmd)
	}
	go func() {
		defer close(p.pieces)
		for buf := make([]byte, 4096); ; {
			n, err := keys.Read(buf)
			p.pieces <- string(buf[:n])
			if err != nil {
				return
			}
		}
	}()
	if err := p.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	go func() {
		p.ended <- p.cmd.Wait()
		_ = tty.Close() // nobody writes any more: what was written can be read to its end
	}()
	s.t.Cleanup(func() { _ = p.cmd.Process.Kill(); _ = keys.Close() })
	return p
}

// sees waits until the screen shows a text below what was waited for before, and returns what is new up to its end.
func (p *typist) sees(text string) string {
	p.t.Helper()
	shown, _ := p.seesOneOf(text)
	return shown
}

// seesOneOf is sees for the first of several texts, and says which it was.
func (p *typist) seesOneOf(texts ...string) (shown, which string) {
	p.t.Helper()
	enough := time.After(4 * silence) // a line that counts seconds is never silent
	for {
		new := p.screen[p.seen:]
		end := len(new) + 1
		for _, text := range texts {
			if at := strings.Index(new, text); at >= 0 && at+len(text) < end {
				end, which = at+len(text), text
			}
		}
		if which != "" {
			p.seen += end
			return new[:end], which
		}
		select {
		case piece, more := <-p.pieces:
			p.screen += piece
			if !more {
				p.t.Fatalf("the terminal ended without %q:\n%s", texts, p.screen)
			}
		case <-enough:
			p.t.Fatalf("the terminal never shows %q:\n%s", texts, p.screen)
		case <-time.After(silence):
			p.t.Fatalf("the terminal does not show %q:\n%s", texts, p.screen)
		}
	}
}

func (p *typist) types(keys string) {
	p.t.Helper()
	if _, err := io.WriteString(p.keys, keys); err != nil {
		p.t.Fatal(err)
	}
}

// leaves waits for the end of the program, and returns its exit status and the whole screen.
func (p *typist) leaves() (status int, screen string) {
	p.t.Helper()
	for {
		select {
		case piece, more := <-p.pieces:
			if p.screen += piece; more {
				continue
			}
			if err, exit := <-p.ended, (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
				p.t.Fatal(err)
			}
			return p.cmd.ProcessState.ExitCode(), p.screen
		case <-time.After(silence):
			p.t.Fatalf("the program does not end:\n%s", p.screen)
		}
	}
}
