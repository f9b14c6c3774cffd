//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// listening lists the sockets of a process and of all that it started that others could connect or send to.
func listening(t *testing.T, pid int) []string {
	t.Helper()
	var found []string
	for _, p := range family(pid) {
		own := map[string]bool{}
		names, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p))
		if err != nil {
			continue // it has ended
		}
		for _, fd := range names {
			if to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", p, fd.Name())); err == nil && strings.HasPrefix(to, "socket:[") {
				own[strings.Trim(to, "socket:[]")] = true
			}
		}
		// The column of the state or the flags, what it says about a listener, and the column of the inode.
		for table, at := range map[string]struct {
			state  int
			listen []string
			inode  int
		}{
			"tcp": {3, []string{"0A"}, 9}, "tcp6": {3, []string{"0A"}, 9}, "udp": {3, []string{"07"}, 9}, "udp6": {3, []string{"07"}, 9},
			"unix": {3, []string{"00010000"}, 6},
		} {
			raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", p, table))
			if err != nil {
				continue
			}
			for line := range strings.Lines(string(raw)) {
				if f := strings.Fields(line); len(f) > at.inode && own[f[at.inode]] && slices.Contains(at.listen, f[at.state]) {
					found = append(found, fmt.Sprintf("process %d, %s: %s", p, table, strings.TrimSpace(line)))
				}
			}
		}
	}
	return found
}

// family is a process with all its descendants.
func family(pid int) []int {
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", all[i])) // the pattern is good
		for _, file := range files {
			raw, err := os.ReadFile(file)
			if err != nil {
				continue
			}
			for word := range strings.FieldsSeq(string(raw)) {
				var child int
				if _, err := fmt.Sscan(word, &child); err == nil {
					all = append(all, child)
				}
			}
		}
	}
	return all
}

// S17: nothing of the program listens at any stage of a session with an edit and a command. The test process itself,
// which holds the model server, shows that a listener would be seen.
// Promise 9.
func TestNothingListens(t *testing.T) {
	command := `touch started; until grep -q x go; do sleep 0.01; done`
	s := newUser(t, "turn\n"+theEdit+"\nturn\njson {\"tool\":\"run_command\",\"arguments\":{\"command\":\""+command+"\"}}\nturn\njson {\"answer\":\"Over.\"}\n")
	if len(listening(t, os.Getpid())) == 0 {
		t.Fatal("the listener of the model server is not seen")
	}
	cmd := s.begin("serve")
	s.file("go", "")
	s.file("ask.chat.md", "## You\n\nMend README.md, and run it.\n")
	env := lsptest.NewEnv(t, serveAs(t, cmd), s.root, lsptest.Options{})
	stages := 0
	check := func(stage string) {
		stages++
		if found := listening(t, cmd.Process.Pid); len(found) > 0 {
			t.Errorf("%s: %s", stage, strings.Join(found, "\n"))
		}
	}
	env.Open("README.md")
	env.Open("ask.chat.md")
	check("opened")
	approve := func(needle string) {
		t.Helper()
		s.until("the question about "+needle, func() bool { return slices.Contains(titlesFor(env, needle), "Approve") })
		check("asked about " + needle)
		if err := env.Do("ask.chat.md", needle, "Approve once"); err != nil {
			t.Fatal(err)
		}
	}
	if err := env.Do("ask.chat.md", "Mend", "Send"); err != nil {
		t.Fatal(err)
	}
	approve("edit_file")
	env.WaitText("README.md", "Hello")
	env.Save("README.md")
	approve("run_command")
	s.until("the command runs", func() bool { _, err := os.Stat(s.written("started")); return err == nil })
	check("running")
	s.file("go", "x")
	env.WaitText("ask.chat.md", "Over.")
	check("answered")
	env.Die()
	if stages != 5 {
		t.Errorf("%d stages were seen", stages)
	}
}

// titlesFor lists the first words of the actions at a place of the chat; none while it is not there.
func titlesFor(env *lsptest.Env, needle string) []string {
	if !strings.Contains(env.Text("ask.chat.md"), needle) {
		return nil
	}
	var words []string
	for _, title := range env.Titles("ask.chat.md", needle) {
		word, _, _ := strings.Cut(title, " ")
		words = append(words, word)
	}
	return words
}

// An editor's settings may come from a workspace, so they send no traces either; the user's own flag does.
// Promise 9. Invariant 16.
func TestAnEditorSendsNoTraces(t *testing.T) {
	theirs, own := collect(t), collect(t)
	s := newUser(t, justAnswers)
	s.everywhere(theirs.URL)
	for _, flags := range [][]string{nil, {"--trace-endpoint", own.URL}} {
		cmd := s.begin(append([]string{"serve"}, flags...)...)
		s.file("ask.chat.md", "## You\n\nHello?\n")
		env := lsptest.NewEnv(t, serveAs(t, cmd), s.root, lsptest.Options{Settings: map[string]any{"traceEndpoint": theirs.URL, "traceContent": true}})
		env.Open("ask.chat.md")
		if err := env.Do("ask.chat.md", "Hello", "Send"); err != nil {
			t.Fatal(err)
		}
		env.WaitText("ask.chat.md", "Over.")
		s.until("the reply ends", func() bool { return strings.HasSuffix(env.Text("ask.chat.md"), "## You\n\n") })
		if flags != nil {
			s.until("a trace arrives", func() bool { return own.runs() == 1 })
		}
		env.Die()
	}
	if theirs.runs() != 0 || own.runs() != 1 {
		t.Errorf("%d traces were sent to the wrong place, %d to the right one", theirs.runs(), own.runs())
	}
}
