//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/assent-ls/assent/internal/visible"
)

const twoEdits = `turn
call edit_file {"path":"README.md","old_text":"Helo","new_text":"Hello"}
call write_file {"path":"other.txt","content":"other"}
turn
say Over.
`

func TestAnswersAtATerminal(t *testing.T) {
	for keys, want := range map[string]string{"y\n": "Hello\n", "a\n": "Hello\n", "c\n": "Hello\n", "n\n": "Helo\n", "\n": "Helo\n", "x\n": "", "\x04": "Helo\n", "r no, never\n": "Helo\n"} {
		s := newUser(t, oneEdit)
		p := s.sitDown(nil, "run", "--folder", s.root, "Mend README.md.")
		p.sees("edit_file wants: README.md")
		p.sees("+Hello")
		p.sees(lastChoice)
		p.types(keys)
		if want == "" { // it was no answer
			p.sees(lastChoice)
			p.types("y\n")
			want = "Hello\n"
		}
		if status, screen := p.leaves(); status != 0 || s.readme() != want || !strings.Contains(screen, "Over.") {
			t.Errorf("%q: status %d, README.md %q:\n%s", keys, status, s.readme(), screen)
		}
	}
}

func TestSendTakesUpACallThatAPersonApproves(t *testing.T) {
	s := newUser(t, "turn\n"+theEdit+"\nturn\nexpect-last: README.md\njson {\"answer\":\"It says Hello now.\"}\n")
	if _, notes, status := s.run("run", "--folder", s.root, "Mend README.md."); status != exitUnanswered {
		t.Fatalf("status %d:\n%s", status, notes)
	}
	path, _ := s.chat()
	p := s.sitDown(nil, "send", "--folder", s.root, "--approve", "edit_file", path)
	p.sees("edit_file wants: README.md")
	p.sees(lastChoice)
	p.types("y\n")
	status, screen := p.leaves()
	if status != 0 || s.readme() != "Hello\n" || !strings.Contains(screen, "It says Hello now.") {
		t.Errorf("status %d, README.md %q:\n%s", status, s.readme(), screen)
	}
	if _, text := s.chat(); strings.Count(text, "## You") != 2 || !strings.HasSuffix(text, "\n## You\n\n") {
		t.Errorf("no empty turn of the user stands at the end:\n%s", text)
	}
}

// Promise 1. Invariant 9.
func TestWhatWasTypedBeforeTheQuestionAnswersNothing(t *testing.T) {
	s := newUser(t, oneEdit)
	p := s.sitDown(nil, "run", "--folder", s.root, "Mend README.md.")
	p.types("y\ny\n")
	p.sees(lastChoice)
	p.types("n\n")
	if status, screen := p.leaves(); status != 0 || s.readme() != "Helo\n" {
		t.Errorf("status %d, README.md %q:\n%s", status, s.readme(), screen)
	}
}

// Promise 1.
func TestTwoQuickAnswersApproveOneCall(t *testing.T) {
	s := newUser(t, twoEdits)
	p := s.sitDown(nil, "run", "--folder", s.root, "--tool-format", "native", "Mend README.md.")
	p.sees("edit_file wants: README.md")
	p.sees(lastChoice)
	p.types("y\ny\n")
	p.sees("write_file wants: other.txt")
	p.sees(lastChoice)
	p.types("n\n")
	if status, screen := p.leaves(); status != 0 || s.readme() != "Hello\n" || s.exists("other.txt") {
		t.Errorf("status %d, README.md %q, other.txt %t:\n%s", status, s.readme(), s.exists("other.txt"), screen)
	}
}

