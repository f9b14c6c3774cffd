//go:build unix

package main

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// theKeys is what a conversation begins with.
const theKeys = "Ctrl-D or /exit ends the conversation."

// talks starts a conversation at a terminal.
func (s *user) talks(change func(*exec.Cmd), flags ...string) *typist {
	s.t.Helper()
	p := s.sitDown(change, append([]string{"run", "--folder", s.root}, flags...)...)
	p.sees(theKeys)
	p.sees("> ")
	return p
}

// TestAConversation: two messages are two turns of one chat, a call is asked about in between, and the chat is named
// when it begins and at the end.
func TestAConversation(t *testing.T) {
	s := newUser(t, oneEdit+"turn\nexpect-last: And now?\njson {\"answer\":\"It is mended.\"}\n")
	p := s.talks(nil)
	p.types("In @READ\tput\x1b\rHello.\r")
	p.sees("In @README.md put⏎Hello.")
	p.sees("-1.chat.md")
	p.sees("edit_file wants: README.md")
	p.sees(lastChoice)
	p.types("y\r")
	p.sees("Over.")
	p.sees("> ")
	p.types("And now?\r")
	p.sees("It is mended.")
	p.sees("> ")
	p.types("\x04")
	status, screen := p.leaves()
	path, text := s.chat()
	if status != 0 || s.readme() != "Hello\n" || strings.Count(screen, filepath.Base(path)) != 2 {
		t.Errorf("status %d, README.md %q:\n%s", status, s.readme(), screen)
	}
	if !strings.Contains(text, "\n## You\n\nIn @README.md put\nHello.\n") || strings.Count(text, "## You") != 3 || !strings.Contains(text, "\n## You\n\nAnd now?\n\n## Assistant\n") {
		t.Errorf("the chat:\n%s", text)
	}
	p = s.talks(nil)
	p.types("\x1b[A\x1b[A")
	p.sees("In @README.md put⏎Hello.")
	p.types("\x03")
	p.sees(theKeys)
	p.sees("> ") // in between the terminal would take the key for the end of a line
	p.types("\x04")
	if status, screen := p.leaves(); status != 0 || len(s.chats()) != 1 {
		t.Errorf("without a message: status %d:\n%s", status, screen)
	}
}

// TestAnInterruptStopsATurn and not the conversation, also while a question is asked.
func TestAnInterruptStopsATurn(t *testing.T) {
	s := newUser(t, "turn\n"+theEdit+"\nturn\nsay {\"answer\":\"Still thinking of\nhang\nturn\njson {\"answer\":\"Here.\"}\n")
	p := s.talks(nil)
	p.types("Mend README.md.\r")
	p.sees(lastChoice)
	p.types("\x03")
	p.sees("Stopped.")
	p.sees("> ")
	p.types("Are you there?\r")
	p.sees("Still")
	p.types("\x03")
	p.sees("Stopped.")
	p.sees("> ")
	p.types("And now?\r")
	p.sees("Here.")
	p.sees("> ")
	p.types("/exit\r")
	if status, screen := p.leaves(); status != 0 || s.readme() != "Helo\n" {
		t.Errorf("status %d, README.md %q:\n%s", status, s.readme(), screen)
	}
}

// TestAPageIsPasted of a megabyte into a conversation, and the model gets all of it. With the race detector it is a
// quarter of one.
func TestAPageIsPasted(t *testing.T) {
	size := 1 << 20
	if race {
		size /= 4
	}
	page := strings.Repeat("some words of a page that is pasted\n", size/36)
	s := newUser(t, "model large:1b context=1000000\nturn\njson {\"answer\":\"I see.\"}\n")
	p := s.talks(nil, "--context-size", "1000000")
	p.types("See:\x1b[200~" + strings.ReplaceAll(page, "\n", "\r") + "end\x1b[201~\r")
	p.sees("lines]")
	p.sees("> ")
	p.types("\x04")
	if status, screen := p.leaves(); status != 0 || len(s.chats()) == 0 {
		t.Fatalf("status %d:\n%s", status, screen)
	}
	if _, text := s.chat(); !strings.Contains(text, "See:"+page+"end\n") {
		t.Errorf("the chat has %d bytes", len(text))
	}
	kept, err := os.ReadFile(filepath.Join(os.Getenv("XDG_STATE_HOME"), "assent", "typed.json"))
	if err != nil || !strings.Contains(string(kept), "See:") || strings.Contains(string(kept), "some words") {
		t.Errorf("%v: the history is %.200s", err, kept)
	}
}

// hangupsIgnored is asked before a test listens for hangups: signal.Ignored says false from then on.
var hangupsIgnored = signal.Ignored(syscall.SIGHUP)

