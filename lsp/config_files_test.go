package lsp_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/tools/policy"
)

// inConfig is a file of the user's configuration folder, as the fake editor names it.
func (l *lab) inConfig(name, text string) string {
	l.T.Helper()
	path := filepath.Join(l.config, name)
	l.must(os.WriteFile(path, []byte(text), 0o600))
	rel, err := filepath.Rel(l.Dir, path)
	l.must(err)
	return rel
}

func (l *lab) waitDiagnosed(name, text string) {
	l.T.Helper()
	l.WaitFor(text, func() bool {
		return slices.ContainsFunc(l.Diagnostics(name), func(d protocol.Diagnostic) bool { return strings.Contains(d.Message, text) })
	})
}

// Row 32 of the faults for settings: what is wrong has its place, what was good stays in force, and what is saved
// counts at once.
func TestSettingsAreServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\nhang\n", lsptest.Options{}, map[string]string{
			".assent/settings.json": "{\n  \"ollamaHost\": \"http://evil.example\",\n  \"maxSteps\": 3\n}\n",
		})
		defer l.Leave()
		mine := l.inConfig("settings.json", "{\n  \"maxSteps\": 7\n}\n")
		l.Open(mine)
		l.Open(".assent/settings.json")
		l.waitDiagnosed(".assent/settings.json", "ollamaHost: a workspace may not set it")
		if d := l.Diagnostics(".assent/settings.json")[0]; d.Range.Start.Line != 1 || d.Severity != protocol.DiagnosticSeverityError {
			t.Errorf("%+v", d)
		}
		var list protocol.CompletionList
		at := map[string]any{"textDocument": map[string]any{"uri": "file://" + filepath.Join(l.Dir, mine)}, "position": protocol.Position{Line: 1, Character: 2}}
		l.must(l.Editor.Call("textDocument/completion", at, &list))
		if !slices.ContainsFunc(list.Items, func(i protocol.CompletionItem) bool { return i.Label == "logLevel" && i.TextEdit != nil }) {
			t.Errorf("offered: %+v", list.Items)
		}
		var hover protocol.Hover
		at["position"] = protocol.Position{Line: 1, Character: 5}
		l.must(l.Editor.Call("textDocument/hover", at, &hover))
		if !strings.Contains(hover.Contents.Value, "How many replies") {
			t.Errorf("the hover says %q", hover.Contents.Value)
		}
		l.Replace(mine, "7", "\"many\"")
		l.waitDiagnosed(mine, `maxSteps: "many" is not a whole number.`)
		l.Replace(mine, "\"many\"", "2, \"maxSteps\": 999")
		l.waitDiagnosed(mine, `the key "maxSteps" stands here twice`)
		l.Replace(mine, "2, \"maxSteps\": 999", "2")
		l.Save(mine)
		l.waitDiagnosed(".assent/settings.json", "a workspace may only lower it from 2, not raise it to 3")
		l.Close(mine)
	})
}

// S24: a file of tools says that it does not count, is trusted as it is on disk and not otherwise, and asks again
// when it changes.
// Promise 6.
func TestTrustIsGivenOnTheFileItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const tool = ".assent/tools/hello.json"
		l := newLab(t, "turn\nhang\n", lsptest.Options{}, map[string]string{tool: "{\"command\": [\"hello\"]}\n"})
		defer l.Leave()
		l.Open(tool)
		l.waitDiagnosed(tool, "counts until you trust this file")
		titles := l.Titles(tool, "hello")
		if len(titles) < 2 || titles[0] != "Show what is new in this file" || titles[1] != "Trust this file" {
			t.Errorf("the menu is %q", titles)
		}
		l.must(l.Do(tool, "hello", "Show what is new"))
		shown := l.Shown()
		diff, err := os.ReadFile(strings.TrimPrefix(string(shown[len(shown)-1].URI), "file://"))
		if err != nil || !strings.Contains(string(diff), `+{"command": ["hello"]}`) {
			t.Errorf("shown: %q, %v", diff, err)
		}
		l.Type(tool, "// not saved\n")
		if err := l.Do(tool, "hello", "Trust this file"); err == nil || !strings.Contains(err.Error(), "what is on disk counts") {
			t.Errorf("a text that nobody saved was trusted: %v", err)
		}
		l.Save(tool)
		l.must(l.Do(tool, "hello", "Trust this file"))
		l.WaitFor("no diagnostics", func() bool { return len(l.Diagnostics(tool)) == 0 })
		l.Replace(tool, "hello", "other")
		l.Save(tool)
		l.waitDiagnosed(tool, "changed since you trusted it")
		l.must(l.Do(tool, "other", "Trust this file"))
		l.must(l.Do(tool, "other", "Take back the trust"))
		l.waitDiagnosed(tool, "counts until you trust this file")
		for _, command := range []string{"assent.trustFile", "assent.distrustFile", "assent.showNew"} {
			for _, arguments := range [][]any{nil, {map[string]any{}}, {map[string]any{"uri": "file://" + l.Dir + "/README.md"}}, {map[string]any{"uri": "file://" + l.Dir + "/.assent/tools/closed.json"}}} {
				if _, err := l.Execute(command, arguments...); err == nil {
					t.Errorf("%s did something without an open file that is meant: %v", command, arguments)
				}
			}
		}
	})
}

