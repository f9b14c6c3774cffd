//go:build unix

package shell

import (
	"os"
	"os/exec"
	"slices"
	"syscall"
	"time"
)

const (
	killLimit = 5 * time.Second      // how long killAll tries
	killPause = 2 * time.Millisecond // between two readings of the process table
)

// shell prepares a shell. Shells are found by fixed paths, so that no PATH chooses them; "--" lets a line begin with
// "-".
func shell(line string) *exec.Cmd {
	name, args := "/bin/sh", []string{"-c", "--", line}
	for _, bash := range []string{"/bin/bash", "/usr/bin/bash"} {
		if info, err := os.Stat(bash); err == nil && info.Mode().IsRegular() {
			name, args = bash, []string{"--noprofile", "--norc", "-c", "--", line}
			break
		}
	}
	return exec.Command(name, args...) //nolint:noctx // a context would kill the shell alone; stop ends all it started
}

// ended reads how a shell ended from its wait status.
func ended(status syscall.WaitStatus) ending {
	if status.Signaled() {
		return ending{Status: -1, Signal: status.Signal().String()}
	}
	return ending{Status: status.ExitStatus()}
}

// process is one row of the process table.
type process struct {
	pid, parent, group, session int
	dead                        bool
}

// living returns the processes that belong to a command, as is reports, and all their descendants, without those that
// have ended. A parent comes before what it started: one that is killed in this order never sees its child die, and
// goes on.
func living(is func(process) bool) []process { return family(processes(), is) }

func family(table []process, is func(process) bool) []process {
	in, parents := map[int]bool{}, map[int]int{}
	for _, p := range table {
		parents[p.pid] = p.parent
		if is(p) {
			in[p.pid] = true
		}
	}
	for grew := true; grew; {
		grew = false
		for _, p := range table {
			if in[p.parent] && !in[p.pid] {
				in[p.pid], grew = true, true
			}
		}
	}
	alive := slices.DeleteFunc(slices.Clone(table), func(p process) bool { return p.dead || !in[p.pid] })
	depth := map[int]int{}
	for _, p := range alive {
		for up := p.parent; in[up] && depth[p.pid] < len(table); up = parents[up] {
			depth[p.pid]++
		}
	}
	slices.SortStableFunc(alive, func(a, b process) int { return depth[a.pid] - depth[b.pid] })
	return alive
}

// killAll kills the processes that find returns, again and again until over reports that none is left, for killLimit at
// most: others may be started meanwhile. It returns how many processes there were, and how many still run: at least one
// of each where over never reports the end, since a process table that is read row by row misses those that move on.
func killAll(find func() []process, kill func(process), over func(alive []process) bool) (found, left int) {
	pids := map[int]bool{}
	alive := find()
	for end := time.Now().Add(killLimit); time.Now().Before(end); alive = find() {
		if over(alive) {
			return len(pids), 0 // the last of alive ended after it was found
		}
		for _, p := range alive {
			pids[p.pid] = true
			kill(p)
		}
		time.Sleep(killPause)
	}
	if !over(alive) {
		return max(len(pids), 1), max(len(alive), 1)
	}
	return len(pids), 0
}

// none is the argument over of killAll where only the process table says whether processes are left.
func none(alive []process) bool { return len(alive) == 0 }
