package main

import (
	"strings"
	"testing"
)

// TestTitles are written into the front matter of a chat once its first question is answered, and not a second time.
func TestTitles(t *testing.T) {
	for _, text := range []string{"", "---\nmodel: qwen2.5-coder:1.5b # mine\n---\n\n"} {
		s := newUser(t, "turn\nsay Helo.\nturn\nsay The greeting of README.md\nturn\nsay Bye.\n")
		path := s.file("mine.chat.md", text+"## You\n\nWhat does the file say?\n")
		args := []string{"send", "--titles", "model", "--folder", s.root, "--tool-format", "native", path}
		for _, more := range []string{"", "Thanks.\n"} {
			s.file("mine.chat.md", s.text("mine.chat.md")+more)
			if _, notes, status := s.run(args...); status != 0 {
				t.Fatalf("status %d: %s", status, notes)
			}
		}
		chat := s.text("mine.chat.md")
		if !strings.Contains(chat, "\ntitle: The greeting of README.md\n---\n") || strings.Count(chat, "title:") != 1 || !strings.Contains(chat, "Bye.") || strings.Contains(chat, "# mine") != (text != "") {
			t.Errorf("the chat is\n%s", chat)
		}
		if n := len(s.model.Chats()); n != 3 {
			t.Errorf("%d requests", n)
		}
	}
}
