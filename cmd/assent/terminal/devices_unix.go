//go:build unix

package terminal

import "os"

// devices opens the controlling terminal of this process, for reading and for showing.
func devices() (in, out *os.File, err error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	return tty, tty, err
}