// S02 for rules: those of a workspace allow nothing, and forbid only once they are trusted; those of the user count
// when they are saved.
func TestPermissionsAreServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rules = ".assent/permissions.json"
		l := newLab(t, "turn\n"+theEdit+"turn\nsay: Denied, then.\n", lsptest.Options{}, map[string]string{
			"README.md": "Helo\n", chat: "## You\n\nIn README.md: Fix it.\n",
			rules: "{\n  \"allow\": [{\"tool\": \"edit_file\"}],\n  \"deny\": [{\"tool\": \"edit_file\", \"note\": \"hands off\"}]\n}\n",
		})
		defer l.Leave()
		l.Open(rules)
		l.waitDiagnosed(rules, "counts until you trust this file")
		l.waitDiagnosed(rules, "a workspace's file allows nothing")
		mine := l.inConfig("permissions.json", "{\n  \"allow\": [\n    {\"tool\": \"edit_file\", \"paths\": [\"**\"]},\n  ]\n}\n")
		l.Open(mine)
		titles := l.Titles(mine, "edit_file")
		if !slices.Equal(titles, []string{"Narrow to edit_file on *", "Revoke: allow edit_file on **", "Show what you always allow"}) {
			t.Errorf("the menu is %q", titles)
		}
		l.must(l.Do(rules, "allow", "Trust this file"))
		l.Open(chat)
		l.must(l.Do(chat, "Fix it", "Send"))
		l.WaitText(chat, "Denied, then.")
		if text := l.Text(chat); !strings.Contains(text, "hands off") {
			t.Errorf("the rule of the trusted file did not forbid:\n%s", text)
		}
		said := ""
		for range 500 { // calls are counted in the background
			var hover protocol.Hover
			l.must(l.Editor.Call("textDocument/hover", map[string]any{
				"textDocument": map[string]any{"uri": "file://" + filepath.Join(l.Dir, rules)}, "position": protocol.Position{Line: 2, Character: 20},
			}, &hover))
			if said = hover.Contents.Value; strings.Contains(said, "Matched 1 call") {
				break
			}
			<-time.After(10 * time.Millisecond)
		}
		if !strings.Contains(said, "Matched 1 call, less than a minute ago.") || !strings.Contains(said, "The name of a tool") {
			t.Errorf("the hover says %q", said)
		}
		l.must(l.Do(mine, "edit_file", "Revoke"))
		l.Save(mine)
		if text := l.Text(mine); strings.Contains(text, "edit_file") {
			t.Errorf("it is still there:\n%s", text)
		}
	})
}

// What was always allowed is listed in its file, and revoked there at once.
func TestWhatWasAlwaysAllowedIsRevokedInItsFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\n"+theEdit+"turn\nsay: Done.\n", lsptest.Options{}, story())
		defer l.Leave()
		if _, err := l.Execute("assent.showPermissions"); err == nil || !strings.Contains(err.Error(), "you have allowed nothing for good") {
			t.Errorf("it shows nothing as %v", err)
		}
		l.Open(chat)
		l.must(l.Do(chat, "Fix it", "Send"))
		l.waitDiagnostic(waits)
		l.must(l.Do(chat, "edit_file", "Always allow edit_file in this workspace"))
		l.WaitText(chat, "Done.")
		_, err := l.Execute("assent.showPermissions")
		l.must(err)
		shown := l.Shown()
		file, err := filepath.Rel(l.Dir, strings.TrimPrefix(string(shown[len(shown)-1].URI), "file://"))
		l.must(err)
		l.Open(file)
		if titles := l.Titles(file, "edit_file"); len(titles) == 0 || titles[0] != "Revoke: allow edit_file (edits)" {
			t.Errorf("the menu is %q", titles)
		}
		if _, err := l.Execute("assent.revoke"); err == nil {
			t.Error("something was revoked that nobody named")
		}
		l.must(l.Do(file, "edit_file", "Revoke"))
		l.waitDiagnosed(file, "This does not count: it was revoked")
		if grants := policy.New(l.state).Grants(); len(grants) > 0 {
			t.Errorf("there is still %v", grants)
		}
		if titles := l.Titles(file, "edit_file"); slices.ContainsFunc(titles, func(title string) bool { return strings.HasPrefix(title, "Revoke") }) {
			t.Errorf("the menu is still %q", titles)
		}
	})
}

