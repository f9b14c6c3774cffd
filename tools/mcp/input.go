package mcp

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// input is the standard input of a server. One that does not read what is sent to it is given up: a write that never
// ends would hold up every other one.
type input struct {
	*os.File

	limit time.Duration // of one message
	stuck atomic.Bool   // it did not read one in time
	gone  atomic.Bool   // nobody can read any more
	stop  func()        // ends the server
}

// Write implements io.Writer.
func (i *input) Write(p []byte) (int, error) {
	if err := i.SetWriteDeadline(time.Now().Add(i.limit)); err != nil {
		return 0, err
	}
	n, err := i.File.Write(p)
	if err != nil {
		if os.IsTimeout(err) {
			i.stuck.Store(true)
		}
		if errors.Is(err, syscall.EPIPE) {
			i.gone.Store(true)
		}
		go i.stop() // part of a message may be written: no other can follow it
	}
	return n, err
}
