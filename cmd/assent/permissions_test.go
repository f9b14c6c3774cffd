package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/policy"
)

// permits writes the user's permissions file.
func (s *user) permits(text string) {
	s.t.Helper()
	dir, err := os.UserConfigDir()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "assent"), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "assent", "permissions.json"), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func TestPermissions(t *testing.T) {
	s := newUser(t, "")
	s.grantEdits()
	s.permits("{\n\"deny\": [{\"paths\": [\"secret/\"]}],\n\"allow\": [{\"command\": \"go test **\"}]}")
	p := policy.New(s.state())
	g := p.Grants()[0]
	p.Ran(p.Decide(policy.Request{Tool: "edit_file", Effect: "edits", Caller: policy.Model, Paths: []string{"a"}, Workspace: g.Workspace}))
	p.Flush()
	out, _, status := s.run("permissions", "--workspace", s.root)
	for _, want := range []string{
		"permissions.json:2  deny all calls on secret/, never matched\n", "permissions.json:3  allow all calls `go test **`, never matched\n",
		g.ID + "  allow edit_file (edits) in " + s.root, "given in ask.chat.md, matched 1 times, last ",
	} {
		if !strings.Contains(out, want) || status != 0 {
			t.Errorf("%q is not in %s", want, out)
		}
	}
	if again, notes, _ := s.run("grants"); !strings.Contains(again, g.ID) || !strings.Contains(notes, "`assent grants` is now `assent permissions`") {
		t.Errorf("%s%s", again, notes)
	}
	if _, notes, status := s.run("permissions", "revoke", "nothing"); status == 0 || !strings.Contains(notes, "no such grant") {
		t.Errorf("%d: %s", status, notes)
	}
	if _, notes, status := s.run("permissions", "revoke", g.ID); status != 0 || len(policy.New(s.state()).Grants()) != 0 {
		t.Errorf("%d: %s", status, notes)
	}
}

