//go:build linux && (amd64 || arm64)

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a command changed on a copy is decided on by keys at a terminal, hunk by hunk; --approve run_command does not
// cover it, and approving the tools that edit does.
// Promise 1, 4.
func TestACommandIsTriedAtATerminal(t *testing.T) {
	const works = "turn\njson {\"tool\":\"run_command\",\"arguments\":{\"command\":\"printf 'one\\\\n2\\\\n3\\\\n4\\\\nfive\\\\n' >list\"}}\nturn\njson {\"answer\":\"Done.\"}\n"
	const list = "1\n2\n3\n4\n5\n"
	s := newUser(t, works)
	if said, _, _ := s.run("doctor"); !strings.Contains(said, "Commands run in a sandbox") {
		t.Skip("NOT TESTED: no sandbox here")
	}
	s.write("list", list)
	p := s.sitDown(nil, "run", "--folder", s.root, "Go on.")
	for _, step := range []struct{ shows, ends, key string }{ // what is typed before a prompt ends is discarded
		{"[t] try it on a copy", "say why: ", "t"},
		{"+five", "say why: ", "1"},
		{"1 list line 1", "the rest: ", "d"},
		{"2 list line 5", "the rest: ", "k"},
	} {
		p.sees(step.shows)
		p.sees(step.ends)
		p.types(step.key + "\r")
	}
	p.sees("Done.")
	if status, screen := p.leaves(); status != 0 || readList(s) != strings.Replace(list, "5", "five", 1) {
		t.Errorf("status %d, the list is %q:\n%s", status, readList(s), screen)
	}
	for approve, want := range map[string]string{"run_command": list, "run_command,edit_file": "one\n2\n3\n4\nfive\n"} {
		s := newUser(t, works)
		s.write("list", list)
		out, notes, status := s.run("run", "--folder", s.root, "--commands", "try", "--approve", approve, "Go on.")
		if status != 0 || readList(s) != want {
			t.Errorf("--approve %s: status %d, the list is %q:\n%s\n%s", approve, status, readList(s), out, notes)
		}
	}
}

func readList(s *user) string {
	text, _ := os.ReadFile(filepath.Join(s.root, "list"))
	return string(text)
}

// What tried commands of a chat built is listed, and removed.
func TestWhatWasBuiltIsListedAndRemoved(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	s := newUser(t, "turn\njson {\"tool\":\"run_command\",\"arguments\":{\"command\":\"mkdir build; echo o >build/o\"}}\nturn\nexpect-last: there for the next tried commands of this chat: 2 files that git ignores (build).\njson {\"answer\":\"Done.\"}\n")
	if said, _, _ := s.run("doctor"); !strings.Contains(said, "Commands run in a sandbox") {
		t.Skip("NOT TESTED: no sandbox here")
	}
	s.write(".gitignore", "build/\n")
	if out, notes, status := s.run("run", "--folder", s.root, "--commands", "try", "Go on."); status != 0 {
		t.Fatalf("status %d: %s\n%s", status, out, notes)
	}
	chats, err := filepath.Glob(filepath.Join(s.root, ".assent/chats/*.chat.md"))
	if err != nil || len(chats) != 1 {
		t.Fatalf("%v: %v", chats, err)
	}
	chat := chats[0]
	if _, err := os.Stat(filepath.Join(s.root, "build")); err == nil {
		t.Error("it is in the workspace")
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "2 files, "}, {[]string{"other.chat.md"}, ""}, {[]string{"--remove", "other.chat.md"}, ""}, {[]string{"--remove", chat}, "removed: "}, {nil, ""},
	} {
		out, notes, status := s.run(append([]string{"chats", "built"}, c.args...)...)
		if status != 0 || !strings.Contains(out, c.want) || (out == "") != (c.want == "") || c.want != "" && !strings.Contains(out, filepath.Base(chat)) {
			t.Errorf("%v: status %d: %s%s", c.args, status, out, notes)
		}
	}
	if _, notes, status := s.run("chats", "built", "no-chat"); status != 2 || !strings.Contains(notes, "ends in .chat.md") {
		t.Errorf("status %d: %s", status, notes)
	}
}
