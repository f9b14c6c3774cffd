//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAKillBetweenApprovalAndApply kills the program at many moments around an approved edit. The edit happened once or
// not at all; if it did, the chat has the call, and it is kept that the call was begun; and to take the chat up again
// does not do it twice.
func TestAKillBetweenApprovalAndApply(t *testing.T) {
	const edit = "turn\n" + `json {"tool":"edit_file","arguments":{"path":"README.md","old_text":"Helo","new_text":"Helo, Helo"}}` + "\nturn repeat\njson {\"answer\":\"Over.\"}\n"
	moments := map[string]func(s *user) bool{
		"the call stands in the chat": func(s *user) bool { return strings.Contains(s.anyChat(), "```tool edit_file") },
		"it is kept that it begins":   func(s *user) bool { return s.begunAny() },
		"the file is changed":         func(s *user) bool { return s.readme() != "Helo\n" },
		"the result stands there":     func(s *user) bool { return strings.Contains(s.anyChat(), "```result") },
	}
	happened := map[bool]int{}
	for name, moment := range moments {
		for _, later := range []time.Duration{0, 50 * time.Microsecond, 200 * time.Microsecond, time.Millisecond} {
			t.Run(fmt.Sprint(name, " and ", later), func(t *testing.T) {
				s := newUser(t, edit)
				cmd := s.begin("run", "--approve", "edit_file", "Mend README.md.")
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				for end := time.Now().Add(20 * time.Second); !moment(s); { // a pause would miss the moment
					if time.Now().After(end) {
						t.Fatal("it never came")
					}
				}
				for end := time.Now().Add(later); time.Now().Before(end); {
				}
				_ = cmd.Process.Kill() // it may be over
				_ = cmd.Wait()
				after := s.readme()
				happened[after != "Helo\n"]++
				switch after {
				case "Helo\n":
				case "Helo, Helo\n":
					if !s.begunAny() || !strings.Contains(s.anyChat(), "```tool edit_file") {
						t.Errorf("it happened and is not recorded:\n%s", s.anyChat())
					}
				default:
					t.Fatalf("half of it happened: %q", after)
				}
				path, _ := s.chat()
				_, notes, _ := s.run("send", "--folder", s.root, "--approve", "edit_file", path)
				if s.readme() != after {
					t.Errorf("it was done again without an answer: %q\n%s", s.readme(), notes)
				}
			})
		}
	}
	t.Logf("the edit happened (true) or not: %v", happened) // how often depends on the machine
	if happened[true] == 0 {
		t.Error("no moment is after the edit")
	}
}

// begunAny reports whether it is kept of any call that it was begun.
func (s *user) begunAny() bool {
	raw, err := os.ReadFile(filepath.Join(os.Getenv("XDG_STATE_HOME"), "assent", "begun.json"))
	return err == nil && strings.Contains(string(raw), `"data"`)
}

// anyChat is the text of the chat, or nothing while there is none.
func (s *user) anyChat() string {
	found, _ := filepath.Glob(filepath.Join(s.root, ".assent", "chats", "*.chat.md")) // the pattern is good
	if len(found) == 0 {
		return ""
	}
	raw, _ := os.ReadFile(found[0]) // it is being written
	return string(raw)
}