// A check says what would be decided, runs nothing and writes nothing.
func TestPermissionsCheck(t *testing.T) {
	s := newUser(t, "")
	s.permits(`{"deny":[{"paths":["secret/"]},{"command":"rm **"}],"ask":[{"tool":"get_time"}],"allow":[{"tool":"write_file","paths":["out/**"]}]}`)
	for name, text := range map[string]string{"secret/key": "x", "AGENTS.md": "Rules.\n", ".vscode/settings.json": "{}", ".assent/permissions.json": `{"allow":[{"tool":"*"}]}`} {
		file := filepath.Join(s.root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	before := everything(t, s.root) + everything(t, os.Getenv("XDG_STATE_HOME"))
	calls := []struct{ call, ask, edits, plan string }{
		{`{"tool":"read_file","arguments":{"path":"README.md"}}`, "allow", "allow", "allow"},
		{`{"tool":"read_file","arguments":{"path":"secret/key"}}`, "deny", "deny", "deny"},
		{`{"tool":"edit_file","arguments":{"path":"README.md","old_text":"Helo","new_text":"Hello"}}`, "ask", "allow", "deny"},
		{`{"tool":"write_file","arguments":{"path":"out/a.txt","content":"x"}}`, "allow", "allow", "deny"},
		{`{"tool":"write_file","arguments":{"path":".env","content":"x"}}`, "ask", "ask", "deny"},
		{`{"tool":"run_command","arguments":{"command":"touch owned && rm x"}}`, "deny", "deny", "deny"},
		{`{"tool":"run_command","arguments":{"command":"touch 'owned too' | tee $X"}}`, "ask", "ask", "deny"},
		{`{"tool":"get_time"}`, "ask", "ask", "ask"},
		{`{"tool":"write_file","arguments":{"path":"AGENTS.md","content":"x"}}`, "ask", "ask", "deny"},
		{`{"tool":"edit_file","arguments":{"path":"AGENTS.md","old_text":"Rules","new_text":"Orders"}}`, "ask", "ask", "deny"},
		{`{"tool":"write_file","arguments":{"path":"README.md","content":"x"}}`, "ask", "allow", "deny"},
		{`{"tool":"ask_user","arguments":{"question":"Which one?"}}`, "ask", "ask", "ask"},
		{`{"tool":"nothing","arguments":{}}`, "deny", "deny", "deny"},
		{`{"tool":"read_file","arguments":{"paths":1}}`, "deny", "deny", "deny"},
	}
	for _, c := range calls {
		s.input += c.call + "\n\n"
	}
	for mode, want := range map[string]func(int) string{
		"ask": func(i int) string { return calls[i].ask }, "edits": func(i int) string { return calls[i].edits }, "plan": func(i int) string { return calls[i].plan },
	} {
		out, notes, status := s.run("permissions", "check", "--mode", mode, "--workspace", s.root)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if status != 0 || len(lines) != len(calls) {
			t.Fatalf("%d: %s%s", status, out, notes)
		}
		for i, line := range lines {
			if !strings.HasPrefix(line, `{"decision":"`+want(i)+`"`) || !strings.Contains(line, `"reason":"`) {
				t.Errorf("mode %s: %s: %s", mode, calls[i].call, line)
			}
		}
		if parts := `"parts":[{"argv":["touch","owned"]},{"joint":"&&","argv":["rm","x"]}]`; !strings.Contains(lines[5], parts) || strings.Contains(lines[6], "parts") {
			t.Errorf("%s\n%s", lines[5], lines[6])
		}
		if !strings.Contains(lines[5], `"rule":"deny all calls `+"`rm **`"+`, in your permissions file"`) {
			t.Errorf("%s", lines[5])
		}
	}
	if after := everything(t, s.root) + everything(t, os.Getenv("XDG_STATE_HOME")); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	for _, bad := range []string{"{", `{"tool":"a","args":{}}`, `{"arguments":{}}`, `{"tool":"a"} x`, "[]"} {
		s.input = `{"tool":"get_time"}` + "\n" + bad
		if out, notes, status := s.run("permissions", "check", "--workspace", s.root); status != exitUsage || !strings.Contains(notes, "line 2 is no call") || strings.Count(out, "\n") != 1 {
			t.Errorf("%s: %d: %s%s", bad, status, out, notes)
		}
	}
}

// A rule that allows a tool by its name is about a tool of the user's own; it is about none of a workspace, and no
// wildcard is about either.
// F13.
func TestARuleThatNamesAToolOfTheUser(t *testing.T) {
	s := newUser(t, "")
	const tool = `{"description": "Counts.", "command": ["wc", "-l"], "sandbox": false}`
	for _, file := range []string{filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent", "tools", "count_lines.json"), filepath.Join(s.root, ".assent", "tools", "theirs.json")} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(tool), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if _, notes, status := s.run("trust", "--yes", s.root); status != 0 {
		t.Fatal(notes)
	}
	for rules, want := range map[string]string{
		`{"allow":[{"tool":"count_lines"}]}`:                       "allow ask",
		`{"allow":[{"tool":"count_lines","origin":"the user"}]}`:   "allow ask",
		`{"allow":[{"tool":"*"}]}`:                                 "ask ask",
		`{"allow":[{"effect":"calls"}]}`:                           "ask ask",
		`{"allow":[{"tool":"theirs"}]}`:                            "ask ask",
		`{"allow":[{"tool":"theirs","origin":"the workspace"}]}`:   "ask allow",
		`{"allow":[{"tool":"count_lines","origin":"server x"}]}`:   "ask ask",
		`{"allow":[{"tool":"Count_Lines"}]}`:                       "ask ask",
		`{"deny":[{"tool":"*"}],"allow":[{"tool":"count_lines"}]}`: "deny deny",
	} {
		s.permits(rules)
		s.input = `{"tool":"count_lines"}` + "\n" + `{"tool":"theirs"}`
		out, notes, status := s.run("permissions", "check", "--workspace", s.root)
		var got []string
		for line := range strings.Lines(out) {
			decision, _, _ := strings.Cut(strings.TrimPrefix(line, `{"decision":"`), `"`)
			got = append(got, decision)
		}
		if status != 0 || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s: %s%s", rules, got, want, out, notes)
		}
	}
}

// everything is all that is in a folder, if there is one.
func everything(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // there may be no folder yet
		}
		data, err := os.ReadFile(path)
		all.WriteString(path + " " + string(data) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
