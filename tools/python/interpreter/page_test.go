package interpreter_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/python/interpreter"
	"github.com/assent-ls/assent/tools/python/modules"
)

// The page of code mode names the modules that a program may import, and the limits that it has.
func TestThePageNamesModulesAndLimits(t *testing.T) {
	text, err := os.ReadFile("../../../docs/code-mode.md")
	if err != nil {
		t.Fatal(err)
	}
	thousands := func(n int) string {
		if n < 1000 {
			return fmt.Sprint(n)
		}
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	page, d := strings.Join(strings.Fields(string(text)), " "), interpreter.Default
	for _, want := range []string{
		"- Modules: " + modules.List() + ".",
		fmt.Sprintf(
			"- Limits: %.0f seconds of computing, %d MB of memory, %s bytes printed, %s calls, %d levels of recursion.",
			d.Time.Seconds(), d.Memory>>20, thousands(d.Output), thousands(d.Calls), d.Recursion,
		),
	} {
		if !strings.Contains(page, want) {
			t.Errorf("docs/code-mode.md does not say %q", want)
		}
	}
}