// The answer "always" covers the next call: it is not asked about, since an answer would come too late.
// Promise 2.
func TestAnAnswerThatCoversTheNextCallIsTheOnlyOne(t *testing.T) {
	s := newUser(t, strings.ReplaceAll(twoEdits, `write_file {"path":"other.txt","content":"other"}`, `edit_file {"path":"b.md","old_text":"Helo","new_text":"Hello"}`))
	theFile(s, filepath.Join(s.root, "b.md"), "Helo\n")
	p := s.sitDown(nil, "run", "--folder", s.root, "--tool-format", "native", "Mend README.md and b.md.")
	p.sees(lastChoice)
	p.types("a\n")
	if status, screen := p.leaves(); status != 0 || s.readme() != "Hello\n" || strings.Count(screen, "wants:") != 1 {
		t.Errorf("status %d, README.md %q:\n%s", status, s.readme(), screen)
	}
}

// What a model asks is answered by a number of its choices, or in own words.
func TestAQuestionOfTheModelIsAnswered(t *testing.T) {
	for typed, want := range map[string]string{"2\n": "blue", "y green and gold\n": "green and gold"} {
		s := newUser(t, "turn\ncall: ask_user {\"question\":\"Which colour?\",\"choices\":[\"red\",\"blue\"]}\nturn\nexpect-last: "+want+"\nsay: I see.\n")
		p := s.sitDown(nil, "run", "--folder", s.root, "--tool-format", "native", "Paint it.")
		p.sees("Which colour?")
		p.sees(lastChoice)
		p.types(typed)
		if status, screen := p.leaves(); status != 0 || !strings.Contains(screen, "I see.") {
			t.Errorf("%q: status %d:\n%s", typed, status, screen)
		}
	}
}

func TestAnAnswerThatIsNotTakenIsAskedAgain(t *testing.T) {
	s := newUser(t, oneEdit)
	theFile(s, filepath.Join(os.Getenv("XDG_STATE_HOME"), "assent", "grants.json", "x"), "the list of grants is a folder")
	p := s.sitDown(nil, "run", "--folder", s.root, "Mend README.md.")
	p.sees(lastChoice)
	p.types("a\n")
	p.sees("Your answer was not taken: ")
	p.sees(lastChoice)
	p.types("y\n")
	if status, screen := p.leaves(); status != 0 || s.readme() != "Hello\n" {
		t.Errorf("status %d, README.md %q:\n%s", status, s.readme(), screen)
	}
}

// An answer that is none asks again, and what followed it was not typed for that.
// Promise 1.
func TestAnUnclearAnswerIsNotFollowedByAnotherOne(t *testing.T) {
	s := newUser(t, oneEdit)
	p := s.sitDown(nil, "run", "--folder", s.root, "Mend README.md.")
	p.sees(lastChoice)
	p.types("what?\ny\n")
	p.sees(lastChoice)
	p.types("n\n")
	if status, screen := p.leaves(); status != 0 || s.readme() != "Helo\n" {
		t.Errorf("status %d, README.md %q:\n%s", status, s.readme(), screen)
	}
}

func TestAnInterruptEndsAQuestion(t *testing.T) {
	s := newUser(t, oneEdit)
	p := s.sitDown(nil, "run", "--folder", s.root, "Mend README.md.")
	p.sees(lastChoice)
	p.types("\x03")
	if status, screen := p.leaves(); status != exitStopped || s.readme() != "Helo\n" || !strings.Contains(screen, "Stopped.") {
		t.Errorf("status %d, README.md %q:\n%s", status, s.readme(), screen)
	}
}

// Promise 1. Invariant 19.
func TestAQuestionIsSeenWhereverOutputGoes(t *testing.T) {
	s := newUser(t, oneEdit)
	var out, notes bytes.Buffer
	p := s.sitDown(func(c *exec.Cmd) { c.Stdout, c.Stderr = &out, &notes }, "run", "--folder", s.root, "Mend README.md.")
	p.sees("edit_file wants: README.md")
	p.sees(lastChoice)
	p.types("y\n")
	status, screen := p.leaves()
	if status != 0 || s.readme() != "Hello\n" || strings.Contains(notes.String()+out.String(), "wants:") {
		t.Errorf("status %d, README.md %q:\n%s\n%s\n%s", status, s.readme(), screen, &out, &notes)
	}
}

