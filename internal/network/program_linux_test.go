package network

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Promise 9.
func TestProgramsOfflineHaveNoNetwork(t *testing.T) {
	own, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		n       *Network
		offline bool
	}{{nil, true}, {New(true, nil), true}, {New(false, nil), false}} {
		cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "readlink /proc/self/ns/net; cat /proc/net/dev")
		var out bytes.Buffer
		cmd.Stdout = &out
		err := test.n.Start(cmd)
		if err == nil {
			err = cmd.Wait()
		} else if test.offline && errors.Is(err, ErrOffline) && strings.Contains(err.Error(), "so it was not started") {
			t.Logf("it does not start here: %v", err)
			continue
		}
		if shared := strings.Contains(out.String(), own); err != nil || shared == test.offline || test.offline && strings.Contains(out.String(), "eth") {
			t.Errorf("offline %t: %v\n%s", test.offline, err, out.String())
		}
	}
}

// What is missing is said as it is.
func TestAMissingProgramIsMissing(t *testing.T) {
	n := New(true, nil)
	if err := n.Start(exec.CommandContext(t.Context(), "no-such-program-of-assent")); !errors.Is(err, exec.ErrNotFound) || errors.Is(err, ErrOffline) {
		t.Error(err)
	}
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "true")
	cmd.Dir = "/no/such/folder"
	if err := n.Start(cmd); err == nil || errors.Is(err, ErrOffline) {
		t.Error(err)
	}
}
