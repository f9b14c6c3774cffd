package main

import (
	"strings"
	"testing"
)

// The text of the flag, or of the file that it names, is asked as if it were the prompt.
func TestInitialPrompt(t *testing.T) {
	for flag, want := range map[string]string{"Say hello.": "Say hello.", "@FILE": "Say it twice.\n\nTwice.", "@@home means this": "@home means this"} {
		s := newUser(t, "turn\nsay: Hello.\n")
		path := s.write("ask.txt", "Say it twice.\n\nTwice.\n")
		_, notes, status := s.run("run", "--folder", s.root, "--tool-format", "native", "--initial-prompt", strings.Replace(flag, "@FILE", "@"+path, 1))
		if _, text := s.chat(); status != 0 || !strings.Contains(text, "\n## You\n\n"+want+"\n\n```context outline") {
			t.Errorf("%s: status %d: %s\n%s", flag, status, notes, text)
		}
	}
}

func TestInitialPromptsThatAreWrong(t *testing.T) {
	for want, args := range map[string][]string{
		"--initial-prompt is the prompt: give no other one": {"run", "--initial-prompt", "a", "b"},
		"--initial-prompt: the text is empty":               {"run", "--initial-prompt", " "},
		"--initial-prompt: there is no file none.txt":       {"run", "--initial-prompt", "@none.txt"},
		"there is no file other.txt":                        {"serve", "--initial-prompt", "@other.txt"},
	} {
		s := newUser(t, "")
		if out, notes, status := s.run(args...); status != exitUsage || out != "" || !strings.Contains(notes, want) || len(s.chats()) > 0 {
			t.Errorf("%q: status %d: %s%s", args, status, out, notes)
		}
	}
}