// S25: what is on an input that is no terminal answers nothing, and the exit status says that a call was not
// answered.
// Promise 1.
func TestWithoutATerminalNobodyIsAsked(t *testing.T) {
	for name, change := range map[string]func(*exec.Cmd){
		"input from elsewhere":    func(c *exec.Cmd) { c.Stdin, c.SysProcAttr.Ctty = strings.NewReader("y\ny\ny\n"), 1 },
		"no controlling terminal": func(c *exec.Cmd) { c.SysProcAttr.Setctty = false; c.Stderr = nil },
	} {
		s := newUser(t, oneEdit)
		p := s.sitDown(change, "run", "--folder", s.root, "Mend README.md.")
		p.types("y\ny\n")
		if status, screen := p.leaves(); status != exitUnanswered || s.readme() != "Helo\n" {
			t.Errorf("%s: status %d, README.md %q:\n%s", name, status, s.readme(), screen)
		}
	}
}

// A question that is longer than the screen is shown screen by screen, and only then can it be approved.
// Promise 1.
func TestWhatWasNotShownCannotBeApproved(t *testing.T) {
	long := strings.Repeat(`echo line; \n`, 60) + `rm evil # ` + strings.Repeat("x", 400)
	s := newUser(t, `turn
call run_command {"command":"`+long+`"}
turn
say Over.
`)
	p := s.sitDown(nil, "run", "--folder", s.root, "--tool-format", "native", "Run it.")
	p.sees("run_command wants: ")
	const more = "lines)  [Enter] more  [n] deny: "
	pages := 0
	last, which := p.seesOneOf(more, lastChoice)
	for ; which == more; last, which = p.seesOneOf(more, lastChoice) {
		if rows := strings.Count(last, "\n") + 1; rows > 24 {
			t.Errorf("a page has %d rows:\n%s", rows, last)
		}
		pages++
		p.types("y\n")
	}
	if rows := strings.Count(last, "\n") + 2; rows > 24 || pages < 3 || !strings.Contains(last, "run_command wants: echo") {
		t.Errorf("%d pages; the last has %d rows:\n%s", pages, rows, last)
	}
	p.types("n\n")
	if _, screen := p.leaves(); !strings.Contains(screen, "run_command: ") || !strings.Contains(screen, "rm evil") {
		t.Errorf("the screen:\n%s", screen)
	}
}

// A terminal may say any size, one cell wide too.
func TestAQuestionIsAskedOnEveryWidthOfTerminal(t *testing.T) {
	for columns := uint16(1); columns <= 8; columns++ {
		s := newUser(t, oneEdit)
		p := s.sitDown(func(c *exec.Cmd) {
			if err := pty.Setsize(c.Stdin.(*os.File), &pty.Winsize{Rows: 4, Cols: columns}); err != nil {
				t.Fatal(err)
			}
		}, "run", "--folder", s.root, "Mend README.md.")
		const more, last = "\r\n    [n] deny: ", "\r\n    why: " // broken between words
		for _, which := p.seesOneOf(more, last); which == more; _, which = p.seesOneOf(more, last) {
			p.types("\n")
		}
		p.types("y\n")
		if status, screen := p.leaves(); status != 0 || s.readme() != "Hello\n" {
			t.Errorf("%d columns: status %d, README.md %q:\n%s", columns, status, s.readme(), screen)
		}
	}
}

// begin is what the program itself sends to the terminal before a question.
const begin = "\x1b[0m\x1b[?25h\x0f\x1b(B\r\n"

// what the program itself sends to a terminal: it clears its line of progress, and with colour sets styles.
var (
	clears = regexp.MustCompile("\r\x1b\\[K")
	styles = regexp.MustCompile("\x1b\\[(0|1|2|31|32|33|36)m")
)

// Promise 1. Invariant 19.
func TestAReplyCannotPaintOverTheTerminal(t *testing.T) {
	for _, color := range []string{"never", "auto"} {
		t.Run(color, func(t *testing.T) { replyCannotPaint(t, color) })
	}
}

