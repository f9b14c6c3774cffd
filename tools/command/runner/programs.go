package runner

import (
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/assent-ls/assent/tools/command"
)

// programs are those that run for a line. They get the signal that ends the line from here alone, once it is sure that
// no other will be started: a program that ends by it never makes the next part begin.
type programs struct {
	mu    sync.Mutex
	asked bool          // to end
	told  chan struct{} // closed then
	run   []*os.Process
}

func newPrograms() *programs { return &programs{told: make(chan struct{})} }

// stop passes a signal on to the programs that run, and lets no other begin.
func (p *programs) stop(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.asked {
		p.asked = true
		close(p.told)
	}
	for _, process := range p.run {
		pass(process, s)
	}
}

// stopped reports whether the line was asked to end.
func (p *programs) stopped() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked
}

// start starts a program, or nothing if the line was asked to end.
func (p *programs) start(file string, part command.Part, s streams) (*os.Process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked {
		return nil, errStopped
	}
	process, err := os.StartProcess(
		file, command.Hardened(part.Argv), &os.ProcAttr{Dir: part.In, Env: environ(part), Files: s[:], Sys: ownGroup()},
	)
	if err == nil {
		p.run = append(p.run, process)
	}
	return process, err
}

// wait waits for a program, and returns its status.
func (p *programs) wait(process *os.Process) (status int) {
	ended(process)
	p.mu.Lock()
	p.run = slices.DeleteFunc(p.run, func(other *os.Process) bool { return other == process })
	status = wait(process) // its number may belong to another from now on
	p.mu.Unlock()
	if slices.Contains(endings, syscall.Signal(status-128)) {
		// Until a program has its own group it gets the signal of this process's, of which this process may hear a
		// moment later.
		select {
		case <-p.told:
		case <-time.After(hearing):
		}
	}
	return status
}

// endings are the signals that ask a line to end.
var endings = []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM}

// hearing is more than it takes until this process hears of a signal that it has.
const hearing = 100 * time.Millisecond
