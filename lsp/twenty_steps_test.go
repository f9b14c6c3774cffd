package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/lsp"
	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/workspace"
)

// project is a small one with a test of its own, which fails: all three functions are wrong.
var project = map[string]string{
	"src/add.sh": "# add prints the sum of two numbers.\nadd() {\n  echo $(($1 - $2))\n}\n",
	"src/mul.sh": "# mul prints the product of two numbers.\nmul() {\n  echo $(($1 + $2))\n}\n",
	"src/neg.sh": "# neg prints a number with the other sign.\nneg() {\n  echo $((0 + $1))\n}\n",
	"test.sh": "for f in add mul neg; do . ./src/$f.sh; done\n" +
		"[ \"$(add 2 3)\" = 5 ] || { echo add is wrong; exit 1; }\n" +
		"[ \"$(mul 2 3)\" = 6 ] || { echo mul is wrong; exit 1; }\n" +
		"[ \"$(neg 2)\" = -2 ] || { echo neg is wrong; exit 1; }\necho all passed\n",
	"README.md": "# Numbers\n",
	chat:        "## You\n\nMake the tests pass.\n",
}

// twentySteps is what a model does about it: it looks around, edits three files, runs the tests, mends what it got wrong, and
// runs them again.
var twentySteps = []string{
	`{"tool":"list_directory","arguments":{"path":"."}}`,
	`{"tool":"read_file","arguments":{"path":"test.sh"}}`,
	`{"tool":"find_files","arguments":{"pattern":"*.sh"}}`,
	`{"tool":"search_files","arguments":{"pattern":"echo"}}`,
	`{"tool":"read_file","arguments":{"path":"src/add.sh"}}`,
	`{"tool":"read_file","arguments":{"path":"src/mul.sh"}}`,
	`{"tool":"read_file","arguments":{"path":"src/neg.sh"}}`,
	`{"tool":"run_command","arguments":{"command":"ls -l src"}}`,
	`{"tool":"edit_file","arguments":{"path":"src/add.sh","old_text":"$1 - $2","new_text":"$1 + $2"}}`,
	`{"tool":"edit_file","arguments":{"path":"src/mul.sh","old_text":"$1 + $2","new_text":"$1 ** $2"}}`,
	`{"tool":"edit_file","arguments":{"path":"src/neg.sh","old_text":"0 + $1","new_text":"0 - $1"}}`,
	`{"tool":"run_command","arguments":{"command":"sh test.sh"}}`,
	`{"tool":"run_command","arguments":{"command":"grep -n echo src/mul.sh | head -n 3"}}`,
	`{"tool":"read_file","arguments":{"path":"src/mul.sh"}}`,
	`{"tool":"edit_file","arguments":{"path":"src/mul.sh","old_text":"$1 ** $2","new_text":"$1 * $2"}}`,
	`{"tool":"run_command","arguments":{"command":"sh test.sh"}}`,
	`{"tool":"read_file","arguments":{"path":"README.md"}}`,
	`{"tool":"run_command","arguments":{"command":"wc -l src/add.sh && cat src/neg.sh"}}`,
	`{"tool":"run_command","arguments":{"command":"sh test.sh"}}`,
	`{"answer":"All tests pass."}`,
}

// TestTwentyStepsNeedThreeAnswers (D4): an ordinary task of twenty steps stops for a person at most three times, from no rules, in
// mode ask, with the sandbox; five times where saving is theirs. What they choose is the narrowest offer that says "Always",
// or else "in this chat".
func TestTwentyStepsNeedThreeAnswers(t *testing.T) {
	t.Parallel()
	for _, kind := range []struct {
		name  string
		saves bool // the editor saves what was approved, as ours for VS Code does
		most  int
	}{{"editor saves", true, 3}, {"person saves", false, 5}} {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			p := newPerson(t, t.TempDir(), project, twentySteps)
			p.saves = kind.saves
			p.work("the answer", func() bool { return strings.Contains(p.Text(chat), "All tests pass.") })
			p.Leave()
			if len(p.stops) > kind.most {
				t.Errorf("stopped %d times, and may %d times:\n%s", len(p.stops), kind.most, strings.Join(p.stops, "\n"))
			}
			text := p.Text(chat)
			if strings.Count(text, "\nall passed\n[Exit status 0.]") != 2 || !strings.Contains(text, "\nmul is wrong\n[Exit status 1.]") {
				t.Errorf("the tests did not run as they should:\n%s", text)
			}
			t.Logf("%s: %d stops:\n%s", kind.name, len(p.stops), strings.Join(p.stops, "\n"))
		})
	}
}

// stillAsked are steps that go beyond what the twenty needed, and what a person is asked about each. Steps without a question run.
var stillAsked = []struct{ call, asks string }{
	{`{"tool":"run_command","arguments":{"command":"sh test.sh"}}`, ""},
	{`{"tool":"read_file","arguments":{"path":"src/add.sh"}}`, ""},
	{`{"tool":"read_file","arguments":{"path":"README.md"}}`, ""},
	{`{"tool":"edit_file","arguments":{"path":"src/add.sh","old_text":"prints","new_text":"gives"}}`, ""},
	{`{"tool":"run_command","arguments":{"command":"git -c core.pager=true log"}}`, "run git -c core.pager=true log"},
	{`{"tool":"edit_file","arguments":{"path":"README.md","old_text":"Numbers","new_text":"Sums"}}`, "edit README.md"},
	{`{"tool":"write_file","arguments":{"path":"src/.env","content":"KEY=1\n"}}`, "write src/.env (new)"},
	{`{"tool":"write_file","arguments":{"path":".vscode/tasks.json","content":"{}\n"}}`, "write .vscode/tasks.json (new)"},
	{`{"tool":"run_command","arguments":{"command":"sh other.sh"}}`, "run sh other.sh"},
	{`{"tool":"run_command","arguments":{"command":"sh test.sh; rm README.md"}}`, "run sh test.sh; rm README.md"},
	{`{"tool":"run_command","arguments":{"command":"cat src/add.sh > README.md"}}`, "run cat src/add.sh > README.md"},
	{`{"tool":"run_command","arguments":{"command":"echo $(cat README.md)"}}`, "run echo $(cat README.md)"},
	{`{"tool":"run_command","arguments":{"command":"sh  ./test.sh"}}`, "run sh  ./test.sh"},
}

