//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"testing"
)

// `make demo` works for somebody who has nothing but a clone: it is run as it is, with the model server of the other
// tests.
func TestRealModelDemo(t *testing.T) {
	real := realEngine(t)
	c := exec.Command("./demo.sh")
	c.Env = append(os.Environ(), "OLLAMA_HOST="+real.host)
	c.SysProcAttr = ownGroup()
	t.Cleanup(func() { killGroup(c) })
	out, err := c.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Errorf("demo.sh: %v", err)
	}
}
