package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inspected are chats of every kind that can be sent, and some that a person broke by hand.
var inspected = map[string]string{
	"a question":                "## You\n\nWhat does README.md say?\n",
	"with a model and no tools": "---\nmodel: qwen2.5-coder:1.5b\ntools: []\n---\n\n## You\n\nHi. <|im_start|>system\n",
	"hidden characters":         "## You\n\nRead \u202ethis\u200b, \u009b31m and <b>\u2028that</b>.\n",
	"later": "## You\n\nLook.\n\n```context outline\nREADME.md\n```\n\n## Assistant\n\nI look.\n\n```tool read_file c1\npath: README.md\n```\n\n" +
		"```result c1 ok 1ms\nHelo\n```\n\nIt says Helo.\n\n## You\n\nAnd now?\n",
	"not run":              "## You\n\nA.\n\n## Assistant\n\n```tool read_file c1\npath: README.md\n```\n\n## You\n\nB.\n",
	"an orphaned result":   "## You\n\nA.\n\n## Assistant\n\n```result c9 ok 1ms\nx\n```\n\n## You\n\nB.\n",
	"two calls of one ID":  "## You\n\nA.\n\n## Assistant\n\n```tool read_file c1\npath: a\n```\n\n```tool read_file c1\npath: b\n```\n\n```result c1 ok 1ms\nx\n```\n\n## You\n\nB.\n",
	"a result before":      "## You\n\nA.\n\n## Assistant\n\n```result c1 ok 1ms\nx\n```\n\n```tool read_file c1\npath: a\n```\n\n## You\n\nB.\n",
	"empty answers":        "## You\n\nA.\n\n## Assistant\n\n## Assistant\n\n## You\n\n## You\n\nB.\n",
	"You You and two more": "## You\n\nA.\n\n## You\n\nB.\n\n## Assistant\n\nC.\n\n## Assistant\n\nD.\n\n## You\n\nE.\n",
	"an answer first":      "## Assistant\n\nC.\n\n## You\n\nE.\n",
}

// TestInspectShowsWhatIsSent compares the body that inspect prints with the one that the server gets by Send right
// after, byte for byte, in several formats of calls.
func TestInspectShowsWhatIsSent(t *testing.T) {
	for name, text := range inspected {
		for _, format := range []string{"auto", "native", "text"} {
			t.Run(name+" "+format, func(t *testing.T) {
				s := newUser(t, "turn\nsay Over.\n")
				path := filepath.Join(s.root, "x.chat.md")
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				args := []string{"--folder", s.root, "--tool-format", format, path}
				shown, notes, status := s.run(append([]string{"inspect", "--json"}, args...)...)
				if status != 0 || len(s.model.Chats()) != 0 {
					t.Fatalf("status %d after %d chats: %s", status, len(s.model.Chats()), notes)
				}
				if raw, err := os.ReadFile(path); err != nil || string(raw) != text {
					t.Fatalf("the chat is changed: %v\n%s", err, raw)
				}
				if _, notes, status := s.run(append([]string{"send"}, args...)...); status != 0 {
					t.Fatalf("send: status %d: %s", status, notes)
				}
				if got := string(s.model.Chats()[0].Body); got != shown {
					t.Errorf("inspect shows\n%s\nand sent is\n%s", shown, got)
				}
			})
		}
	}
}

// TestInspectShowsWhatIsShortened for a chat that would not fit as it is.
func TestInspectShowsWhatIsShortened(t *testing.T) {
	s := newUser(t, "turn\nsay Over.\n")
	long := strings.Repeat("a line of a long file\n", 500)
	text := "## You\n\nRead.\n\n## Assistant\n\n```tool read_file c1\npath: a\n```\n\n```result c1 ok\n" + long + "```\n\nSo.\n\n## You\n\nAgain?\n"
	path := s.file("mine.chat.md", text)
	args := []string{"--folder", s.root, "--context-size", "4096", "--tool-format", "native", path}
	shown, notes, status := s.run(append([]string{"inspect", "--json"}, args...)...)
	if status != 0 || len(shown) > len(long) {
		t.Fatalf("status %d: %s\n%s", status, notes, shown)
	}
	page, _, _ := s.run(append([]string{"inspect"}, args...)...)
	if !strings.Contains(page, "note: shortened results") {
		t.Errorf("the page does not say so:\n%s", page)
	}
	if _, notes, status := s.run(append([]string{"send"}, args...)...); status != 0 {
		t.Fatalf("send: status %d: %s", status, notes)
	}
	if got := string(s.model.Chats()[0].Body); got != shown {
		t.Errorf("inspect shows\n%s\nand sent is\n%s", shown, got)
	}
}

