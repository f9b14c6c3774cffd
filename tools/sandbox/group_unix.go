//go:build unix

package sandbox

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// shell prepares a shell in a process group of its own. Shells are found by fixed paths, so that no PATH chooses them.
func shell(line string) (*exec.Cmd, error) {
	name, args := "/bin/sh", []string{"-c", line}
	for _, bash := range []string{"/bin/bash", "/usr/bin/bash"} {
		if info, err := os.Stat(bash); err == nil && info.Mode().IsRegular() {
			name, args = bash, []string{"--noprofile", "--norc", "-c", line}
			break
		}
	}
	cmd := exec.Command(name, args...) //nolint:noctx // a context would kill the shell alone; wait ends all it started
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd, nil
}

func signalOf(e *exec.ExitError) string {
	if status, ok := e.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}

// group is a command and everything that it started.
type group struct {
	pid  int    // of the shell, and of its process group
	mark string // in the environment of every descendant that kept it
	tag  string // the name of a file that every descendant has that did not close it; empty: there is none
}

func (g group) terminate() { _ = syscall.Kill(-g.pid, syscall.SIGTERM) }

// kill kills until nothing is found any more, for a second at most: processes may be born while others are killed. It
// returns how many processes it found.
func (g group) kill() int {
	found := map[int]bool{}
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		alive := g.members()
		_ = syscall.Kill(-g.pid, syscall.SIGKILL)
		if len(alive) == 0 {
			break
		}
		for _, pid := range alive {
			found[pid] = true
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(2 * time.Millisecond)
	}
	delete(found, g.pid)
	return len(found)
}

// process is one row of the process table.
type process struct {
	pid, parent, group, session int
	dead                        bool
}

// members are the living processes that belong to the command: those of its group and session, those with its mark, and
// the descendants of all of them.
func (g group) members() []int {
	table := processes()
	in := map[int]bool{g.pid: true}
	for _, p := range table {
		if p.group == g.pid || p.session == g.pid || (!p.dead && marked(p.pid, g)) {
			in[p.pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range table {
			if in[p.parent] && !in[p.pid] {
				in[p.pid], grown = true, true
			}
		}
	}
	var alive []int
	for _, p := range table {
		if in[p.pid] && !p.dead {
			alive = append(alive, p.pid)
		}
	}
	return alive
}