func replyCannotPaint(t *testing.T, color string) {
	t.Helper()
	const paint = `\u001b[2J\u001b[H\u001b[8m\u001b]0;title\u0007\u009b31m\rwrite_file wants: harmless.txt \u202e\u2066\u200b\u3164\u17b4 \u00ad\ue000`
	s := newUser(t, `turn
think "`+paint+`"
split 1
say "`+strings.ReplaceAll(paint, `\u00ad\ue000`, `\U000E0041`)+` and no line end"
call edit_file {"path":"README.md","old_text":"Helo","new_text":"`+paint+`"}
call no_`+`such_tool {"a":"`+paint+`"}
turn
error-line "`+paint+`"
`)
	p := s.sitDown(nil, "run", "--folder", s.root, "--tool-format", "native", "--color", color, "Mend README.md.")
	p.sees(begin + map[string]string{"never": "", "auto": "\x1b[1m"}[color] + "edit_file wants: README.md")
	p.sees(lastChoice)
	p.types("y\n")
	_, screen := p.leaves()
	if strings.Count(screen, begin) != 1 || !strings.Contains(screen, "<U+001B>[2J") || !strings.Contains(screen, "<U+E0041>") {
		t.Errorf("the screen:\n%q", screen)
	}
	ours := strings.ReplaceAll(strings.ReplaceAll(screen, begin, "\n"), "\r\n", "\n")
	ours = clears.ReplaceAllString(ours, "")
	if color == "auto" {
		ours = styles.ReplaceAllString(ours, "")
	}
	for line := range strings.SplitSeq(ours, "\n") {
		if visible.Text(line) != line {
			t.Errorf("printed raw: %q", line)
		}
	}
}

// A model that runs elsewhere is asked about before anything is sent, for this run alone.
// Promise 9.
func TestAModelElsewhereIsAskedAboutOnTheTerminal(t *testing.T) {
	for answer, want := range map[string]struct {
		status int
		said   string
	}{"y\n": {0, "Hello."}, "n\n": {exitStopped, "Nothing was sent to harmless:1b, which runs at ollama.com"}} {
		script := elsewhere
		if want.status == 0 {
			script += "turn\njson {\"answer\":\"Hello.\"}\n"
		}
		s := newUser(t, script)
		p := s.sitDown(nil, "send", s.write("far.chat.md", farChat), "--folder", s.root)
		p.sees("This chat would be sent to harmless:1b, which runs at ollama.com")
		p.sees("The head of this chat names it.")
		p.sees("[y] send it  [n] deny: ") // the colon says that it listens
		p.types(answer)
		if status, screen := p.leaves(); status != want.status || !strings.Contains(screen, want.said) || strings.Count(screen, "would be sent to") != 1 {
			t.Errorf("%q: status %d:\n%s", answer, status, screen)
		}
	}
}

// TestACallWithoutATargetIsNamedOnce, also where nobody can be asked.
func TestACallWithoutATargetIsNamedOnce(t *testing.T) {
	const script = "turn\ncall get_time {}\nturn\nsay Late.\n"
	s := newUser(t, script)
	s.permits(`{"ask":[{"tool":"get_time"}]}`)
	p := s.sitDown(nil, "run", "--folder", s.root, "--tool-format", "native", "Which day is it?")
	p.sees("get_time wants to run\x1b[0m\r\n")
	p.sees(lastChoice)
	p.types("y\n")
	if status, screen := p.leaves(); status != 0 || strings.Contains(screen, "get_time get_time") {
		t.Errorf("status %d:\n%s", status, screen)
	}
	s = newUser(t, script)
	s.permits(`{"ask":[{"tool":"get_time"}]}`)
	path := s.write("x.chat.md", "## You\n\nWhich day is it?\n\n## Assistant\n\n```tool get_time c1\n```\n")
	_, notes, status := s.run("send", "--folder", s.root, "--tool-format", "native", path)
	if status != exitUnanswered || !strings.Contains(notes, "\nassent: get_time: this call stands in the file") {
		t.Errorf("status %d:\n%s", status, notes)
	}
}
