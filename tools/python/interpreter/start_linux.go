//go:build amd64 || arm64

package interpreter

import (
	"debug/elf"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/assent-ls/assent/tools/sandbox/confine"
)

// self is this program, also after its file was replaced.
const self = "/proc/self/exe"

// spaces are namespaces in which a helper is alone: it has no network, and no right in any other.
const spaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWPID

// start starts a helper with as little as the kernel allows, and names the protections that it lacks. It begins on a
// thread that Landlock binds first: a process inherits that, and the thread ends with its goroutine.
func start(argv []string, files []*os.File, o order) (p *os.Process, lacks []string, err error) {
	argv = append([]string{"assent"}, argv...)
	attr := &os.ProcAttr{Env: []string{}, Files: files, Sys: &syscall.SysProcAttr{Setsid: true, Cloneflags: spaces}}
	within := reach(o)
	_ = unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC) // what this process got from its own parent
	started := make(chan struct{})
	go func() {
		defer close(started)
		runtime.LockOSThread()
		if confine.Files(within) != nil {
			lacks = append(lacks, "Landlock")
		}
		if p, err = os.StartProcess(self, argv, attr); err == nil {
			return
		}
		lacks = append(lacks, "namespaces of its own")
		attr.Sys.Cloneflags = 0
		p, err = os.StartProcess(self, argv, attr)
	}()
	<-started
	return p, lacks, err
}

// reach is what a helper needs until it runs programs: then it opens nothing any more.
func reach(o order) confine.Reach {
	r := confine.Reach{Run: append([]string{self}, libraries()...), Read: []string{o.Wasm.Path, o.Lib.Path, o.Cache}}
	if o.Compile {
		r.Write = []string{o.Cache}
	}
	return r
}

// libraries are what the system's loader needs to start this program: nothing if it is a static one.
var libraries = sync.OnceValue(func() []string {
	own, err := elf.Open(self)
	if err != nil {
		return nil
	}
	defer own.Close() //nolint:errcheck // it was read
	for _, part := range own.Progs {
		if part.Type == elf.PT_INTERP {
			return []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"}
		}
	}
	return nil
})

// confineSelf takes from this process what only its start needed.
func confineSelf() error {
	for resource, most := range map[int]uint64{unix.RLIMIT_FSIZE: 0, unix.RLIMIT_CORE: 0, unix.RLIMIT_NOFILE: 64} {
		if err := unix.Setrlimit(resource, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return err
		}
	}
	return confine.Computing()
}

// moreData is what a helper may take beside what it has when it waits, in bytes: lines of the pipe, mostly.
const moreData = 256 << 20

// boundData limits the writable memory of a helper that waits for a program: by what it has, for a race detector has a
// lot.
func boundData(p *os.Process) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(p.Pid) + "/statm")
	fields := strings.Fields(string(raw))
	if err != nil || len(fields) < 6 {
		return
	}
	pages, err := strconv.ParseUint(fields[5], 10, 64)
	if err != nil {
		return
	}
	most := pages*uint64(os.Getpagesize()) + moreData
	_ = unix.Prlimit(p.Pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: most, Max: most}, nil)
}

// limitProcess bounds the processor time of the whole process from now on, in case that its parent does not.
func limitProcess(seconds int) {
	var used unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &used) != nil {
		return
	}
	most := uint64(used.Utime.Sec+used.Stime.Sec) + 2*uint64(seconds) + 10
	_ = unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: most, Max: most})
}
