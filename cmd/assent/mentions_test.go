package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Mentions and commands work without an editor: the chat shows what a command became, and what was attached or why not.
func TestMentionsAndCommandsOnTheCommandLine(t *testing.T) {
	s := newUser(t, "turn\nexpect: line 1 of README.md\nexpect: There is no selection\nexpect: is not the root of a git repository\nsay: A greeting.\n")
	s.put("commands/brief.md", "---\ndescription: Short.\n---\nIn one word, what is $ARGUMENTS?")
	out, notes, status := s.run("run", "--folder", s.root, "/brief @README.md:1, @selection or @diff")
	if status != 0 || !strings.Contains(out, "A greeting.") {
		t.Fatalf("status %d: %s\n%s", status, out, notes)
	}
	if _, text := s.chat(); !strings.Contains(text, "\nIn one word, what is @README.md:1, @selection or @diff?\n\n```context ") ||
		!strings.Contains(text, "```context line 1 of README.md\nHelo\n```\n") || !strings.Contains(text, "```context mention selection\nThere is no selection: ") {
		t.Error(text)
	}
}

// What only an editor can do is refused with a sentence, and nothing is sent.
func TestCommandsOfAnEditorOnTheCommandLine(t *testing.T) {
	s := newUser(t, "")
	for _, message := range []string{"/new What?", "/undo", "/compact"} {
		name := s.file("ask.chat.md", "## You\n\n"+message+"\n")
		_, notes, status := s.run("send", "--folder", s.root, name)
		if status != exitUsage || !strings.Contains(notes, strings.Fields(message)[0]+" ") || s.text("ask.chat.md") != "## You\n\n"+message+"\n" {
			t.Errorf("%s: status %d: %s\n%s", message, status, notes, s.text("ask.chat.md"))
		}
	}
}

// A page that a message mentions is got only where somebody says yes: `--approve`, else a person, and without both the
// chat goes on.
// Promise 9.
func TestMentionedPagesOnTheCommandLine(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<p>Paris</p>")) }))
	t.Cleanup(server.Close)
	settings, err := json.Marshal(map[string]any{"webFetch": true, "privateHosts": []string{strings.TrimPrefix(server.URL, "http://")}})
	if err != nil {
		t.Fatal(err)
	}
	message := "What says @" + server.URL + "/a?"
	for _, c := range []struct {
		settings, expect, event string
		flags                   []string
	}{
		{string(settings), "there is nobody to ask", `"mention":"` + server.URL + `/a"`, []string{"--json"}},
		{string(settings), "Paris", "", []string{"--approve", "web_fetch"}},
		{"{}", "only if the setting webFetch is on", "", nil},
	} {
		s := newUser(t, "turn\nexpect: "+c.expect+"\nsay: Seen.\n")
		s.put("settings.json", c.settings)
		out, notes, status := s.run(append([]string{"run", "--folder", s.root, message}, c.flags...)...)
		if status != 0 {
			t.Fatalf("status %d, %s\n%s", status, out, notes)
		}
		if _, text := s.chat(); !strings.Contains(text, "Seen.") || !strings.Contains(text, c.expect) || !strings.Contains(out, c.event) {
			t.Errorf("%s: status %d, %s\n%s\n%s", c.expect, status, out, notes, text)
		}
	}
}
