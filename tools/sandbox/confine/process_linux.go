//go:build amd64 || arm64

package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// Reach is what of the file system a program may use.
type Reach struct {
	Run, Read, Write []string // files, or folders with all below them; those that are not there are left out
}

// Files takes from the calling thread, and from all that it starts, all rights and all files but those in reach.
func Files(r Reach) error {
	if err := Kernel(); err != nil {
		return err
	}
	if err := dropRights(); err != nil {
		return err
	}
	rights := map[string]uint64{}
	for _, part := range []struct {
		paths []string
		all   uint64
	}{
		{r.Run, unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE},
		{r.Read, unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR},
		{r.Write, rightsRead&^unix.LANDLOCK_ACCESS_FS_EXECUTE | rightsWrite | rightsMake},
	} {
		for _, path := range part.paths {
			info, err := os.Stat(path)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				continue
			case err != nil:
				return err
			case !info.IsDir():
				part.all &= unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | rightsWrite
			}
			rights[path] |= part.all
		}
	}
	return landlock(rights)
}

// computing are the system calls by which a Go program computes, has threads, and uses what is open.
var computing = []int{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_CLOSE, unix.SYS_MUNMAP, unix.SYS_MREMAP,
	unix.SYS_MADVISE, unix.SYS_BRK, unix.SYS_FUTEX, unix.SYS_NANOSLEEP,
	unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME,
	unix.SYS_GETTIMEOFDAY, unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_GETPID, unix.SYS_GETTID,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK, unix.SYS_EPOLL_CREATE1,
	unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_GETRANDOM,
	unix.SYS_RSEQ, unix.SYS_SET_ROBUST_LIST, unix.SYS_RESTART_SYSCALL, unix.SYS_SETITIMER, unix.SYS_TIMER_CREATE,
	unix.SYS_TIMER_SETTIME, unix.SYS_TIMER_DELETE, unix.SYS_GETRUSAGE, unix.SYS_MEMBARRIER, unix.SYS_GETCPU,
}

// Computing takes from all threads of this process every system call but those by which it computes and uses what it
// has open: it can open, start, connect and signal nothing any more, and make no new code.
func Computing() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	return computingFilter(uint32(os.Getpid())).install(unix.SECCOMP_FILTER_FLAG_TSYNC)
}

func computingFilter(self uint32) program {
	refuse := bpf.RetConstant{Val: answerError(unix.EPERM)}
	allow := bpf.RetConstant{Val: answerAllow}
	p := program{
		bpf.LoadAbsolute{Off: offsetArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: nativeArch, SkipTrue: 1},
		refuse,
		bpf.LoadAbsolute{Off: offsetNumber, Size: 4},
	}
	for _, nr := range computing {
		p.on(nr, allow)
	}
	p.on(unix.SYS_CLONE3, bpf.RetConstant{Val: answerError(unix.ENOSYS)}) // clone is used then
	argument := bpf.LoadAbsolute{Off: offsetArg(0), Size: 4}
	p.on(unix.SYS_CLONE, argument, // threads only
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.CLONE_THREAD, SkipTrue: 1}, refuse,
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: namespaceFlags &^ 0xff, SkipFalse: 1}, refuse, allow)
	p.on(unix.SYS_TGKILL, argument, // the runtime stops its own threads
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: self, SkipTrue: 1}, refuse, allow)
	p.on(unix.SYS_PRLIMIT64, argument, // of itself
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1}, refuse, allow)
	for _, nr := range []int{unix.SYS_MMAP, unix.SYS_MPROTECT} { // no new code
		p.on(nr, bpf.LoadAbsolute{Off: offsetArg(2), Size: 4},
			bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.PROT_EXEC, SkipFalse: 1}, refuse, allow)
	}
	return append(p, refuse)
}
