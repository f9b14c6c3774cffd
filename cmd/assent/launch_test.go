package main

import (
	"os"
	"strings"
	"testing"
)

// What a launch changes is what the model gets, and the chat says so, once.
func TestFlagsForOneLaunch(t *testing.T) {
	s := newUser(t, `
turn
expect: Call them so.
expect: - read_file(
expect: <tool_call>
expect-not: edit_file
expect-not: You call a tool
say <tool_call>{"name": "read_file", "arguments": {"path": "README.md"}}</tool_call>
turn
expect-last: Helo
say It says Helo.
turn
expect-not: Call them so.
json {"answer":"Again."}
`)
	path := s.write("ask.chat.md", "## You\n\nWhat does it say?\n")
	args := []string{"--folder", s.root, "--tools", "read_file", "--tool-system-prompt", "Call them so.", "--legacy-tool-call-format", "hermes"}
	shown, notes, status := s.run(append([]string{"inspect", path}, args...)...)
	if status != 0 || !strings.Contains(shown, "note: override: ") || !strings.Contains(shown, "format of tool calls: hermes") || strings.Contains(shown, "edit_file") {
		t.Errorf("inspect: status %d\n%s%s", status, notes, shown)
	}
	out, notes, status := s.run(append([]string{"send", path}, args...)...)
	if status != 0 || !strings.Contains(out, "It says Helo.") {
		t.Fatalf("status %d\n%s%s", status, notes, out)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const said = "```context override not-sent\nThe flag --tool-system-prompt takes the place of the words that say how tools are called.\n" +
		"The flag --tools leaves only these tools: read_file.\nThe flag --legacy-tool-call-format has calls written in the format hermes.\n```\n"
	if !strings.Contains(string(raw), said) {
		t.Errorf("the chat is\n%s", raw)
	}
	s.write("ask.chat.md", string(raw)+"Again?\n") // the next launch is another one
	if out, notes, status := s.run("send", path, "--folder", s.root); status != 0 || !strings.Contains(out, "Again.") {
		t.Errorf("status %d\n%s%s", status, notes, out)
	}
	if n := s.model.Remaining(); n != 0 {
		t.Errorf("%d turns were not played", n)
	}
}

// The server itself tells a model with native calls how to call: the user's words would be none of its business, and
// the chat says so.
func TestNoWordsForNativeCalls(t *testing.T) {
	s := newUser(t, "turn\nexpect-not: Call them so.\nsay Hello.\n")
	path := s.write("ask.chat.md", "## You\n\nHi.\n")
	_, notes, status := s.run("send", path, "--folder", s.root, "--tool-format", "native", "--tool-system-prompt", "Call them so.")
	raw, _ := os.ReadFile(path)
	if status != 0 || !strings.Contains(string(raw), "so your words about that have no effect") {
		t.Errorf("status %d\n%s%s", status, notes, raw)
	}
}

func TestNoToolsAtAll(t *testing.T) {
	s := newUser(t, "turn\nexpect-not: read_file(\nsay Hello.\n")
	path := s.write("ask.chat.md", "## You\n\nHi.\n")
	_, notes, status := s.run("send", path, "--folder", s.root, "--tool-format", "text", "--tools", "")
	raw, _ := os.ReadFile(path)
	if status != 0 || !strings.Contains(string(raw), "The flag --tools leaves no tool.") {
		t.Errorf("status %d\n%s%s", status, notes, raw)
	}
}

// A mistake in a flag is told before anything is read, sent or written.
func TestMistakesInFlagsForOneLaunch(t *testing.T) {
	for want, args := range map[string][]string{
		`--tools: there is no tool "red_file", perhaps you mean read_file`:                       {"send", "--tools", "red_file,edit_file"},
		`there is no tool-call format "herms", perhaps you mean hermes, `:                        {"send", "--legacy-tool-call-format", "herms"},
		`--tool-call-primary, or toolCallPrimary in your settings: there is no tool-call format`: {"send", "--tool-call-primary", "pyton"},
		"in the format python tools are called by programs":                                      {"send", "--tool-call-primary", "code", "--python-execution", "--python-tool-calling=false"},
		"only text": {"send", "--tool-call-enabled", "text", "--tool-call-primary", "hermes"},
		`legacyToolCallFormat in your settings: there is no tool-call format "x", perhaps you`: {"inspect", "--legacy-tool-call-format", "x"},
	} {
		s := newUser(t, "")
		path := s.write("ask.chat.md", "## You\n\nHi.\n")
		_, notes, status := s.run(append(args, path, "--folder", s.root)...)
		raw, _ := os.ReadFile(path)
		if status != exitUsage || !strings.Contains(notes, want) || string(raw) != "## You\n\nHi.\n" || len(s.model.Requests()) > 0 {
			t.Errorf("%q: status %d\n%s%s", args, status, notes, raw)
		}
	}
	s := newUser(t, "")
	if _, notes, status := s.run("serve", "--legacy-tool-call-format", "herms"); status != exitUsage || !strings.Contains(notes, "perhaps you mean hermes") {
		t.Errorf("serve: status %d\n%s", status, notes)
	}
}

// Nobody but the user chooses these: neither a workspace nor what an editor sends.
func TestAWorkspaceChangesNothingForALaunch(t *testing.T) {
	s := newUser(t, "turn\nexpect-not: Call them so.\nexpect: read_file\njson {\"answer\":\"Hello.\"}\n")
	s.write(".assent/settings.json", `{"tools":["run_command"],"toolSystemPrompt":"Call them so.","legacyToolCallFormat":"hermes"}`)
	path := s.write("ask.chat.md", "## You\n\nHi.\n")
	out, notes, status := s.run("send", path, "--folder", s.root)
	if status != 0 || !strings.Contains(out, "Hello.") || strings.Count(notes, "a workspace may not set it") != 3 {
		t.Errorf("status %d\n%s%s", status, notes, out)
	}
}
