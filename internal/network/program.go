package network

import (
	"fmt"
	"os"
	"os/exec"
)

// Start starts a program. Offline it has no network, not even that of this machine, or does not start: then the error
// is one sentence without its end, and wraps ErrOffline.
func (n *Network) Start(cmd *exec.Cmd) error {
	if !n.Offline() {
		return cmd.Start()
	}
	err := alone(cmd)
	if err == nil {
		err = cmd.Start()
	}
	if err != nil && !isMissing(cmd) {
		return fmt.Errorf("%w, and this system gives a program no network of its own (%w), so it was not started",
			ErrOffline, err)
	}
	return err
}

// isMissing reports whether there is no program or no folder to start it in, whatever network it would get.
func isMissing(cmd *exec.Cmd) bool {
	if cmd.Err != nil {
		return true
	}
	if _, err := os.Stat(cmd.Dir); cmd.Dir != "" && err != nil {
		return true
	}
	_, err := exec.LookPath(cmd.Path)
	return err != nil
}
