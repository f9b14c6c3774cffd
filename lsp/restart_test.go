package lsp_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// A setting that the server reads only when it starts: whoever changes it is told so, once, and not of the others.
func TestARestartIsAskedFor(t *testing.T) {
	for said, assent := range map[string]map[string]any{
		"Restart the server of Assent: what you changed counts only then: sandbox.": nil,
		`{"settings":["sandbox"],"sentence":"Restart the server`:                    {"restart": true, "messages": true},
	} {
		synctest.Test(t, func(t *testing.T) { restartIsAskedFor(t, assent, said) })
	}
}

func restartIsAskedFor(t *testing.T, assent map[string]any, said string) {
	l := newLab(t, "", lsptest.Options{Assent: assent}, map[string]string{chat: "## You\n\nHi.\n"})
	defer l.Leave()
	mine := l.inConfig("settings.json", `{"maxSteps": 3, "sandbox": "auto"}`)
	l.Open(mine)
	told := func() int {
		synctest.Wait()
		all := l.Dump()
		for _, offered := range l.Editor.Own("assent/restart") {
			all += string(offered)
		}
		return strings.Count(all, said)
	}
	l.Replace(mine, "3", "4")
	l.Save(mine)
	if n := told(); n != 0 {
		t.Errorf("told %d times of a setting that counts at once", n)
	}
	l.Replace(mine, "auto", "off")
	l.Save(mine)
	l.Save(mine)
	if n := told(); n != 1 {
		t.Errorf("told %d times:\n%s", n, l.Dump())
	}
}