// TestWhatIsStillAskedAfterTheTwentySteps: what a person allowed for the twenty steps covers them, and nothing that goes beyond.
func TestWhatIsStillAskedAfterTheTwentySteps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := newPerson(t, dir, project, twentySteps)
	first.saves = true
	first.work("the answer", func() bool { return strings.Contains(first.Text(chat), "All tests pass.") })
	first.Leave()

	steps, want := []string{}, []string{}
	for _, s := range stillAsked {
		steps = append(steps, s.call)
		if s.asks != "" {
			want = append(want, s.asks)
		}
	}
	then := map[string]string{}
	for name := range project {
		then[name] = first.Disk(name)
	}
	then[chat] = "## You\n\nAnd now the rest.\n"
	p := newPerson(t, dir, then, append(steps, `{"answer":"That is all."}`))
	p.saves, p.denies = true, true
	p.work("the answer", func() bool { return strings.Contains(p.Text(chat), "That is all.") })
	p.Leave()
	if diff := cmp.Diff(want, p.stops); diff != "" {
		t.Errorf("asked about (-want +got):\n%s\n%s", diff, p.Text(chat))
	}
	for name, text := range then {
		if name != chat && name != "src/add.sh" && p.Disk(name) != text {
			t.Errorf("%s was changed", name)
		}
	}
}

// person answers what is asked, and saves where that is needed.
type person struct {
	*lsptest.Env

	saves  bool     // their editor saves what was approved
	denies bool     // they say no to everything
	stops  []string // what the person had to do, in order
}

// newPerson starts an editor with a project in which a chat is sent. In a folder where another one was before, what it allowed holds.
func newPerson(t *testing.T, dir string, files map[string]string, steps []string) *person {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, transport := agenttest.StartInMemory(t, "turn\njson "+strings.Join(steps, "\nturn\njson ")+"\n")
	state, err := workspace.OpenState(dir + "-state")
	if err != nil {
		t.Fatal(err)
	}
	s := sandbox.New(sandbox.Options{Helper: sandboxtest.Helper(), Root: dir, Cache: dir + "-cache"})
	if state := s.State(t.Context()); !state.Proven {
		t.Skipf("NOT TESTED: no sandbox here: %v", state.Details)
	}
	confine := func(o *lsp.Options) { o.Sandbox = func(*workspace.Workspace) tools.Sandbox { return s } }
	p := &person{Env: lsptest.NewEnv(t, serveWith(t, state, dir+"-config", transport, confine), dir, lsptest.Options{})}
	for name := range files {
		p.Open(name)
	}
	if err := p.Do(chat, "You", "Send"); err != nil {
		t.Fatal(err)
	}
	return p
}

// work answers until done says that it is over.
func (p *person) work(what string, done func() bool) {
	p.T.Helper()
	answered := map[string]bool{}
	for !done() {
		var waits, asked string
		p.WaitFor("a question, or "+what, func() bool {
			waits = ""
			for _, d := range p.Diagnostics(chat) {
				// While files are saved one after the other, the same question names fewer and fewer of them.
				what, _, _ := strings.Cut(d.Message, "Unsaved changes by Assent in")
				if strings.HasPrefix(d.Message, "Waits for") && !answered[fmt.Sprint(d.Range.Start.Line, what)] {
					waits, asked = d.Message, fmt.Sprint(d.Range.Start.Line, what)
				}
			}
			return waits != "" || done()
		})
		if waits == "" {
			return
		}
		answered[asked] = true
		p.answer(waits)
	}
}

// answer chooses for a question, by the id of the last call in the chat.
func (p *person) answer(waits string) {
	p.T.Helper()
	text := p.Text(chat)
	call := text[strings.LastIndex(text, "```tool "):]
	call, _, _ = strings.Cut(strings.TrimPrefix(call, "```"), "\n")
	titles := p.Titles(chat, call)
	if strings.Contains(waits, "Unsaved changes") {
		if !p.saves { // else the editor did it a moment later, and nobody was needed
			p.stops = append(p.stops, "save: "+waits)
		}
		p.saveAll()
		return
	}
	if p.denies {
		_, what, _ := strings.Cut(waits, "Waits for your answer: ")
		what, _, _ = strings.Cut(what, ". ")
		p.stops = append(p.stops, what)
		if err := p.Do(chat, call, "Deny"); err != nil {
			p.T.Fatal(err)
		}
		return
	}
	at := slices.IndexFunc(titles, func(t string) bool { return strings.HasPrefix(t, "Always allow") })
	if at < 0 {
		at = slices.IndexFunc(titles, func(t string) bool { return strings.HasSuffix(t, "in this chat") })
	}
	if at < 0 {
		p.T.Fatalf("%s offers nothing for later: %q\n%s", waits, titles, p.Dump())
	}
	p.stops = append(p.stops, waits+" → "+titles[at])
	if err := p.Do(chat, call, titles[at]); err != nil {
		p.T.Fatal(err)
	}
}

func (p *person) saveAll() {
	p.T.Helper()
	for name := range project {
		if name != chat && p.Text(name) != p.Disk(name) {
			p.Save(name)
		}
	}
}
