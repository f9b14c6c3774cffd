//go:build e2e

package e2e

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// terminal is a program in a terminal of its own, made by tmux.
type terminal struct {
	w       *world
	tmux    func(args ...string) *exec.Cmd
	columns int
}

// startTerminal runs a command with the environment env in a terminal of 120 columns and 40 lines. Its last screen is
// kept in the output folder.
func startTerminal(w *world, name string, env []string, command ...string) *terminal {
	w.t.Helper()
	return startTerminalOf(w, name, 120, env, command...)
}

// startTerminalOf is startTerminal with another width.
func startTerminalOf(w *world, name string, columns int, env []string, command ...string) *terminal {
	w.t.Helper()
	program := installed(w.t, "helix.sh")["TMUX_BIN"]
	term := &terminal{w: w, columns: columns, tmux: func(args ...string) *exec.Cmd {
		c := exec.Command(program, append([]string{"-S", w.home() + "/" + name + ".tmux"}, args...)...)
		c.Env, c.Dir = env, w.workspace
		return c
	}}
	start := []string{"-f", "/dev/null", "new-session", "-d", "-x", strconv.Itoa(columns), "-y", "40", "--"}
	if out, err := term.tmux(append(start, command...)...).CombinedOutput(); err != nil {
		w.t.Fatalf("tmux: %v\n%s", err, out)
	}
	w.t.Cleanup(func() {
		screen := term.screen()
		w.keep(name+"-screen.txt", screen)
		if w.t.Failed() {
			w.t.Logf("the screen of %s:\n%s", name, screen)
		}
		_ = term.tmux("kill-server").Run()
	})
	return term
}

func (term *terminal) screen() string {
	out, _ := term.tmux("capture-pane", "-p").Output()
	return string(out)
}

// keep stores the screen as it is now under a name.
func (term *terminal) keep(name string) { term.w.keep(name+".txt", term.screen()) }

// keys presses keys by tmux's names.
func (term *terminal) keys(names ...string) {
	term.w.t.Helper()
	must(term.w.t, term.tmux(append([]string{"send-keys", "--"}, names...)...).Run())
}

// text types text as it is.
func (term *terminal) text(text string) {
	term.w.t.Helper()
	must(term.w.t, term.tmux("send-keys", "-l", "--", text).Run())
}

// wait waits until the screen shows all of the parts.
func (term *terminal) wait(parts ...string) {
	term.w.t.Helper()
	eventually(term.w.t, "the screen", func() error {
		screen := term.screen()
		for _, part := range parts {
			if err := contains(screen, part); err != nil {
				return err
			}
		}
		return nil
	})
}

// kill ends the program as a crash would.
func (term *terminal) kill() {
	out, _ := term.tmux("list-panes", "-F", "#{pane_pid}").Output()
	var pid int
	for _, c := range strings.TrimSpace(string(out)) {
		pid = pid*10 + int(c-'0')
	}
	if pid > 1 {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
