package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestToolsAreListedAndShown(t *testing.T) {
	s := newUser(t, "")
	out, notes, status := s.run("tools", "list", "--folder", s.root)
	if status != 0 || notes != "" || !strings.Contains(out, "edit_file") || !strings.Contains(out, "It changes a file.") {
		t.Errorf("status %d: %s%s", status, out, notes)
	}
	out, notes, status = s.run("tools", "--folder", s.root)
	if want := "edit_file           on, asks first\n    Replace old_text by new_text in a file that you have read.\n"; status != 0 || notes != "" || !strings.Contains(out, want) {
		t.Errorf("status %d: %s%s", status, out, notes)
	}
	out, _, status = s.run("tools", "show", "edit_file", "--folder", s.root)
	if _, schema, ok := strings.Cut(out, "{"); status != 0 || !ok || !json.Valid([]byte("{"+schema)) || !strings.Contains(out, "Replace old_text by new_text") {
		t.Errorf("status %d: %s", status, out)
	}
	if _, notes, status := s.run("tools", "show", "fly", "--folder", s.root); status != exitUsage || !strings.Contains(notes, `there is no tool "fly"`) {
		t.Errorf("status %d: %s", status, notes)
	}
}

// TestAToolByHandIsAskedAboutLikeAModels: what a model may do unasked a person may, too, and nothing else.
func TestAToolByHandIsAskedAboutLikeAModels(t *testing.T) {
	edit := `{"path":"README.md","old_text":"Helo","new_text":"Hello"}`
	for name, tt := range map[string]struct {
		args   []string
		input  string
		status int
		out    string
		notes  string
	}{
		"free":                     {[]string{"read_file", `{"path":"README.md"}`}, "", 0, "Helo\n", ""},
		"arguments from the input": {[]string{"read_file", "-"}, `{"path":"README.md"}`, 0, "Helo\n", ""},
		"without arguments":        {[]string{"get_time"}, "", 0, ":", ""},
		"a wrong path":             {[]string{"read_file", `{"path":"../x"}`}, "", 1, "outside", ""},
		"wrong arguments":          {[]string{"read_file", `{`}, "", exitUsage, "", "not valid JSON"},
		"no such tool":             {[]string{"red_file", `{}`}, "", exitUsage, "", "did you mean read_file?"},
		"an edit":                  {[]string{"edit_file", edit}, "y\n", exitUnanswered, "", "edit_file wants: README.md: this needs an answer"},
		"a command":                {[]string{"run_command", `{"command":"echo x > README.md"}`}, "y\n", exitUnanswered, "", "this needs an answer"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newUser(t, "")
			s.input = tt.input
			out, notes, status := s.run(append([]string{"tools", "run", "--folder", s.root}, tt.args...)...)
			if status != tt.status || !strings.Contains(out, tt.out) || !strings.Contains(notes, tt.notes) || s.readme() != "Helo\n" {
				t.Errorf("status %d: %q %q, README.md %q", status, out, notes, s.readme())
			}
		})
	}
}

// TestAToolByHandAsksAtTheTerminal edits with a yes, remembers an offer that was taken, and does nothing after a no.
func TestAToolByHandAsksAtTheTerminal(t *testing.T) {
	edit := func(from, to string) string {
		return `{"path":"README.md","old_text":"` + from + `","new_text":"` + to + `"}`
	}
	s := newUser(t, "")
	for _, step := range []struct {
		from, to, keys, want string
		status               int
	}{
		{"Helo", "evil", "n\n", "Helo\n", exitUnanswered},
		{"Helo", "Hello", "y\n", "Hello\n", 0},
	} {
		p := s.sitDown(nil, "tools", "run", "--folder", s.root, "edit_file", edit(step.from, step.to))
		p.sees("edit_file wants: README.md")
		p.sees(lastChoice)
		p.types(step.keys)
		if status, screen := p.leaves(); status != step.status || s.readme() != step.want {
			t.Errorf("%q: status %d, README.md %q:\n%s", step.keys, status, s.readme(), screen)
		}
	}
	out, _, _ := s.run("log")
	if !strings.Contains(out, "edit_file by person  denied") || !strings.Contains(out, "edit_file by person  ok") {
		t.Error(out)
	}
}

