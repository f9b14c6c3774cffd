package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/agent/opencalls"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools/diskfile/diskfiletest"
)

// slowEditors take long to show, or to report, what is written into a document.
var slowEditors = []lsptest.Options{
	{},
	{Hold: 400 * time.Millisecond},
	{Edits: lsptest.Drops, Hold: 150 * time.Millisecond, Name: "Neovim"},
	{Edits: lsptest.Mute},
}

// TestStopKeepsTheResultsOfCallsThatRan stops a run at many moments after a command was approved, and after a second
// call ran by a grant: whatever waits behind an edit in flight, the document says about every call that ran what it
// came to, and Resume has nothing to take up. Promise 10. Invariant 18.
func TestStopKeepsTheResultsOfCallsThatRan(t *testing.T) {
	t.Parallel()
	script := "turn\njson {\"tool\":\"write_file\",\"arguments\":{\"path\":\"one.txt\",\"content\":\"1\\n\"}}\n" +
		"turn\njson {\"tool\":\"write_file\",\"arguments\":{\"path\":\"two.txt\",\"content\":\"2\\n\"}}\n" +
		"turn\njson {\"tool\":\"run_command\",\"arguments\":{\"command\":\"echo ran >>log\"}}\n" +
		"turn\nraw {\"message\":{\"content\":\"{\\\"answer\\\":\\\"\"}}\n" + strings.Repeat("raw {\"message\":{\"content\":\"word and \"}}\npause 7ms\n", 60) + "hang\n"
	for _, kind := range slowEditors {
		for at := time.Duration(0); at < 1500*time.Millisecond; at += 83 * time.Millisecond {
			t.Run(fmt.Sprintf("%s%s/%s", kind.Edits, kind.Hold, at), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					l := newLab(t, script, kind, map[string]string{chat: "## You\n\nWrite and run.\n"})
					defer l.Leave()
					l.Open(chat)
					l.must(l.Do(chat, "Write", "Send"))
					l.waitDiagnostic(waits)
					l.must(l.Do(chat, "write_file c1", "Allow write_file in this chat"))
					stopAt := time.Now().Add(at)
					for time.Now().Before(stopAt) {
						if strings.Contains(diagnosticsOf(l), "run echo") {
							l.must(l.Do(chat, "run_command", "Approve once"))
						}
						<-time.After(20 * time.Millisecond)
						synctest.Wait()
					}
					if _, err := l.Execute("assent.stop"); err != nil {
						t.Fatal(err)
					}
					l.checkAfterRun()
					l.saysWhatRan()
				})
			})
		}
	}
}

// saysWhatRan compares the document with the folder: every file that a call made has its call with a result that says
// ok, and nothing that ran may be taken up again.
func (l *lab) saysWhatRan() {
	l.T.Helper()
	text := l.Text(chat)
	parsed := transcript.Parse(text)
	ok := map[string]bool{}
	called := map[string]string{}
	for _, turn := range parsed.Turns {
		for _, block := range turn.Blocks {
			switch b := block.(type) {
			case transcript.Call:
				called[b.ID] = string(b.Arguments)
			case transcript.Result:
				ok[b.ID] = b.Status == transcript.OK
			}
		}
	}
	for _, made := range []string{"one.txt", "two.txt", "log"} {
		_, err := os.Stat(filepath.Join(l.Dir, made))
		ran, says := err == nil, false
		for id, arguments := range called {
			says = says || ok[id] && strings.Contains(arguments, made)
		}
		if ran != says {
			l.T.Errorf("%s was made: %v, and the document says so: %v\n%s", made, ran, says, text)
		}
	}
	for _, open := range opencalls.Of(parsed, l.state.BegunCalls(filepath.Join(l.Dir, chat))) {
		for _, made := range []string{"one.txt", "two.txt", "log"} {
			if _, err := os.Stat(filepath.Join(l.Dir, made)); err == nil && strings.Contains(string(open.Arguments), made) {
				l.T.Errorf("Resume would run %s again:\n%s", open.Arguments, text)
			}
		}
	}
}

// begunCommand is a reply that runs a command without end, and begun returns once the command runs.
const begunCommand = "turn\njson {\"tool\":\"run_command\",\"arguments\":{\"command\":\"echo one >>log; echo >begun; exec sleep 1000\"}}\n"

