//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"syscall"

	"github.com/assent-ls/assent/tools/sandbox/probe"
)

var errByHand = errors.New("a sandbox is made by Assent itself, never by hand")

// Help is the main function of a process of the sandbox: args say which. It does not return if it has done its work; an
// error is a sentence that says why it could not.
func Help(args []string) error {
	if len(args) != 2 {
		return errByHand
	}
	var status int
	var err error
	switch args[0] {
	case wordFirst:
		status, err = first(args[1])
	case wordProbe:
		err = probe.Main(args[1])
	default:
		err = errByHand
	}
	if err != nil {
		return err
	}
	syscall.Exit(status) // os.Exit takes a second where the race detector is
	return nil
}
