//go:build !unix

package terminal

import "os"

// canInterrupt is false: a Read that waits for a console ends with what is typed next.
const canInterrupt = false

func await(*os.File, *os.File) error { return nil }

// Resized does nothing: the size is asked for when it is needed.
func (t *Terminal) Resized(func()) (stop func()) { return func() {} }

// Suspend does nothing: consoles know no such thing.
func (t *Terminal) Suspend() {}
