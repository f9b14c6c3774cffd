//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/assent-ls/assent/tools/diskfile/diskfiletest"
)

const asked = "## You\n\nSay hi.\n"

// TestARefusedCallChangesNoByte sends chats whose ends would be tidied by a run, in ways that come to nothing.
// Promise 10. Invariant 20.
func TestARefusedCallChangesNoByte(t *testing.T) {
	const untidy = asked + " \t\n\n## You\n\n"
	tests := map[string]struct {
		text  string
		args  []string
		setup func(s *user, path string)
		says  string
	}{
		"unknown tool":        {untidy, []string{"--approve", "rm"}, nil, "there is no tool rm"},
		"unknown model":       {untidy, []string{"--model", "nosuch:1b"}, nil, "nosuch:1b"},
		"unknown model named": {"---\nmodel: nosuch:1b\n---\n" + untidy, nil, nil, "nosuch:1b"},
		"unknown format":      {untidy, []string{"--tool-format", "nosuch"}, nil, "nosuch"},
		"bad setting":         {untidy, []string{"--max-steps", "0"}, nil, "max-steps"},
		"no server": {untidy, nil, func(s *user, _ string) {
			s.t.Setenv("OLLAMA_HOST", "127.0.0.1:1")
		}, "ollama serve"},
		"no folder":         {untidy, []string{"--folder", "nowhere"}, nil, "nowhere"},
		"a file as folder":  {untidy, []string{"--folder", "README.md"}, nil, "README.md"},
		"nothing to send":   {"## You\n\n \n", nil, nil, "nothing to send"},
		"answered already":  {asked + "\n## Assistant\n\nHi.\n\n## You\n\n", nil, nil, "nothing to send"},
		"open front matter": {"---\nmodel: a\n" + untidy, nil, nil, "front matter"},
		"bad front matter":  {"---\ntools: 7\n---\n" + untidy, nil, nil, "`tools` must be a list"},
		"locked": {untidy, nil, func(s *user, path string) {
			unlock, _, err := s.state().LockChat(path)
			if err != nil {
				s.t.Fatal(err)
			}
			s.t.Cleanup(unlock)
		}, "is being written by"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newUser(t, "")
			t.Chdir(s.root)
			path := s.file("ask.chat.md", test.text)
			if test.setup != nil {
				test.setup(s, path)
			}
			before, names := stat(t, path), s.names()
			_, notes, status := s.run(append([]string{"send", path}, test.args...)...)
			if status == 0 || !strings.Contains(notes, test.says) {
				t.Errorf("status %d: %s", status, notes)
			}
			after := stat(t, path)
			if s.text("ask.chat.md") != test.text || !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) || s.names() != names {
				t.Errorf("the file became %q; the folder %s", s.text("ask.chat.md"), s.names())
			}
		})
	}
}

func stat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// TestARefusedRunMakesNoFile asks in ways that are refused before anything is said to the model.
// Promise 10.
func TestARefusedRunMakesNoFile(t *testing.T) {
	for name, args := range map[string][]string{
		"unknown tool":     {"--approve", "rm"},
		"no folder":        {"--folder", "nowhere"},
		"a file as folder": {"--folder", "README.md"},
		"unknown format":   {"--tool-format", "nosuch"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newUser(t, "")
			t.Chdir(s.root)
			if _, notes, status := s.run(append([]string{"run", "Say hi."}, args...)...); status == 0 || s.names() != "README.md" {
				t.Errorf("status %d, the folder holds %s: %s", status, s.names(), notes)
			}
		})
	}
}