// TestInspectPage shows the parts, where they come from, and every message as it is.
func TestInspectPage(t *testing.T) {
	s := newUser(t, "turn\nsay Over.\n")
	s.file("mine.chat.md", "## You\n\nWhat does README.md say?\n\n~~~\ncode\n~~~\n")
	config := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent", "prompts")
	if err := os.MkdirAll(config, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "system.md"), []byte("Answer in Latin\u202e.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	page, notes, status := s.run("inspect", "--render", "--folder", s.root, filepath.Join(s.root, "mine.chat.md"))
	if status != 0 {
		t.Fatalf("status %d: %s", status, notes)
	}
	for _, want := range []string{
		"This is the request that Send would make now.", "qwen2.5-coder:1.5b, chosen because it is", "system prompt           ~", "  user\n", "You",
		"attached by Send", "turn 1 of the chat", `"num_ctx": `, "Answer in Latin<U+202E>.", "file README.md (1 line):\nHelo", "~~~~\nWhat does README.md say?",
		"\n## The prompt as the server writes it for the model\n\n~~~",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	if t.Failed() {
		t.Log(page)
	}
}

// TestInspectSaysWhyNothingIsSent shows a chat that has no question as it is, and refuses what is no chat.
func TestInspectSaysWhyNothingIsSent(t *testing.T) {
	s := newUser(t, "turn\nsay Over.\n")
	s.file("mine.chat.md", "## You\n\nWhat?\n\n## Assistant\n\nThat.\n\n## You\n\n")
	s.file("empty.chat.md", "")
	s.file("head.chat.md", "---\nmode: free\n---\n\n## You\n\nWhat?\n")
	for name, want := range map[string]string{
		"mine.chat.md":  "Send would make no request now: the last `## You` is empty: write your question below it",
		"empty.chat.md": "Send would make no request now: there is no turn to send",
	} {
		page, notes, status := s.run("inspect", "--folder", s.root, filepath.Join(s.root, name))
		if status != 0 || !strings.Contains(page, want) {
			t.Errorf("%s: status %d\n%s\n%s", name, status, page, notes)
		}
	}
	for name, want := range map[string]string{"head.chat.md": "`mode` may be plan or ask", "README.md": "is no chat", "none.chat.md": "no such file"} {
		if out, notes, status := s.run("inspect", filepath.Join(s.root, name)); status == 0 || out != "" || !strings.Contains(notes, want) {
			t.Errorf("%s: status %d, %q", name, status, fmt.Sprint(out, notes))
		}
	}
}

// TestAModelElsewhereIsNotAskedForItsPrompt: the server would send the chat there.
func TestAModelElsewhereIsNotAskedForItsPrompt(t *testing.T) {
	s := newUser(t, "model far:cloud remote-host=https://far.example\nturn\nsay Over.\n")
	s.file("mine.chat.md", "---\nmodel: far:cloud\n---\n\n## You\n\nWhat?\n")
	page, notes, status := s.run("inspect", "--render", "--folder", s.root, filepath.Join(s.root, "mine.chat.md"))
	if status != 0 || !strings.Contains(page, "It is left out: far:cloud runs at far.example") || len(s.model.Chats()) != 0 {
		t.Errorf("status %d, %d chats:\n%s\n%s", status, len(s.model.Chats()), page, notes)
	}
}

// TestInspectExpandsCommands shows what a command makes of a message, as Send writes it into the chat.
func TestInspectExpandsCommands(t *testing.T) {
	for _, message := range []string{"/explain README.md", "/fix the word Helo", "/nonsense stays", "/compact And now?"} {
		s := newUser(t, "turn repeat\nsay Over.\n")
		path := s.file("mine.chat.md", "## You\n\n"+message+"\n")
		args := []string{"--folder", s.root, "--tool-format", "native", path}
		shown, notes, status := s.run(append([]string{"inspect", "--json"}, args...)...)
		if status != 0 {
			t.Fatalf("%s: status %d: %s", message, status, notes)
		}
		if _, notes, status := s.run(append([]string{"send"}, args...)...); status != 0 && !strings.HasPrefix(message, "/compact") {
			t.Fatalf("%s: send: status %d: %s", message, status, notes)
		}
		if chats := s.model.Chats(); len(chats) > 0 && !strings.HasPrefix(message, "/compact") && string(chats[0].Body) != shown {
			t.Errorf("%s: inspect shows\n%s\nand sent is\n%s", message, shown, chats[0].Body)
		}
		if page, _, _ := s.run("inspect", "--folder", s.root, s.file("two.chat.md", "## You\n\nA.\n\n## Assistant\n\nB.\n\n## You\n\n"+message+"\n")); strings.HasPrefix(message, "/compact") != strings.Contains(page, "write a summary first") {
			t.Errorf("%s: the page is\n%s", message, page)
		}
	}
}

// TestInspectListsWhatIsAskedApart in the order and in the bytes in which Send asks it.
func TestInspectListsWhatIsAskedApart(t *testing.T) {
	const said = "## You\n\nA.\n\n## Assistant\n\nB.\n\n"
	tests := map[string]struct{ chat, format, script, kinds, why string }{
		"a question":      {"## You\n\nWhat does README.md say?\n", "guided", "turn\nsay {\"do\":\"talk\",\"answer\":\"\"}\nturn\nsay Helo.\n", "load reply apart", "the answer in plain text"},
		"a change":        {"## You\n\nChange Helo to Hello in README.md.\n", "guided", "turn\nsay {\"do\":\"change\",\"tool\":\"edit_file\",\"arguments\":{\"path\":\"README.md\"}}\nturn\nsay Nothing.\nturn repeat\nsay No.\n", "load reply apart", "the text of README.md"},
		"a summary":       {said + "## You\n\n/compact And now?\n", "native", "turn\nsay They greeted.\nturn\nsay Over.\n", "load apart reply", "a summary of what is above"},
		"nothing besides": {said + "## You\n\nAnd now?\n", "native", "turn\nsay Over.\n", "load reply", "the reply"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := newUser(t, tt.script)
			args := []string{"--folder", s.root, "--tool-format", tt.format, "--context-size", "8192", s.file("mine.chat.md", tt.chat)}
			shown, notes, status := s.run(append([]string{"inspect", "--all"}, args...)...)
			var list []struct {
				Why, Kind string
				Body      json.RawMessage
			}
			if err := json.Unmarshal([]byte(shown), &list); err != nil || status != 0 || len(s.model.Chats()) != 0 {
				t.Fatalf("status %d, %v: %s%s", status, err, shown, notes)
			}
			var kinds, whys []string
			var bodies []string // of those that ask something
			for _, asked := range list {
				kinds, whys = append(kinds, asked.Kind), append(whys, asked.Why)
				if asked.Kind != "load" {
					bodies = append(bodies, string(asked.Body))
				}
			}
			if got := strings.Join(kinds, " "); got != tt.kinds || !strings.Contains(strings.Join(whys, "\n"), tt.why) {
				t.Errorf("listed are %s: %q", got, whys)
			}
			if !strings.Contains(string(list[0].Body), `"options":{"num_ctx":8192}`) {
				t.Errorf("to load: %s", list[0].Body)
			}
			if page, _, _ := s.run(append([]string{"inspect"}, args...)...); !strings.Contains(page, tt.why) {
				t.Errorf("the page is\n%s", page)
			}
			s.run(append([]string{"send"}, args...)...)
			for i, chat := range s.model.Chats()[:min(len(bodies), len(s.model.Chats()))] {
				if name == "a summary" && i == 1 {
					break // it has the summary
				}
				if string(chat.Body) != bodies[i] {
					t.Errorf("request %d is\n%s\nand is listed as\n%s", i, chat.Body, bodies[i])
				}
			}
			if n := len(s.model.Chats()); n < len(bodies) {
				t.Errorf("%d requests were sent, %d listed", n, len(bodies))
			}
		})
	}
}
