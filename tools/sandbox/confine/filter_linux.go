//go:build amd64 || arm64

package confine

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// The system calls of a command are answered by the kernel as always, or by an error.

// namespaceFlags ask for new namespaces: in one of its own a command could mount what it likes.
const namespaceFlags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWTIME

// refused are calls that no build or test needs, and that reach far into the kernel or around the sandbox.
var refused = []int{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_FSOPEN,
	unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_SETNS,
	unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN,
	unix.SYS_USERFAULTFD,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_REBOOT,
	unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_QUOTACTL, unix.SYS_SYSLOG, unix.SYS_ACCT, unix.SYS_SETTIMEOFDAY,
	unix.SYS_CLOCK_SETTIME,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_PIDFD_GETFD,
}

// absent are calls that look as on a kernel that does not have them: programs then use older ones, which the filter can
// judge.
var absent = []int{
	unix.SYS_CLONE3, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
}

// families are the kinds of sockets that a command may have; all others, such as those to a host of this machine, are
// not there.
var families = []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

const answerAllow = unix.SECCOMP_RET_ALLOW

func answerError(errno unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(errno) }

// The places of a call's number, architecture and arguments in what a filter sees; of an argument the lower half.
const offsetNumber, offsetArch = 0, 4

func offsetArg(i int) uint32 { return uint32(16 + 8*i) }

// program is a filter: what it returns for a system call is the answer.
type program []bpf.Instruction

// on adds what is done for one call, of which the number was loaded.
func (p *program) on(nr int, then ...bpf.Instruction) {
	*p = append(*p, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(nr), SkipTrue: uint8(len(then))})
	*p = append(*p, then...)
}

// filter is the program that answers system calls.
func filter() program {
	number := bpf.LoadAbsolute{Off: offsetNumber, Size: 4}
	p := program{
		bpf.LoadAbsolute{Off: offsetArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: nativeArch, SkipTrue: 1},
		bpf.RetConstant{Val: answerError(unix.EPERM)}, // calls in the way of another processor have other numbers
		number,
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: 1 << 30, SkipTrue: 1},
		bpf.RetConstant{Val: answerError(unix.ENOSYS)}, // so have those of x32
	}
	argument := func(i int) bpf.Instruction { return bpf.LoadAbsolute{Off: offsetArg(i), Size: 4} }
	for _, nr := range refused {
		p.on(nr, bpf.RetConstant{Val: answerError(unix.EPERM)})
	}
	for _, nr := range absent {
		p.on(nr, bpf.RetConstant{Val: answerError(unix.ENOSYS)})
	}
	for _, nr := range []int{unix.SYS_CLONE, unix.SYS_UNSHARE} {
		p.on(nr, argument(0),
			bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: namespaceFlags &^ cloneSignal(nr), SkipTrue: 1},
			bpf.RetConstant{Val: answerError(unix.EPERM)}, bpf.RetConstant{Val: answerAllow})
	}
	for _, nr := range []int{
		unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
		unix.SYS_PIDFD_OPEN,
	} {
		p.on(nr, argument(0), // the first process of the sandbox, which ends and counts the others
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 1, SkipTrue: 1}, bpf.RetConstant{Val: answerError(unix.EPERM)},
			bpf.RetConstant{Val: answerAllow})
	}
	p.on(unix.SYS_PRLIMIT64, argument(0), // of others than the caller itself
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1}, bpf.RetConstant{Val: answerError(unix.EPERM)},
		bpf.RetConstant{Val: answerAllow})
	allowed := []bpf.Instruction{argument(0)}
	for i, family := range families {
		allowed = append(allowed, bpf.JumpIf{Cond: bpf.JumpEqual, Val: family, SkipTrue: uint8(len(families) - i)})
	}
	p.on(
		unix.SYS_SOCKET,
		append(allowed, bpf.RetConstant{Val: answerError(unix.EAFNOSUPPORT)}, bpf.RetConstant{Val: answerAllow})...,
	)
	p.on(unix.SYS_IOCTL, argument(1), // these put characters into a terminal's input
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.TIOCSTI, SkipTrue: 1},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: tiocLinux, SkipTrue: 1},
		bpf.RetConstant{Val: answerError(unix.EPERM)}, bpf.RetConstant{Val: answerAllow})
	return append(p, bpf.RetConstant{Val: answerAllow})
}

// tiocLinux is the request of ioctl that pastes into a console.
const tiocLinux = 0x541c

// cloneSignal are the bits in which the first argument of clone holds a signal, where CLONE_NEWTIME would be.
func cloneSignal(nr int) uint32 {
	if nr == unix.SYS_CLONE {
		return 0xff
	}
	return 0
}

// install puts a filter on the calling thread, which must have no way to new rights, and on all that it starts; with
// SECCOMP_FILTER_FLAG_TSYNC on all other threads of this process, too.
func (p program) install(flags uintptr) error {
	raw, err := bpf.Assemble(p)
	if err != nil {
		return fmt.Errorf("assemble the filter of system calls: %w", err)
	}
	code := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		code[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	failed, _, errno := unix.Syscall(
		unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)),
	)
	runtime.KeepAlive(code)
	if errno != 0 {
		return fmt.Errorf("the filter of system calls was refused: %w", errno)
	}
	if failed != 0 {
		return fmt.Errorf("thread %d did not take the filter of system calls", failed)
	}
	return nil
}
