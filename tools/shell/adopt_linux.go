package shell

import (
	"fmt"
	"os"
	"strconv"
	"strings"
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

// killOrphans kills the processes that a killed keeper left behind, and all others with the mark of its command. shell
// is the number of the command's first process, or 0 when the keeper never told it, keep the word that makes this
// program a keeper.
func killOrphans(shell int, mark, keep string) (found, left int) {
	self, session := os.Getpid(), ownSession()
	// A command has no process in this process's own session. The commands of other keepers are not children of this
	// process.
	orphan := func(p process) bool { return p.parent == self && p.session != session && !isKeeper(p, keep) }
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
		if p.parent == self && p.dead && (killed[p.pid] || shell != 0 && p.session == shell) {
			_, _ = syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
		}
	}
	return found, left
}

func ownSession() int {
	session, _ := unix.Getsid(0) // it cannot fail for this process
	return session
}

// isKeeper reports whether a process leads a session, runs this same program and keeps a command.
func isKeeper(p process, word string) bool {
	own, err := os.Stat("/proc/self/exe")
	if err != nil || p.session != p.pid {
		return false
	}
	its, err := os.Stat("/proc/" + strconv.Itoa(p.pid) + "/exe")
	if err != nil || !os.SameFile(own, its) {
		return false
	}
	line, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/cmdline")
	arguments := strings.Split(string(line), "\x00")
	return err == nil && len(arguments) > 1 && arguments[1] == word
}
