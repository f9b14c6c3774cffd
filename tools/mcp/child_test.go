package mcp_test

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/userstate"
)

// newChild makes a child of the test's own program.
func newChild(t *testing.T, env map[string]string, secrets ...string) *mcp.Child {
	t.Helper()
	state, err := userstate.OpenState(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := mcp.NewChild(mcp.ChildOptions{
		Name: "child", State: state, Shell: shelltest.New(), Version: "test",
		Start: func() (mcp.Start, error) {
			if env == nil {
				return mcp.Start{}, errors.New("there is no program")
			}
			return mcp.Start{Argv: []string{self}, Env: env, Dir: t.TempDir(), Secrets: secrets}, nil
		},
	})
	t.Cleanup(c.Close)
	return c
}

// TestAChildIsCalled: it starts at its first call, again after it was stopped, and shows no secret.
func TestAChildIsCalled(t *testing.T) {
	c := newChild(t, map[string]string{fakeMode: "results", "TOKEN": "quite-secret"}, "quite-secret")
	if name, version, err := c.Serves(t.Context()); name != "fake" || version != "1" || err != nil {
		t.Errorf("%s %s %v", name, version, err)
	}
	for range 2 {
		texts, failed, err := c.Call(t.Context(), "secret", struct{}{})
		if err != nil || failed || len(texts) != 1 || texts[0] != "it is [secret]" {
			t.Errorf("%q %t %v", texts, failed, err)
		}
		c.Stop()
	}
	if texts, failed, err := c.Call(t.Context(), "failed", struct{}{}); err != nil || !failed || len(texts) != 0 {
		t.Errorf("%q %t %v", texts, failed, err)
	}
	c.Close()
	if _, _, err := c.Call(t.Context(), "secret", struct{}{}); err == nil {
		t.Error("it is called after its end")
	}
}

// TestAChildThatDoesNotStart says why, as it said it itself.
func TestAChildThatDoesNotStart(t *testing.T) {
	c := newChild(t, map[string]string{fakeMode: "exits"})
	if _, _, err := c.Call(t.Context(), "any", struct{}{}); err == nil || !strings.Contains(err.Error(), "ended with status 3") || !strings.Contains(c.Said(), "no license") {
		t.Errorf("%v; it said %q", err, c.Said())
	}
	if _, _, err := newChild(t, nil).Call(t.Context(), "any", struct{}{}); err == nil || !strings.Contains(err.Error(), "there is no program") {
		t.Error(err)
	}
}

// TestAChildIsStoppedWhileItStarts: Stop ends a start as well, and the next call begins another.
func TestAChildIsStoppedWhileItStarts(t *testing.T) {
	c := newChild(t, map[string]string{fakeMode: "mute"})
	for range 2 {
		ended := make(chan error, 1)
		go func() {
			_, _, err := c.Call(t.Context(), "any", struct{}{})
			ended <- err
		}()
		var err error
		for waits := true; waits; {
			c.Stop()
			select {
			case err = <-ended:
				waits = false
			default:
				runtime.Gosched()
			}
		}
		if err == nil || !strings.Contains(err.Error(), "was stopped while it started") {
			t.Error(err)
		}
	}
}