// A12: trust is of one folder and one file, by whatever URI and in whatever set of folders.
func TestTrustDoesNotPassToAnotherFolderOfTheEditor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rules = ".assent/permissions.json"
		l := newLab(t, "turn\nhang\n", lsptest.Options{}, map[string]string{rules: "{\"deny\": [{\"tool\": \"*\"}]}\n", "--approve-all/" + rules: "{\"deny\": [{\"tool\": \"*\"}]}\n"})
		defer l.Leave()
		inner := "--approve-all/" + rules
		l.must(l.Editor.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{
			"added": []any{map[string]string{"uri": "file://" + l.Dir + "/--approve-all", "name": "--approve-all"}}, "removed": []any{},
		}}))
		l.Open(rules)
		l.Open(inner)
		l.waitDiagnosed(inner, "until you trust this file")
		l.must(l.Do(rules, "deny", "Trust this file"))
		l.WaitFor("trust in one", func() bool { return len(l.Diagnostics(rules)) == 0 })
		l.Save(inner)
		l.waitDiagnosed(inner, "until you trust this file")
		for _, uri := range []string{
			l.Dir + "/x/..%2f..%2fpermissions.json", l.Dir + "/..%2f" + filepath.Base(l.Dir) + "2/" + rules, l.Dir + "%00/" + rules, "/etc/passwd",
		} {
			if _, err := l.Execute("assent.trustFile", map[string]any{"uri": "file://" + uri}); err == nil {
				t.Errorf("%s was trusted", uri)
			}
		}
		if _, err := l.Execute("assent.trustFolder", map[string]any{"uri": "file://" + l.Dir}); err != nil {
			t.Error(err)
		}
		l.Save(inner)
		l.waitDiagnosed(inner, "until you trust this file") // trust in a folder starts and allows nothing
	})
}

// The rules of a permissions file know the tools and the origins that there are: those of the user's own, too, before
// anything was sent.
func TestAPermissionsFileKnowsTheTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\nhang\n", lsptest.Options{}, nil)
		defer l.Leave()
		l.must(os.MkdirAll(filepath.Join(l.config, "tools"), 0o700))
		l.inConfig("tools/count_lines.json", `{"description": "Counts.", "command": ["/bin/wc"]}`)
		mine := l.inConfig("permissions.json", "{\"allow\": [{\"tool\": \"count_lines\"},\n{\"tool\": \"count_line\"},\n{\"tool\": \"edit_file\"},\n{\"tool\": \"x\", \"origin\": \"the usr\"}],\n\"deny\": [{\"effect\": \"edits\"}]}\n")
		l.Open(mine)
		l.waitDiagnosed(mine, `There is no tool "count_line": perhaps you mean "count_lines".`)
		l.waitDiagnosed(mine, `No tool has the origin "the usr": perhaps you mean "the user".`)
		l.waitDiagnosed(mine, `The rule allows nothing: "all that edits" in "deny" covers it.`)
		if all := l.Diagnostics(mine); len(all) != 3 {
			t.Errorf("%+v", all)
		}
		for at, want := range map[protocol.Position]string{{Line: 1, Character: 12}: `"count_lines"`, {Line: 3, Character: 28}: `"the user"`} {
			var list protocol.CompletionList
			where := map[string]any{"textDocument": map[string]any{"uri": "file://" + filepath.Join(l.Dir, mine)}, "position": at}
			l.must(l.Editor.Call("textDocument/completion", where, &list))
			if !slices.ContainsFunc(list.Items, func(i protocol.CompletionItem) bool { return i.Label == want }) {
				t.Errorf("%s is not offered: %+v", want, list.Items)
			}
		}
		l.Close(mine)
	})
}
