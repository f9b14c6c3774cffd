package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assent-ls/assent/internal/settings"
)

// settled is a user whose file, workspace, environment, chat and flags say something.
func settled(t *testing.T) (s *user, args []string) {
	t.Helper()
	s = newUser(t, "")
	s.settings(`{"temperature":0.7,"maxSteps":9,"mode":"edits"}`)
	s.write(".assent/settings.json", `{"maxSteps":3,"mode":"full","model":"theirs"}`)
	chat := s.write("mine.chat.md", "---\nmode: plan\ntop_k: 20\n---\n\n## You\n\nHi.\n")
	return s, []string{"settings", "--folder", s.root, "--chat", chat, "--temperature", "0.2"}
}

// Each setting is listed in its group, with where its value comes from and what that hides.
func TestSettingsInEffect(t *testing.T) {
	s, args := settled(t)
	out, notes, status := s.run(args...)
	if status != 0 || !strings.Contains(notes, "mode: a workspace may not set it") {
		t.Fatalf("status %d\n%s", status, notes)
	}
	lines := map[string]string{}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) > 1 && strings.HasPrefix(line, "  ") {
			lines[fields[0]] = strings.Join(fields[1:], " ")
		}
	}
	for name, want := range map[string]string{
		"temperature": "0.2 the command line over your settings file: 0.7",
		"maxSteps":    "3 the workspace's settings file over your settings file: 9",
		"mode":        "plan the front matter of the chat over your settings file: edits; the workspace's settings file: full",
		"model":       "theirs the workspace's settings file",
		"topK":        "20 the front matter of the chat",
		"seed":        "not set built in",
	} {
		if lines[name] != want {
			t.Errorf("%s: got %q, want %q", name, lines[name], want)
		}
	}
	if !strings.HasSuffix(lines["ollamaHost"], " the environment") {
		t.Errorf("ollamaHost: %q", lines["ollamaHost"])
	}
	for _, f := range settings.Fields() {
		if lines[f.Name] == "" {
			t.Errorf("%s is not listed", f.Name)
		}
	}
	last := -1
	for _, g := range settings.Groups() {
		at := strings.Index("\n"+out, "\n"+g.Title+"\n")
		if at <= last {
			t.Errorf("%q is at %d, after %d", g.Title, at, last)
		}
		last = at
	}
}

func TestSettingsAsJSON(t *testing.T) {
	s, args := settled(t)
	out, _, status := s.run(append(args, "--json", "temperature")...)
	const want = `{"name":"temperature","group":"Sampling","type":"number","value":0.2,"from":"flag","flag":"temperature","restart":false,` +
		`"overrides":[{"source":"userFile","set":true,"value":0.7},{"source":"builtIn","set":true,"value":null}],` +
		`"sources":[{"source":"chat","set":false,"value":null},{"source":"flag","set":true,"value":0.2},` +
		`{"source":"workspace","set":false,"value":null},{"source":"editor","set":false,"value":null},` +
		`{"source":"editorOptions","set":false,"value":null},{"source":"userFile","set":true,"value":0.7},` +
		`{"source":"builtIn","set":true,"value":null}]}` + "\n"
	if status != 0 || out != want {
		t.Errorf("status %d\n%s", status, out)
	}
	out, _, _ = s.run(append(args, "--json")...)
	n := 0
	for line := range strings.Lines(out) {
		n++
		if !json.Valid([]byte(line)) {
			t.Errorf("no JSON: %s", line)
		}
	}
	if n != len(settings.Fields()) {
		t.Errorf("%d lines", n)
	}
}

// With a name there is all that is known of a setting, and what each source says, the strongest first.
func TestOneSetting(t *testing.T) {
	s, args := settled(t)
	out, _, status := s.run(append(args, "mode")...)
	for _, want := range []string{
		"mode: plan, from the front matter of the chat\n", "How much runs without a question.", "  plan   ", "Nothing that changes anything.",
		"\n\nGroup ", "Runs and approval", "--mode", "the strongest first:\n  the front matter of the chat", "your settings file",
		"a workspace may not set it",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("there is no %q", want)
		}
	}
	if before, after, _ := strings.Cut(out, "the command line"); status != 0 || !strings.Contains(after, "your settings file") || !strings.Contains(before, "in effect") {
		t.Errorf("the order is wrong")
	}
	if t.Failed() {
		t.Log(out)
	}
	if out, _, _ := s.run("settings", "--folder", s.root, "sandbox"); !strings.Contains(out, "after a restart of the server") {
		t.Errorf("got\n%s", out)
	}
	if out, _, _ := s.run("settings", "--folder", s.root, "--trace-endpoint", "http://me:secret@host:1", "traceEndpoint"); strings.Contains(out, "secret") || !strings.Contains(out, "http://me:xxxxx@host:1") {
		t.Errorf("got\n%s", out)
	}
}

func TestASettingThatDoesNotExist(t *testing.T) {
	s := newUser(t, "")
	for name, want := range map[string]string{
		"temprature": `there is no setting "temprature", perhaps you mean temperature; `,
		"qqqq":       "there is no setting \"qqqq\"; `assent settings` lists all",
	} {
		if out, notes, status := s.run("settings", name); status != exitUsage || out != "" || !strings.Contains(notes, want) {
			t.Errorf("%s: status %d: %s%s", name, status, out, notes)
		}
	}
	if _, notes, status := s.run("settings", "--chat", "README.md"); status != exitUsage || !strings.Contains(notes, "is no chat") {
		t.Errorf("status %d: %s", status, notes)
	}
}