// TestASavedChatMeanwhileIsKept lets a command of the run do what a person's editor does while the reply is written.
// Promise 10. Invariant 20.
func TestASavedChatMeanwhileIsKept(t *testing.T) {
	const call = `json {"tool":"run_command","arguments":{"command":"sh save.sh"}}`
	const question = "## You\n\nFirst line.\nSecond line.\n"
	tests := map[string]struct {
		save  string // the shell script that saves; old is the chat as it was before the run
		holds []string
		aside bool // the reply goes to another file
	}{
		"nothing":                 {save: "true"},
		"touched":                 {save: "touch -d 2001-01-01 ask.chat.md"},
		"the same by rename":      {save: "cp ask.chat.md x && mv x ask.chat.md"},
		"below in place":          {save: `printf '\n\n## You\n\nMine.\n' >> ask.chat.md`, holds: []string{"## You\n\nMine.\n"}},
		"below by rename":         {save: `(cat ask.chat.md; printf '\n\n## You\n\nMine.\n') > x && mv x ask.chat.md`, holds: []string{"## You\n\nMine.\n"}},
		"on the last line":        {save: `printf ' mine' >> ask.chat.md`, holds: []string{"\n mine"}},
		"above by rename":         {save: `sed -i '1,4s/First/Prime/' ask.chat.md`, holds: []string{"Prime line.\nSecond line."}},
		"above, shorter":          {save: `sed '1,4s/First line.//' ask.chat.md > x; cat x > ask.chat.md`, holds: []string{"\n\nSecond line."}},
		"above, longer, in place": {save: `sed '1,4s/First/A very first/' ask.chat.md > x; cat x > ask.chat.md`, holds: []string{"A very first line."}},
		"above and below":         {save: `sed '1,4s/First/Prime/' ask.chat.md > x; printf '\n\n## You\n\nMine.\n' >> x; cat x > ask.chat.md`, holds: []string{"Prime line.", "Mine.\n"}},
		"older":                   {save: `cat old > ask.chat.md`},
		"older by rename":         {save: `mv old ask.chat.md`},
		"older, next question":    {save: `(cat old; printf '\n## You\n\nMine.\n') > x && mv x ask.chat.md`, holds: []string{"## You\n\nMine.\n"}},
		"older, more asked":       {save: `(cat old; printf 'Mine.\n') > ask.chat.md`, holds: []string{"Second line.\nMine.\n"}},
		"older, question changed": {save: `sed 's/First/Prime/' old > ask.chat.md`, holds: []string{"Prime line.\nSecond line."}},
		"the reply changed":       {save: `sed -i 's/^command: sh save.sh/command: sh mine.sh/' ask.chat.md`, holds: []string{"mine.sh"}, aside: true},
		"emptied":                 {save: `: > ask.chat.md`, aside: true},
		"other text":              {save: `echo Mine. > ask.chat.md`, holds: []string{"Mine.\n"}, aside: true},
		"removed":                 {save: `rm ask.chat.md`, aside: true},
		"a folder":                {save: `rm ask.chat.md; mkdir ask.chat.md`, aside: true},
		"a pipe":                  {save: `rm ask.chat.md; mkfifo ask.chat.md`, aside: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newUser(t, "turn\n"+call+"\nturn\njson {\"answer\":\"After it.\"}\n")
			path := s.file("ask.chat.md", question)
			s.file("save.sh", test.save+"\n")
			s.file("old", question)
			_, notes, status := s.run("send", "--folder", s.root, "--sandbox", "off", "--approve", "run_command", "--model", "qwen2.5-coder:1.5b", path) // a person's editor is not confined
			reply := "ask.chat.md"
			if test.aside {
				reply = "ask.recovered-1.chat.md"
				if status != 1 || !strings.Contains(notes, filepath.Join(s.root, reply)) {
					t.Errorf("status %d, and the other file is not named: %s", status, notes)
				}
			} else if status != 0 || strings.Contains(s.names(), "recovered") {
				t.Errorf("status %d, the folder holds %s: %s", status, s.names(), notes)
			}
			text := s.text(reply)
			want := []string{"\n## Assistant\n", "```tool run_command c1\n", "\n```result c1 ok", "\n## You\n"}
			if !test.aside {
				want = append(want, "After it.")
			}
			for _, part := range want {
				if strings.Count(text, part) == 0 {
					t.Errorf("%s lacks %q:\n%s", reply, part, text)
				}
			}
			for _, part := range []string{"tool run_command c1", "result c1", "## Assistant"} {
				if n := strings.Count(text, part); n > 1 {
					t.Errorf("%s has %q %d times:\n%s", reply, part, n, text)
				}
			}
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				text = s.text("ask.chat.md")
			}
			for _, part := range test.holds {
				if strings.Count(text, part) != 1 {
					t.Errorf("of the person's text %q is missing:\n%s", part, text)
				}
			}
			if strings.Contains(text, "\x00") {
				t.Errorf("there are NULs:\n%q", text)
			}
		})
	}
}