// TestOddTerminals: one that knows no control sequences, one of 40 columns that grows, one that goes away.
func TestOddTerminals(t *testing.T) {
	const answers = "turn\njson {\"answer\":\"One.\"}\nturn\njson {\"answer\":\"Two.\"}\n"
	t.Run("dumb", func(t *testing.T) {
		s := newUser(t, answers)
		p := s.talks(func(c *exec.Cmd) { c.Env = append(c.Env, "TERM=dumb") })
		p.types("first\\\nline\n")
		p.sees("One.")
		p.sees("> ")
		p.types("\x03")
		p.sees(theKeys)
		p.types("second\n")
		p.sees("Two.")
		p.sees("> ")
		p.types("\x04")
		status, screen := p.leaves()
		if _, text := s.chat(); status != 0 || strings.Contains(screen, "\x1b") || !strings.Contains(text, "first\nline\n") {
			t.Errorf("status %d: %q\n%s", status, screen, text)
		}
	})
	t.Run("40 columns", func(t *testing.T) {
		s := newUser(t, answers)
		p := s.talks(nil)
		if err := pty.Setsize(p.keys, &pty.Winsize{Rows: 24, Cols: 40}); err != nil {
			t.Fatal(err)
		}
		p.types(strings.Repeat("שלום ", 20) + "\r")
		p.sees("One.")
		if err := pty.Setsize(p.keys, &pty.Winsize{Rows: 30, Cols: 100}); err != nil {
			t.Fatal(err)
		}
		p.sees("> ")
		p.types("more\r")
		p.sees("Two.")
		p.sees("> ")
		p.types("\x04")
		if status, screen := p.leaves(); status != 0 {
			t.Errorf("status %d: %q", status, screen)
		}
		if _, text := s.chat(); !strings.Contains(text, strings.TrimSpace(strings.Repeat("שלום ", 20))+"\n") {
			t.Error(text)
		}
	})
	t.Run("gone", func(t *testing.T) {
		s := newUser(t, answers)
		p := s.talks(nil)
		p.types("half a mess")
		p.sees("mess")
		gone := syscall.SIGHUP
		if hangupsIgnored { // the tests run under nohup, and so does the program
			gone = syscall.SIGTERM
		}
		if err := p.cmd.Process.Signal(gone); err != nil {
			t.Fatal(err)
		}
		if status, screen := p.leaves(); status != exitStopped || !strings.Contains(screen, "\x1b[?2004l") || len(s.chats()) > 0 {
			t.Errorf("status %d: %q", status, screen)
		}
	})
}

// TestATerminalThatChangesInAReply: nothing of the reply is lost, and the question behind it fits the new size.
func TestATerminalThatChangesInAReply(t *testing.T) {
	s := newUser(t, `turn
say "The first half of the reply is here, "
hold
say "and this is the second half of it."
`+theCall+`
turn
say "Over."
`)
	p := s.talks(nil, "--tool-format", "native")
	p.types("Mend README.md.\r")
	p.sees("half of the reply is here,")
	if err := pty.Setsize(p.keys, &pty.Winsize{Rows: 24, Cols: 40}); err != nil {
		t.Fatal(err)
	}
	s.model.Release()
	p.sees("and this is the second half of it.")
	p.sees("edit_file wants: README.md")
	p.sees("\r\n    [n] deny  [r] deny and say why: ")
	if err := pty.Setsize(p.keys, &pty.Winsize{Rows: 24, Cols: 100}); err != nil {
		t.Fatal(err)
	}
	p.types("y\r")
	p.sees("Over.")
	p.sees("> ")
	p.types("\x04")
	status, screen := p.leaves()
	if _, text := s.chat(); status != 0 || s.readme() != "Hello\n" ||
		!strings.Contains(text, "The first half of the reply is here, and this is the second half of it.") {
		t.Errorf("status %d, README.md %q:\n%s\n%s", status, s.readme(), screen, text)
	}
}

// theCall is what mends the README, as a model calls natively.
const theCall = `call edit_file {"path":"README.md","old_text":"Helo","new_text":"Hello"}`

// jobControl is a shell that continues its job whenever it is stopped and a line is typed. Bash would leave a loop then.
const jobControl = `set -m
look() {
	status=$?
	[ $status = 148 ] || return
	echo "the shell again"
	read -r line
	echo "typed: $line"
	fg >/dev/null
	look
}
"$@"
look
echo "ended: $status"`

// TestCtrlZStopsAConversation at a shell, half a message and half a reply long: the shell has its terminal as it was, and
// what was there goes on when the person comes back.
func TestCtrlZStopsAConversation(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("NOT TESTED: there is no bash")
	}
	s := newUser(t, "turn\nsay {\"answer\":\"The first half\nhold\nsay , and the second.\"}\n")
	p := s.talks(func(c *exec.Cmd) {
		c.Args = append([]string{"bash", "-c", jobControl, "bash", c.Path}, c.Args[1:]...)
		c.Path = bash
	})
	back := func() {
		t.Helper()
		p.sees("the shell again")
		p.types("a word of the shell\r")
		p.sees("a word of the shell") // the terminal shows again what is typed
		p.sees("typed: a word of the shell")
	}
	p.types("half a mess")
	p.sees("mess")
	p.types("\x1a")
	back()
	p.sees("> half a mess")
	p.types("age\r")
	p.sees("The first half")
	p.types("\x1a")
	back()
	s.model.Release()
	p.sees(", and the second.")
	p.sees("> ")
	p.types("\x04")
	p.sees("ended: 0")
	status, screen := p.leaves()
	if _, text := s.chat(); status != 0 || !strings.Contains(text, "\nhalf a message\n") || !strings.Contains(text, "The first half, and the second.") {
		t.Errorf("status %d:\n%s\n%s", status, screen, text)
	}
}

// TestAConversationNeedsATerminal for what is typed and for what is shown.
func TestAConversationNeedsATerminal(t *testing.T) {
	for name, change := range map[string]func(*exec.Cmd){
		"no input":  func(c *exec.Cmd) { c.Stdin, c.SysProcAttr.Ctty = strings.NewReader(""), 1 },
		"no output": func(c *exec.Cmd) { c.Stdout = &strings.Builder{} },
	} {
		s := newUser(t, "")
		p := s.sitDown(change, "run", "--folder", s.root)
		if status, screen := p.leaves(); status != exitUsage || !strings.Contains(screen, "the prompt is empty") {
			t.Errorf("%s: status %d:\n%s", name, status, screen)
		}
	}
}