func (l *lab) begun() {
	l.T.Helper()
	pipe := filepath.Join(l.Dir, "begun")
	l.must(diskfiletest.Pipe(pipe))
	l.must(l.Do(chat, "Run it", "Send"))
	l.waitDiagnostic(waits)
	l.Save(chat)
	l.must(l.Do(chat, "run_command", "Approve once"))
	_, err := os.ReadFile(pipe)
	l.must(err)
}

// TestACallThatStopEndedMayHaveHadEffects: its result says so, and Resume says it before anything else.
// Promise 10.
func TestACallThatStopEndedMayHaveHadEffects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, begunCommand+"turn\nexpect-last: denied\nexpect-last: may have had effects then\njson {\"answer\":\"As you like.\"}\n", lsptest.Options{}, map[string]string{chat: "## You\n\nRun it.\n"})
		defer l.Leave()
		l.Open(chat)
		l.begun()
		l.must(l.Do(chat, "Run it", "Stop"))
		l.checkAfterRun()
		if text := l.Text(chat); !strings.Contains(text, "```result c1 stopped") {
			t.Errorf("the result does not say that the call was stopped:\n%s", text)
		}
		l.asksAgain()
		l.must(l.Do(chat, "run_command", "Stop"))
		l.checkAfterRun()
		if text := l.Text(chat); strings.Contains(text, "not-run") || strings.Count(text, "```result c1 stopped") != 2 {
			t.Errorf("after Stop instead of an answer it is called\n%s", text)
		}
		l.asksAgain()
		l.must(l.Do(chat, "run_command", "Deny"))
		l.WaitText(chat, "As you like.")
		l.checkAfterRun()
		if got := l.Disk("log"); got != "one\n" {
			t.Errorf("the command ran again: %q", got)
		}
	})
}

// TestACallThatWasBegunIsNeverCalledNotRun ends the connection while a command runs, as an editor that dies does: the
// file on disk has the call and no result.
// Promise 10. Invariant 18.
func TestACallThatWasBegunIsNeverCalledNotRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, begunCommand, lsptest.Options{}, map[string]string{chat: "## You\n\nRun it.\n"})
		l.Open(chat)
		l.begun()
		l.Die()
		l.Env = lsptest.NewEnv(t, serveWith(t, l.state, l.config, l.transport), l.Dir, lsptest.Options{})
		defer l.Leave()
		l.Open(chat)
		l.asksAgain()
	})
}

// TestAnOldNotRunHidesNoBegunCall: a call is stopped before it was begun, resumed, and the result of that is lost. The
// model is told that it may have had effects, not the older "not run" that stands alone now.
func TestAnOldNotRunHidesNoBegunCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const told = "turn\nexpect: It may have had effects\nexpect-not: This call was not run\nsay: I look first.\n"
		l := newLab(t, begunCommand+told, lsptest.Options{}, map[string]string{chat: "## You\n\nRun it.\n"})
		defer l.Leave()
		l.Open(chat)
		l.begun()
		l.must(l.Do(chat, "Run it", "Stop"))
		l.checkAfterRun()
		_, result, found := strings.Cut(l.Text(chat), "```result c1 stopped")
		result, _, _ = strings.Cut(result, "## You")
		if !found {
			t.Fatalf("no result:\n%s", l.Text(chat))
		}
		l.Replace(chat, "```result c1 stopped"+result, "```result c1 not-run\n"+prompts.NotRun()+"\n```\n\n")
		l.Type(chat, "Go on.\n")
		l.must(l.Do(chat, "Go on", "Send"))
		l.WaitText(chat, "I look first.")
		l.checkAfterRun()
	})
}

// asksAgain resumes the call and checks that every word about it says first that it was begun.
func (l *lab) asksAgain() {
	l.T.Helper()
	l.waitDiagnostic("Stopped: run_command was begun and may have had effects")
	if all := diagnosticsOf(l); strings.Contains(all, "Not run") {
		l.T.Errorf("it is called not run: %s", all)
	}
	l.must(l.Do(chat, "run_command", "Resume: ask again about this call, which was begun before"))
	l.waitDiagnostic(waits)
	const first = ". This call was begun before and did not come to its end: it may have had effects already."
	if all := diagnosticsOf(l); !strings.Contains(all, first) {
		l.T.Errorf("the question says %s", all)
	}
}
