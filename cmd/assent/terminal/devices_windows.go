package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// devices opens the console of this process, for reading and for showing.
func devices() (in, out *os.File, err error) {
	if in, err = os.OpenFile("CONIN$", os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	if out, err = os.OpenFile("CONOUT$", os.O_RDWR, 0); err != nil {
		_ = in.Close() // nothing was read
		return nil, nil, err
	}
	return in, out, nil
}

// discard throws away what was typed and not yet read.
func discard(in *os.File) error { return windows.FlushConsoleInputBuffer(windows.Handle(in.Fd())) }
