//go:build unix

package terminal

import (
	"errors"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	canInterrupt = true
	maxSelected  = 1024 // descriptors that select takes
)

// await returns when there is something to read, or with ErrInterrupted when there is something in interrupts. Poll
// does not know terminals on macOS, so this is select.
func await(in, interrupts *os.File) error {
	typed, stop := int(in.Fd()), int(interrupts.Fd())
	if max(typed, stop) >= maxSelected {
		return nil
	}
	for {
		var ready unix.FdSet
		ready.Set(typed)
		ready.Set(stop)
		_, err := unix.Select(max(typed, stop)+1, &ready, nil, nil, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return err
		case ready.IsSet(stop):
			return ErrInterrupted
		default:
			return nil
		}
	}
}

// Resized calls do whenever the size of the screen changes, until stop is called.
func (t *Terminal) Resized(do func()) (stop func()) {
	changes, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(changes, syscall.SIGWINCH)
	go func() {
		for {
			select {
			case <-changes:
				do()
			case <-over:
				return
			}
		}
	}()
	return func() {
		signal.Stop(changes)
		close(over)
	}
}

// Suspend stops the program, and those that it started, until the person continues them.
func (t *Terminal) Suspend() {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	if syscall.Kill(0, syscall.SIGTSTP) != nil {
		return
	}
	select {
	case <-continued:
	case <-time.After(time.Second): // of this program's time: whoever has no shell is not stopped
	}
}
