package shell

import (
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of the processes that a killed keeper leaves behind.
func adopt() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("what a killed keeper leaves behind cannot be kept: %w", err)
	}
	return nil
}

// killOrphans kills the processes that a killed keeper left behind, and all others with the mark of its command.
func killOrphans(keeper int, mark string) (found, left int) {
	self, session := os.Getpid(), ownSession()
	// A command has no process in this process's own session. The commands of other keepers are not children of this process.
	orphan := func(p process) bool { return p.parent == self && p.session != session && !isKeeper(p) }
	killed := map[int]bool{}
	found, left = killAll(
		func() []process {
			return living(func(p process) bool { return !p.dead && (orphan(p) || marked(p.pid, mark)) })
		},
		func(p process) {
			killed[p.pid] = true
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
		},
		none,
	)
	for _, p := range processes() { // nobody else waits for them
		if p.parent == self && p.dead && (killed[p.pid] || p.session == keeper && p.pid != keeper) {
			_, _ = syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
		}
	}
	return found, left
}

func ownSession() int {
	session, _ := unix.Getsid(0) // it cannot fail for this process
	return session
}

// isKeeper reports whether a process leads a session and runs this same program.
func isKeeper(p process) bool {
	own, err := os.Stat("/proc/self/exe")
	if err != nil || p.session != p.pid {
		return false
	}
	its, err := os.Stat("/proc/" + strconv.Itoa(p.pid) + "/exe")
	return err == nil && os.SameFile(own, its)
}