// TestALinkedChatStaysALink sends through a link; the model's line replaces the file behind it, with its mode.
// Promise 10.
func TestALinkedChatStaysALink(t *testing.T) {
	s := newUser(t, "turn\njson {\"answer\":\"Hi.\"}\n")
	behind := s.file("behind.md", asked)
	if err := os.Chmod(behind, 0o640); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.root, "ask.chat.md")
	if err := os.Symlink("behind.md", path); err != nil {
		t.Fatal(err)
	}
	_, notes, status := s.run("send", "--folder", s.root, path)
	if info, err := os.Lstat(path); status != 0 || err != nil || info.Mode().Type() != os.ModeSymlink || stat(t, behind).Mode().Perm() != 0o640 {
		t.Errorf("status %d: %s", status, notes)
	}
	if text := s.text("behind.md"); !strings.HasPrefix(text, "---\nmodel: ") || !strings.HasSuffix(text, "\nHi.\n\n## You\n\n") {
		t.Errorf("behind the link stands:\n%s", text)
	}
}

// TestAFullDiskAtEveryByte lets files grow to N bytes and no further, for each N: the question stays whole, the file
// ends where the disk did, and a call that is not in the file was not executed. The limit is that of a process of its
// own.
// Promise 10. Invariant 20.
func TestAFullDiskAtEveryByte(t *testing.T) {
	helper := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDiskHelper$", "-test.v", fmt.Sprintf("-test.short=%t", testing.Short()))
	helper.Env = append(os.Environ(), "FULL_DISK=## You\n\nIn README.md write Hello for Helo.\n")
	if out, err := helper.CombinedOutput(); err != nil || !strings.Contains(string(out), "recorded to its end") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// TestFullDiskHelper is not a test of its own: it is TestAFullDiskAtEveryByte in a process that may be limited.
func TestFullDiskHelper(t *testing.T) {
	asked := os.Getenv("FULL_DISK")
	if asked == "" {
		return
	}
	s := newUser(t, "turn repeat\n"+theEdit+"\n")
	step := 1
	if testing.Short() {
		step = 7 // make test has every byte
	}
	for limit := 0; limit < len(asked); limit += step {
		diskfiletest.Limited(t, limit, func() {
			if _, notes, status := s.run("run", "--folder", s.root, "In README.md write Hello for Helo."); status != 1 || !strings.Contains(notes, "file too large") {
				t.Errorf("limit %d, status %d: %s", limit, status, notes)
			}
		})
		if chats, err := filepath.Glob(filepath.Join(s.root, ".assent", "chats", "*.md")); err != nil || len(chats) > 0 {
			t.Fatalf("limit %d: half a question is left in %q, %v", limit, chats, err)
		}
	}
	if err := os.RemoveAll(filepath.Join(s.root, ".assent")); err != nil {
		t.Fatal(err)
	}
	said := 0
	const most = 4_000 // bytes of the whole chat
	for limit := len(asked) - 1; ; limit += step {
		if limit > most {
			t.Fatalf("limit %d: %s", limit, s.text("ask.chat.md"))
		}
		s.file("README.md", "Helo\n")
		path := s.file("ask.chat.md", asked)
		var notes string
		var status int
		diskfiletest.Limited(t, limit, func() {
			_, notes, status = s.run("send", "--folder", s.root, "--approve", "edit_file", "--max-steps", "1", path)
		})
		notes = s.withoutLog(notes)
		text, ran := s.text("ask.chat.md"), s.readme() == "Hello\n"
		if !strings.Contains(text, strings.TrimSpace(asked)) || strings.Contains(text, "\x00") || len(text) > max(limit, len(asked)) || status != 1 {
			t.Fatalf("limit %d, status %d: %s\n%q", limit, status, notes, text)
		}
		if ran && !strings.Contains(text, "```tool edit_file c1\npath: README.md\nold_text: Helo\nnew_text: Hello\n```\n") {
			t.Fatalf("limit %d: a call ran that was not recorded:\n%s", limit, text)
		}
		if s.names() != "README.md ask.chat.md" {
			t.Fatalf("limit %d: something is left in %s", limit, s.names())
		}
		if strings.Contains(notes, "file too large") {
			said++
			continue
		}
		if !ran || !strings.HasSuffix(text, "\n## You\n\n") || limit < len(asked)+200 || said != (limit-len(asked)+1)/step {
			t.Fatalf("limit %d: it is not said: %s\n%s", limit, notes, text)
		}
		t.Logf("recorded to its end with %d bytes", limit)
		return
	}
}

// withoutLog empties the logs of the state folder, and leaves out of the notes that one of them cannot be written: that
// holds up nothing.
func (s *user) withoutLog(notes string) string {
	s.t.Helper()
	logs, err := filepath.Glob(filepath.Join(s.state().Dir(), "*.jsonl"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, log := range logs {
		if err := os.Remove(log); err != nil {
			s.t.Fatal(err)
		}
	}
	var others strings.Builder
	for line := range strings.Lines(notes) {
		if !strings.Contains(line, s.state().Dir()) || !strings.Contains(line, ".jsonl") {
			others.WriteString(line)
		}
	}
	return others.String()
}

// TestBrokenStateIsTold runs and lists with grants that cannot be read.
func TestBrokenStateIsTold(t *testing.T) {
	s := newUser(t, "turn\n"+theEdit+"\n")
	grants := filepath.Join(s.state().Dir(), "grants.json")
	if err := errors.Join(os.MkdirAll(s.state().Dir(), 0o700), syscall.Mkfifo(grants, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"run", "--folder", s.root, "In README.md write Hello for Helo."}, {"grants"}} {
		if _, notes, _ := s.run(args...); strings.Count(notes, grants) != 1 || !strings.Contains(notes, "is not a regular file: move it away") {
			t.Errorf("%s says:\n%s", args[0], notes)
		}
	}
}

// TestAFullStateFolderIsTold cannot make what it needs in the state folder: nothing runs, and one sentence says why.
func TestAFullStateFolderIsTold(t *testing.T) {
	s := newUser(t, "")
	path := s.file("ask.chat.md", asked)
	if err := errors.Join(os.MkdirAll(s.state().Dir(), 0o700), os.WriteFile(filepath.Join(s.state().Dir(), "locks"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, notes, status := s.run("send", "--folder", s.root, path); status != 1 || strings.Count(notes, "\n") > 1 || !strings.Contains(notes, `/locks" cannot be made`) {
		t.Errorf("status %d: %s", status, notes)
	}
	if s.text("ask.chat.md") != asked {
		t.Errorf("the chat became %q", s.text("ask.chat.md"))
	}
}

// TestTheFrontMatterIsNotOverlooked: a key that nothing reads is said in a line, and one that was meant to narrow what
// runs ends the command.
// F13.
func TestTheFrontMatterIsNotOverlooked(t *testing.T) {
	for front, want := range map[string]struct {
		status int
		notes  string
	}{
		"tags: [a]":     {0, "assent: Nothing reads `tags` in the front matter.\n"},
		"promt: review": {0, "assent: Nothing reads `promt` in the front matter: perhaps you mean `prompt`.\n"},
		"Mode: plan":    {exitUsage, "In the front matter there is no key `Mode`: perhaps you mean `mode`."},
		"TOOLS: []":     {exitUsage, "In the front matter there is no key `TOOLS`: perhaps you mean `tools`."},
		"mode: Plan":    {exitUsage, "perhaps you mean `plan`"},
		"think: Low":    {exitUsage, "perhaps you mean `low`"},
	} {
		s := newUser(t, "turn\nsay Done.\n")
		s.file("ask.chat.md", "---\n"+front+"\n---\n\n## You\n\nOne?\n")
		_, notes, status := s.run("send", filepath.Join(s.root, "ask.chat.md"))
		if status != want.status || !strings.Contains(notes, want.notes) {
			t.Errorf("%s: status %d: %s", front, status, notes)
		}
	}
}
