package shell

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Between two looks at how many processes there are. A program that starts itself is soon there; what runs for hours
// shall not wake the machine ten times a second.
const (
	crowdPause    = 50 * time.Millisecond
	longestPause  = time.Second
	slowerByEvery = 20 // looks, by one crowdPause
)

// tooMany is closed when the command has more than MaxProcesses. Outside of a sandbox, one whose every process makes a
// session of its own may be too fast for it.
func (d descendants) tooMany() <-chan struct{} {
	crowded := make(chan struct{})
	go func() {
		before := tasks()
		for look := 0; ; look++ {
			select {
			case <-d.gone:
				return
			case <-time.After(min(longestPause, crowdPause*time.Duration(1+look/slowerByEvery))):
			}
			now := tasks()
			if now-before < MaxProcesses {
				before = min(before, now)
				continue
			}
			count, tooMany := d.count()
			if tooMany {
				close(crowded)
				return
			}
			before = now - count // the rest is of others, or threads: the command is not stopped for them again
		}
	}()
	return crowded
}

// count counts the processes of the command. They are stopped meanwhile, and stay so if there are too many: while they
// multiply, the keeper would hardly get to count.
func (d descendants) count() (n int, tooMany bool) {
	_ = syscall.Kill(-d.shell, syscall.SIGSTOP)
	self := os.Getpid()
	if n = len(living(func(p process) bool { return p.parent == self })); n > MaxProcesses {
		return n, true
	}
	_ = syscall.Kill(-d.shell, syscall.SIGCONT)
	return n, false
}

// limitProcesses sets how many processes and threads the user of this process can have, which those of the command
// cannot exceed: all that the system has now, and some thousands. It is for a machine too busy to count, and binds
// nobody who may do everything.
func limitProcesses() {
	now := tasks()
	if now == 0 {
		return
	}
	most := uint64(now + 4*MaxProcesses) //nolint:gosec // neither is negative
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NPROC, &limit) == nil && limit.Cur > most {
		_ = unix.Setrlimit(unix.RLIMIT_NPROC, &unix.Rlimit{Cur: most, Max: min(limit.Max, most)})
	}
}

// tasks is how many processes and threads the system has, by the fourth field of /proc/loadavg ("2/345"). 0: it does
// not say.
func tasks() int {
	text, err := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 4 {
		return 0
	}
	_, all, _ := strings.Cut(fields[3], "/")
	n, err := strconv.Atoi(all)
	if err != nil {
		return 0
	}
	return n
}