// TestToolsThatAWorkspaceSwitchesOff: it may take tools away, and neither give them back nor rename them.
func TestToolsThatAWorkspaceSwitchesOff(t *testing.T) {
	s := newUser(t, "")
	if err := os.Mkdir(filepath.Join(s.root, ".assent"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.file(".assent/settings.json", `{"toolsOff": ["calculator"], "toolNames": {"read_file": "evil"}}`)
	out, notes, status := s.run("tools", "list", "--folder", s.root, "--tools-off", "get_time", "--tool-names", "list_directory=ls")
	if status != 0 || strings.Contains(out, "calculator") || strings.Contains(out, "get_time") || !strings.Contains(out, "\nls ") || !strings.Contains(out, "read_file") {
		t.Errorf("status %d: %s", status, out)
	}
	if !strings.Contains(notes, "toolNames: a workspace may not set it") {
		t.Error(notes)
	}
	if out, _, status := s.run("tools", "run", "--folder", s.root, "calculator", `{"expression":"1+1"}`); status != 1 || !strings.Contains(out, "switched off in the settings") {
		t.Errorf("status %d: %s", status, out)
	}
	if out, _, status := s.run("tools", "run", "--folder", s.root, "--tool-names", "list_directory=ls", "ls", `{"path":"."}`); status != 0 || !strings.Contains(out, "README.md") {
		t.Errorf("status %d: %s", status, out)
	}
}

// TestToolsAreSwitched: in the user's file alone, and whoever does it is told what else decides.
func TestToolsAreSwitched(t *testing.T) {
	s := newUser(t, "")
	file := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent", "settings.json")
	for _, step := range []struct {
		args   []string
		status int
		says   string
		file   string // what is in the user's file then
		list   string // what `assent tools` prints then
	}{
		{[]string{"off", "calculator"}, 0, "calculator is off, in ", `"toolsOff": ["calculator"]`, "calculator          off, runs\n"},
		{[]string{"off", "calculator"}, 0, "calculator is off, in ", `"toolsOff": ["calculator"]`, "calculator          off, runs\n"},
		{[]string{"off", "edit_fil"}, exitUsage, "did you mean edit_file", `"toolsOff": ["calculator"]`, "edit_file           on, asks first\n"},
		{[]string{"off", "web_fetch"}, exitUsage, "by the setting webFetch", `"toolsOff": ["calculator"]`, "calculator          off"},
		{[]string{"on", "calculator", "--tools-off", "calculator"}, 1, "it stays off, by toolsOff in the command line", `"toolsOff": []`, "calculator          on, runs\n"},
		{[]string{"off", "run_command", "--tools-off", "calculator"}, 1, "it stays on: the list toolsOff in the command line comes before yours", `"toolsOff": ["run_command"]`, "run_command         off, asks first\n"},
		{[]string{"on", "run_command"}, 0, "run_command is on, in ", `"toolsOff": []`, "run_command         on, asks first\n"},
	} {
		_, notes, status := s.run(append([]string{"tools", "--folder", s.root}, step.args...)...)
		held, _ := os.ReadFile(file)
		out, _, _ := s.run("tools", "--folder", s.root)
		if status != step.status || !strings.Contains(notes, step.says) || !strings.Contains(string(held), step.file) || !strings.Contains(out, step.list) {
			t.Errorf("%v: status %d, %s\nthe file: %s\n%s", step.args, status, notes, held, out)
		}
	}
	if _, err := os.Stat(filepath.Join(s.root, ".assent", "settings.json")); err == nil {
		t.Error("the workspace has a settings file now")
	}
}

// TestToolsCountTheirCalls: how calls ended is in the list, and in each form of it.
func TestToolsCountTheirCalls(t *testing.T) {
	s := newUser(t, "")
	s.run("tools", "run", "--folder", s.root, "read_file", `{"path":"README.md"}`)
	s.run("tools", "run", "--folder", s.root, "read_file", `{"path":"../x"}`)
	out, _, _ := s.run("tools", "--folder", s.root)
	if !strings.Contains(out, "read_file           on, runs; 1 ran, 1 could not be read, ") {
		t.Error(out)
	}
	out, _, status := s.run("tools", "--json", "--folder", s.root, "--tools-off", "todo")
	for line := range strings.Lines(out) {
		var got struct {
			Name, By, Approval string
			On                 bool
			Ran, Wrong         int
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil || got.Name == "" {
			t.Fatal(line, err)
		}
		if got.Name == "read_file" && (got.Ran != 1 || got.Wrong != 1 || !got.On || got.Approval != "run") || got.Name == "todo" && (got.On || got.By != "flag") {
			t.Error(line)
		}
	}
	if strings.Count(out, "\n") < 10 || status != 0 {
		t.Errorf("status %d: %s", status, out)
	}
}
