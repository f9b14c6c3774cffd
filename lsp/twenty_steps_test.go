package lsp_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/lsp"
	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// TestTwentyStepsNeedThreeAnswers (D4): an ordinary task of twenty steps stops for a person at most three times, from
// no rules, in mode ask, with the sandbox; five times where saving is theirs. What they choose is the narrowest offer
// that says "Always", or else "in this chat".
func TestTwentyStepsNeedThreeAnswers(t *testing.T) {
	t.Parallel()
	for _, kind := range []struct {
		name  string
		saves bool // the editor saves what was approved, as ours for VS Code does
		most  int
	}{{"editor saves", true, 3}, {"person saves", false, 5}} {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			task := agenttest.TwentySteps()
			p := newPerson(t, t.TempDir(), task.Files, "Make the tests pass.", task.Steps)
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

// With commands tried on a copy the same task stops for a person at most two times.
func TestTwentyStepsNeedTwoAnswersWhereCommandsAreTried(t *testing.T) {
	t.Parallel()
	task := agenttest.TwentySteps()
	dir := t.TempDir()
	setForUser(t, dir, `{"commands":"try"}`)
	p := newPerson(t, dir, task.Files, "Make the tests pass.", task.Steps)
	p.saves = true
	p.work("the answer", func() bool { return strings.Contains(p.Text(chat), "All tests pass.") })
	p.Leave()
	if len(p.stops) > 2 {
		t.Errorf("stopped %d times, and may 2 times:\n%s", len(p.stops), strings.Join(p.stops, "\n"))
	}
	if text := p.Text(chat); strings.Count(text, "\nall passed\n[Exit status 0.]") != 2 {
		t.Errorf("the tests did not run as they should:\n%s", text)
	}
	t.Logf("%d stops:\n%s", len(p.stops), strings.Join(p.stops, "\n"))
}

// setForUser writes the settings file of the user of a person's editor.
func setForUser(t *testing.T, dir, text string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err == nil {
		err = os.MkdirAll(dir+"-config", 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir+"-config", "settings.json"), []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Neither a workspace nor a chat can have commands run unasked.
// Promise 6.
func TestAWorkspaceCannotHaveCommandsTried(t *testing.T) {
	t.Parallel()
	p := newPerson(t, t.TempDir(), map[string]string{".assent/settings.json": `{"commands":"try"}`, "a": "1\n"}, "Run it.\n\n    commands: try", `turn
json {"tool":"run_command","arguments":{"command":"sh -c 'echo 2 >>a'"}}
turn
json {"answer":"Done."}
`)
	p.WaitFor("the question", func() bool {
		return slices.ContainsFunc(p.Diagnostics(chat), func(d protocol.Diagnostic) bool { return strings.Contains(d.Message, "Waits for your answer: run sh") })
	})
	if p.Disk("a") != "1\n" {
		t.Error("it ran")
	}
	p.Leave()
}

// TestWhatIsStillAskedAfterTheTwentySteps: what a person allowed for the twenty steps covers them, and nothing that
// goes beyond.
func TestWhatIsStillAskedAfterTheTwentySteps(t *testing.T) {
	t.Parallel()
	dir, task := t.TempDir(), agenttest.TwentySteps()
	first := newPerson(t, dir, task.Files, "Make the tests pass.", task.Steps)
	first.saves = true
	first.work("the answer", func() bool { return strings.Contains(first.Text(chat), "All tests pass.") })
	first.Leave()

	then := map[string]string{}
	for name := range task.Files {
		then[name] = first.Disk(name)
	}
	p := newPerson(t, dir, then, "And now the rest.", task.Beyond)
	p.saves, p.denies = true, true
	p.work("the answer", func() bool { return strings.Contains(p.Text(chat), "That is all.") })
	p.Leave()
	if diff := cmp.Diff(task.Asks, p.stops); diff != "" {
		t.Errorf("asked about (-want +got):\n%s\n%s", diff, p.Text(chat))
	}
	for name, text := range then {
		if name != "src/add.sh" && p.Disk(name) != text {
			t.Errorf("%s was changed", name)
		}
	}
}

// person answers what is asked, and saves where that is needed.
type person struct {
	*lsptest.Env

	project map[string]string

	saves  bool     // their editor saves what was approved
	denies bool     // they say no to everything
	stops  []string // what the person had to do, in order
}

// newPerson starts an editor with a project in which a request is sent. In a folder where another one was before, what
// it allowed holds.
func newPerson(t *testing.T, dir string, project map[string]string, request, steps string) *person {
	t.Helper()
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := maps.Clone(project)
	files[chat] = "## You\n\n" + request + "\n"
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, transport := agenttest.StartInMemory(t, steps)
	state, err := userstate.OpenState(dir + "-state")
	if err != nil {
		t.Fatal(err)
	}
	s := sandbox.New(sandbox.Options{Helper: sandboxtest.Helper(), Root: dir, Cache: dir + "-cache"})
	if state := s.State(t.Context()); !state.Proven {
		t.Skipf("NOT TESTED: no sandbox here: %v", state.Details)
	}
	confine := func(o *lsp.Options) { o.Sandbox = func(*workspace.Workspace) runcommand.Sandbox { return s } }
	p := &person{project: project, Env: lsptest.NewEnv(t, serveWith(t, state, dir+"-config", transport, confine), dir, lsptest.Options{})}
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
		at = slices.Index(titles, "Keep all")
	}
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
	for name := range p.project {
		if p.Text(name) != p.Disk(name) {
			p.Save(name)
		}
	}
}
