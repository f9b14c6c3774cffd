// Package bounds bounds what the processes of a command have together: by looking at them all the time and, where there
// can be one, by a control group.
package bounds

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	maxProcesses = 1_000
	pause        = 50 * time.Millisecond
)

// Memory is how many bytes of memory a command may have where the user says nothing: half of the machine's. 0: it is
// not known.
func Memory() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return uint64(info.Totalram) * uint64(info.Unit) / 2 //nolint:unconvert // of another type on other processors
}

// Exceeded waits until the processes that this one sees are too many, or have more than so many bytes of memory
// together (0: any number), and says so to go on after "ended the command:". The limits that the kernel has count no
// processes of root, and each process alone.
func Exceeded(memory uint64) (why string) {
	for {
		time.Sleep(pause)
		switch processes, bytes, err := inUse(); {
		case err != nil:
			return fmt.Sprintf("its processes cannot be counted any more (%v)", err)
		case processes > maxProcesses:
			return fmt.Sprintf("it had more than %d processes", maxProcesses)
		case memory > 0 && bytes > memory:
			return TooMuch(memory)
		}
	}
}

// TooMuch says that a command had more than so many bytes of memory.
func TooMuch(memory uint64) string {
	return fmt.Sprintf("it used more than %d MB of memory", memory>>20)
}

// inUse counts the processes of the sandbox, and the bytes of memory that are theirs alone.
func inUse() (processes int, bytes uint64, err error) {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return 0, 0, err
	}
	for _, name := range names {
		if first := name.Name()[0]; first < '0' || first > '9' {
			continue
		}
		processes++
		text, err := os.ReadFile("/proc/" + name.Name() + "/statm")
		if err != nil {
			continue // it has ended
		}
		var size, resident, shared uint64
		if _, err := fmt.Sscan(string(text), &size, &resident, &shared); err == nil && resident > shared {
			bytes += (resident - shared) * uint64(os.Getpagesize())
		}
	}
	return processes, bytes, nil
}
