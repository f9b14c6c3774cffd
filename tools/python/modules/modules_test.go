package modules_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/python/modules"
)

func TestTheTable(t *testing.T) {
	if len(modules.Allowed) != 23 {
		t.Errorf("%d modules", len(modules.Allowed))
	}
	seen := map[string]bool{}
	for _, m := range modules.Allowed {
		if m.Purpose == "" || seen[m.Name] || modules.Hint(m.Name) != "" {
			t.Errorf("%+v", m)
		}
		seen[m.Name] = true
	}
	for name := range modules.Hints() {
		if modules.May(name) {
			t.Errorf("there is a hint for %s, which is allowed", name)
		}
	}
}

func TestRefusal(t *testing.T) {
	for name, hint := range map[string]string{
		"os": "read_file", "os.path": "read_file", "subprocess": "run_command", "requests": "web_fetch", "sqlite3": "sql_select",
		"time": "get_time", "sys": "",
	} {
		text := modules.Refusal(name)
		if !strings.HasPrefix(text, "a program cannot import "+name+"; it may import only math, json, ") || !strings.Contains(text, hint) ||
			(hint == "") != strings.HasSuffix(text, "html.") {
			t.Errorf("%s: %s", name, text)
		}
	}
	if !modules.May("collections.abc") || modules.May("osx") {
		t.Error("what is below a module is not judged by it")
	}
}
