package runner

import (
	"os"
	"slices"
	"sync"
	"syscall"
)

// programs are those that run for a line. They get the signal that ends the line from here alone, once it is sure that no other
// will be started: a program that ends by it never makes the next part begin.
type programs struct {
	mu    sync.Mutex
	asked bool // to end
	run   []*os.Process
}

// stop passes a signal on to the programs that run, and lets no other begin.
func (p *programs) stop(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = true
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
func (p *programs) start(file string, argv []string, s streams) (*os.Process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked {
		return nil, errStopped
	}
	process, err := os.StartProcess(file, argv, &os.ProcAttr{Files: s[:], Sys: apart()})
	if err == nil {
		p.run = append(p.run, process)
	}
	return process, err
}

// wait waits for a program, and returns its status.
func (p *programs) wait(process *os.Process) (status int) {
	ended(process)
	p.mu.Lock()
	defer p.mu.Unlock() // its number may belong to another once it is waited for
	p.run = slices.DeleteFunc(p.run, func(other *os.Process) bool { return other == process })
	return wait(process)
}
