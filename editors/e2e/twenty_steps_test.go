//go:build e2e

package e2e

import (
	"errors"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/agenttest"
)

// TestTwentyStepsNvim (D4): an ordinary task of twenty steps stops a person at most five times in plain Neovim, where
// saving is theirs, from no rules, in mode ask, with the sandbox. After a restart, what they allowed holds, and covers
// nothing that goes beyond.
func TestTwentyStepsNvim(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		task := agenttest.TwentySteps()
		_, address := play(t, task.Steps+task.Beyond)
		files := maps.Clone(task.Files)
		files["first.chat.md"], files["second.chat.md"] = "## You\n\nMake the tests pass.\n", "## You\n\nAnd now the rest.\n"
		w := newWorld(t, address, files)
		needSandbox(w)

		first := newPerson(w, version, "first.chat.md", task, allowForLater)
		text := first.work("All tests pass.")
		t.Logf("%d stops:\n%s", len(first.stops), strings.Join(first.stops, "\n"))
		if len(first.stops) > 5 {
			t.Errorf("stopped %d times, and may 5 times", len(first.stops))
		}
		if strings.Count(text, "\nall passed\n[Exit status 0.]") != 2 || !strings.Contains(text, "\nmul is wrong\n[Exit status 1.]") {
			t.Errorf("the tests did not run as they should:\n%s", text)
		}
		nvimCommand(first.term, "wqa")

		second := newPerson(w, version, "second.chat.md", task, deny)
		before := map[string]string{}
		for name := range task.Files {
			before[name] = w.read(name)
		}
		text = second.work("That is all.")
		if diff := cmp.Diff(task.Asks, second.answers); diff != "" {
			t.Errorf("asked about (-want +got):\n%s\n%s", diff, text)
		}
		delete(before, "src/add.sh") // the one edit that was allowed
		for name, text := range before {
			if w.read(name) != text {
				t.Errorf("%s was changed", name)
			}
		}
	})
}

// needSandbox says where commands are not confined, as the program sees it: there each of them is asked about.
func needSandbox(w *world) {
	w.t.Helper()
	c := exec.Command(assentProgram(w.t), "doctor")
	c.Env, c.Dir = w.env, w.workspace
	out, err := c.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		w.t.Fatal(err)
	}
	if sentence, _, _ := strings.Cut(string(out), "\n"); !strings.HasPrefix(sentence, "ok ") {
		w.t.Skipf("NOT TESTED: no sandbox here: %s", sentence)
	}
}

// allowForLater takes the narrowest offer that says "Always", or else "in this chat".
func allowForLater(titles []string) int {
	at := slices.IndexFunc(titles, func(title string) bool { return strings.HasPrefix(title, "Always allow") })
	if at < 0 {
		at = slices.IndexFunc(titles, func(title string) bool { return strings.HasSuffix(title, "in this chat") })
	}
	return at
}

func deny(titles []string) int { return slices.Index(titles, "Deny") }
