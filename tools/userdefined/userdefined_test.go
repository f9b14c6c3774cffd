//go:build linux

package userdefined_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/diskfile/diskfiletest"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/trust"
	"github.com/assent-ls/assent/tools/userdefined"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

func TestMain(m *testing.M) { shelltest.Main(m) }

// place is a workspace, and the folder of the user's own tools.
type place struct {
	*testing.T
	own, root string
	ws        *workspace.Workspace
	trust     *trust.Store
	sources   *tools.Sources
	policy    *policy.Policy
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{T: t, own: t.TempDir(), root: t.TempDir()}
	state, err := userstate.OpenState(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if p.ws, err = workspace.Open(p.root, workspace.NoBuffers{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.ws.Close() })
	p.trust, p.policy = trust.New(state), policy.New(state)
	t.Cleanup(p.policy.Flush)
	p.sources = tools.NewSources(builtin.Tools(p.ws, builtin.Options{}), userdefined.New(userdefined.Options{
		Folder: p.own, Workspace: p.ws, Trust: p.trust, Shell: shelltest.New(), Sandbox: marking{},
	}))
	return p
}

// marking is a sandbox that only sets a variable.
type marking struct{}

func (marking) State(context.Context) sandbox.State { return sandbox.State{Proven: true} }

func (marking) Known() (sandbox.State, bool) { return sandbox.State{Proven: true}, true }

func (marking) Wrap(_ context.Context, c sandbox.Command) (sandbox.Wrapped, error) {
	return sandbox.Wrapped{Argv: c.Argv, Env: append(c.Env, "INSIDE=yes"), Close: func() {}}, nil
}

// TestWhereProgramsRun: in the sandbox, unless the definition says otherwise, or the program is one of the user's own
// folder. What they change is known.
func TestWhereProgramsRun(t *testing.T) {
	p := newPlace(t)
	const prints = "#!/bin/sh\necho \"inside: $INSIDE\"\n"
	p.file(filepath.Join(p.own, "print.sh"), prints)
	p.file(filepath.Join(p.root, "print.sh"), prints+"echo changed > made.txt\n")
	p.file(filepath.Join(p.own, "own.json"), `{"description": "a", "command": ["./print.sh"]}`)
	p.file(filepath.Join(p.own, "free.json"), fmt.Sprintf(`{"description": "a", "command": ["sh", %q], "sandbox": false}`, filepath.Join(p.own, "print.sh")))
	p.file(filepath.Join(p.own, "confined.json"), fmt.Sprintf(`{"description": "a", "command": ["sh", %q]}`, filepath.Join(p.own, "print.sh")))
	theirs := `{"description": "a", "command": ["./print.sh"]}`
	p.trusts(p.theirs("theirs.json", theirs), theirs)
	outside := `{"description": "a", "command": ["./print.sh"], "sandbox": false}`
	p.trusts(p.theirs("outside.json", outside), outside)
	d, _, _ := p.now()
	for name, inside := range map[string]bool{"own": false, "free": false, "confined": true, "theirs": true} {
		want := "inside: \n"
		if inside {
			want = "inside: yes\n"
		}
		q := d.Prepare(t.Context(), call(name, `{}`))
		if got := p.run(d, name, `{}`); !strings.HasPrefix(got, want) || strings.Contains(q.Preview, "in the sandbox") != inside {
			t.Errorf("%s, asked about with\n%s, says %q", name, q.Preview, got)
		}
	}
	prepared := d.Prepare(t.Context(), call("outside", `{}`))
	must(p, os.Remove(filepath.Join(p.root, "made.txt")))
	r, err := d.Execute(t.Context(), prepared.Approved(), nil)
	if err != nil || len(r.Changes) != 1 || filepath.Base(r.Changes[0].Path) != "made.txt" {
		t.Errorf("it changed %+v, %v", r.Changes, err)
	}
}

// file writes a file, with folders.
func (p *place) file(path, text string) {
	p.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o700)); err != nil {
		p.Fatal(err)
	}
}

// theirs writes a tool of the workspace.
func (p *place) theirs(name, text string) string {
	p.Helper()
	p.file(filepath.Join(p.root, trust.Tools, name), text)
	return trust.Tools + "/" + name
}

func (p *place) trusts(rel, text string) {
	p.Helper()
	if err := p.trust.Trust(p.ws.Key(), rel, []byte(text)); err != nil {
		p.Fatal(err)
	}
}

// now are the tools of a new run, and what is told of those that are missing.
func (p *place) now() (d *tools.Dispatcher, names []string, told string) {
	p.Helper()
	r, err := p.sources.Now(p.Context())
	if err != nil {
		told = err.Error()
	}
	for _, s := range r.Specs() {
		if s.Origin != tools.BuiltIn {
			names = append(names, s.Name+" of "+string(s.Origin))
		}
	}
	return tools.NewDispatcher(r, p.policy, p.ws), names, told
}

func call(name, arguments string) tools.Call {
	return tools.Call{Name: name, Arguments: json.RawMessage(arguments), Caller: policy.Model, Chat: "chat"}
}

// run runs an approved call. Its result is marked as from outside; the rest is what the program printed.
func (p *place) run(d *tools.Dispatcher, name, arguments string) string {
	p.Helper()
	prepared := d.Prepare(p.Context(), call(name, arguments))
	r, err := d.Execute(p.Context(), prepared.Approved(), nil)
	if err != nil {
		p.Fatal(err)
	}
	lines := strings.Split(r.Text(), "\n")
	if len(lines) < 3 || !strings.Contains(lines[0], "was written by others") || lines[1] != lines[len(lines)-1] {
		p.Fatalf("the result is not marked: %s", r.Text())
	}
	return strings.Join(lines[2:len(lines)-1], "\n")
}

const echo = `{
	// a comment
	"description": "Say it again.",
	"parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
	"command": ["cat"],
	"examples": [{"text": "Hello"}],
}`

// TestWhichToolsThereAre: the user's own count at once, those of a workspace once they are trusted as they are. What is
// wrong with one is told and hides no other.
func TestWhichToolsThereAre(t *testing.T) {
	p := newPlace(t)
	p.file(filepath.Join(p.own, "again.json"), echo)
	p.file(filepath.Join(p.own, "Bad.json"), echo)
	p.file(filepath.Join(p.own, "read_file.json"), echo)
	p.file(filepath.Join(p.own, "note.txt"), "no tool")
	rel := p.theirs("theirs.json", echo)
	_, names, told := p.now()
	if diff := cmp.Diff([]string{"again of the user"}, names); diff != "" {
		t.Error(diff)
	}
	for _, want := range []string{
		"Bad.json is no tool: its name must be small letters", `Nothing in ".assent/tools/theirs.json" counts until you trust this file.`,
		`The tool "read_file" of your own is left out, because Assent has a tool of this name already.`,
	} {
		if !strings.Contains(told, want) {
			t.Errorf("told is %s\nwithout %s", told, want)
		}
	}
	p.trusts(rel, echo)
	d, names, _ := p.now()
	if diff := cmp.Diff([]string{"again of the user", "theirs of the workspace"}, names); diff != "" {
		t.Error(diff)
	}
	if got := p.run(d, "theirs", `{"text":"Hi"}`); got != "{\"text\":\"Hi\"}\n[Exit status 0.]" {
		t.Errorf("it says %q", got)
	}
}

// S08, S24: a tool of a workspace whose definition changes in any byte does not count until it is trusted again, and
// calls of the run that goes on do not run either.
// Promise 6.
func TestAChangedDefinitionDoesNotCount(t *testing.T) {
	p := newPlace(t)
	rel := p.theirs("theirs.json", echo)
	p.trusts(rel, echo)
	d, _, _ := p.now()
	for at := range len(echo) {
		p.theirs("theirs.json", echo[:at]+string(echo[at]^1)+echo[at+1:])
		if _, names, told := p.now(); len(names) > 0 || at == 0 && !strings.Contains(told, "changed since you trusted it") {
			t.Fatalf("with byte %d changed there is %q, told %q", at, names, told)
		}
		if r := d.Prepare(t.Context(), call("theirs", `{"text":"Hi"}`)); r.Answered == nil || !r.Answered.Failed {
			t.Fatalf("with byte %d changed it would run %q", at, r.Target)
		}
	}
	p.theirs("theirs.json", echo)
	if r := d.Prepare(t.Context(), call("theirs", `{"text":"Hi"}`)); r.Answered != nil || r.Decision.Verdict != policy.Ask {
		t.Errorf("as it was, it gives %+v", r)
	}
}

// S06: what was approved is what runs: a definition, a program or a file that is swapped after the question is refused.
func TestWhatIsSwappedAfterTheQuestionDoesNotRun(t *testing.T) {
	const script = "#!/bin/sh\ntouch ran\n"
	const local = `{"description": "Run it.", "command": ["./tool.sh", "data.txt"]}`
	for what, swap := range map[string]func(p *place, rel string){
		"definition": func(p *place, rel string) { p.theirs("theirs.json", strings.Replace(local, "data", "other", 1)) },
		"program":    func(p *place, rel string) { p.file(filepath.Join(p.root, "tool.sh"), script+"# more\n") },
		"data":       func(p *place, rel string) { p.file(filepath.Join(p.root, "data.txt"), "other") },
		"trust":      func(p *place, rel string) { must(p, p.trust.Revoke(p.ws.Key(), rel)) },
		"link": func(p *place, rel string) {
			file := filepath.Join(p.root, "tool.sh")
			p.file(filepath.Join(p.root, "evil.sh"), script+"touch evil\n")
			must(p, errors.Join(os.Remove(file), os.Symlink("evil.sh", file)))
		},
		"": func(*place, string) {},
	} {
		t.Run(what, func(t *testing.T) {
			p := newPlace(t)
			p.file(filepath.Join(p.root, "tool.sh"), script)
			p.file(filepath.Join(p.root, "data.txt"), "data")
			rel := p.theirs("theirs.json", local)
			p.trusts(rel, local)
			d, _, _ := p.now()
			prepared := d.Prepare(t.Context(), call("theirs", `{}`))
			if prepared.Protected == "" || prepared.Decision.Verdict != policy.Ask || len(prepared.Decision.Offers) > 0 {
				t.Errorf("a program of the workspace is asked about with %+v", prepared.Decision)
			}
			swap(p, rel)
			_, err := d.Execute(t.Context(), prepared.Approved(), nil)
			_, ran := os.Stat(filepath.Join(p.root, "ran"))
			if what == "" && (err != nil || ran != nil) {
				t.Errorf("unchanged, it ended with %v, %v", err, ran)
			}
			if what != "" && (!errors.Is(err, tools.ErrChanged) || ran == nil) {
				t.Errorf("it ended with %v, and ran: %v", err, ran == nil)
			}
		})
	}
}

// Whatever has the name of a word of the command is in the workspace, the tool is planned: nothing is read without end,
// and what is there when it runs is what was asked about.
// F02.
func TestAWordOfACommandNamesNoFile(t *testing.T) {
	for odd, make := range diskfiletest.Odd {
		t.Run(odd, func(t *testing.T) {
			p := newPlace(t)
			must(p, diskfiletest.Replace(filepath.Join(p.root, "-n"), make))
			p.file(filepath.Join(p.own, "first.json"), `{"description": "a", "command": ["echo", "-n", "ran"]}`)
			d, _, _ := p.now()
			q := d.Prepare(t.Context(), call("first", `{}`))
			if odd == "a huge file" { // it cannot be said what is in it
				if q.Answered == nil || !strings.Contains(q.Answered.Text(), `"-n"`) || !strings.Contains(q.Answered.Text(), "too large") {
					t.Errorf("the plan is %+v", q.Answered)
				}
				return
			}
			if got := p.run(d, "first", `{}`); !strings.Contains(got, "ran") {
				t.Errorf("it printed %q", got)
			}
			must(p, os.RemoveAll(filepath.Join(p.root, "-n")))
			if _, err := d.Execute(t.Context(), q.Approved(), nil); !errors.Is(err, tools.ErrChanged) {
				t.Errorf("after it was taken away: %v", err)
			}
		})
	}
}

// The user can stop a tool whose command names a large file.
// F02.
func TestAPlanStopsWithItsContext(t *testing.T) {
	p := newPlace(t)
	file := filepath.Join(p.root, "data")
	must(p, errors.Join(os.WriteFile(file, nil, 0o600), os.Truncate(file, 900<<20)))
	p.file(filepath.Join(p.own, "first.json"), `{"description": "a", "command": ["cat", "data"]}`)
	own, _, err := userdefined.New(userdefined.Options{Folder: p.own, Workspace: p.ws, Trust: p.trust, Shell: shelltest.New()}).Tools(t.Context())
	must(p, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := own[0].Plan(ctx, call("first", `{}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("Plan = %v", err)
	}
}

func must(t *place, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestNoShellReadsArguments: whatever a model writes reaches the program as JSON on its standard input, and what a
// definition lists as words of their own.
func TestNoShellReadsArguments(t *testing.T) {
	p := newPlace(t)
	p.file(filepath.Join(p.own, "again.json"), echo)
	p.file(filepath.Join(p.own, "words.json"), `{"description": "Words.", "command": ["printf", "%s|", "$(touch ran)", "; touch ran", "a b", "*", "~", "-x"]}`)
	d, _, _ := p.now()
	for _, text := range []string{
		"$(touch ran)", "`touch ran`", "; touch ran", "'; touch ran; '", `"; touch ran; "`, "&& touch ran", "| touch ran", "\ntouch ran\n", "$HOME", "${IFS}",
		"> ran", ">> ran", "< ran", "*", "~", "-e", "--help", "\\", "%s", "\x01", "a\x00b", "\u202e", "{\"text\":1}", strings.Repeat("x", 100_000),
	} {
		arguments, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		got := p.run(d, "again", string(arguments))
		if want := visible.Text(tools.Canonical(arguments)); len(text) < 1000 && got != want+"\n[Exit status 0.]" {
			t.Errorf("%q arrived as %q", text, got)
		}
	}
	if got := p.run(d, "words", `{}`); !strings.HasPrefix(got, "$(touch ran)|; touch ran|a b|*|~|-x|") {
		t.Errorf("the words are %q", got)
	}
	if _, err := os.Stat(filepath.Join(p.root, "ran")); err == nil {
		t.Error("a shell read an argument")
	}
}

// S26: a definition is read strictly, and what is wrong is said.
func TestBadDefinitions(t *testing.T) {
	long := strings.Repeat("x", 1001)
	for text, want := range map[string]string{
		``:     "this is not JSON",
		`[]`:   "it holds no object",
		`null`: "it holds no object",
		`{"description": "a", "command": ["cat"], "Command": ["ls"]}`:                                 `there is no key "Command"; the keys are description, parameters, command, timeout, sandbox, defer, examples`,
		`{"description": "a", "command": ["cat"], "command": ["ls"]}`:                                 `the key "command" stands here twice`,
		`{"description": "a", "command": "cat"}`:                                                      "command must not be a JSON string",
		`{"description": "a", "command": []}`:                                                         "command must list a program",
		`{"description": "a", "command": [""]}`:                                                       "command must list a program",
		`{"description": "a", "command": ["cat", "a\u202eb"]}`:                                        "cannot be seen",
		`{"description": "a", "command": ["cat", "a\nb"]}`:                                            "cannot be seen",
		`{"description": "a\u200bb", "command": ["cat"]}`:                                             "cannot be seen",
		`{"description": " ", "command": ["cat"]}`:                                                    "description must say",
		`{"description": "` + long + `", "command": ["cat"]}`:                                         "description must say",
		`{"command": ["cat"]}`:                                                                        "description must say",
		`{"description": "a", "command": ["cat"], "timeout": -1}`:                                     "timeout must be",
		`{"description": "a", "command": ["cat"], "timeout": 1e9}`:                                    "timeout must",
		`{"description": "a", "command": ["cat"], "parameters": {"type": "string"}}`:                  `must have "type": "object"`,
		`{"description": "a", "command": ["cat"], "parameters": {"type": "object", "$ref": "#"}}`:     "without $ref",
		`{"description": "a", "command": ["cat"], "parameters": {"type": 7}}`:                         "parameters: the schema cannot be read",
		`{"description": "a", "command": ["cat"], "examples": [{}, {}, {}]}`:                          "examples has more than 2",
		`{"description": "a", "command": ["cat"], "examples": [7]}`:                                   "example 1: ",
		`{"description": "a", "command": ["cat"], "shell": true}`:                                     `there is no key "shell"`,
		`{"description": "a", "command": ["cat"], "parameters": ` + strings.Repeat(`{"a":`, 70) + `1`: "lie in each other",
		strings.Repeat(" ", 70_000) + echo:                                                            "more than 64 KB",
	} {
		p := newPlace(t)
		p.file(filepath.Join(p.own, "bad.json"), text)
		p.file(filepath.Join(p.own, "good.json"), echo)
		_, names, told := p.now()
		if len(names) != 1 || !strings.Contains(told, want) || !strings.Contains(told, "bad.json is no tool: ") {
			t.Errorf("%.80s: %q, told %q, want %q", text, names, told, want)
		}
	}
}

// TestBadCalls: what is wrong with the arguments is said with the schema, and nothing runs. A program is found only
// where no workspace can put one.
func TestBadCalls(t *testing.T) {
	p := newPlace(t)
	p.file(filepath.Join(p.own, "again.json"), echo)
	p.file(filepath.Join(p.own, "missing.json"), `{"description": "a", "command": ["no-such-program-here"]}`)
	p.file(filepath.Join(p.own, "local.json"), `{"description": "a", "command": ["inside-program"]}`)
	p.file(filepath.Join(p.own, "fails.json"), `{"description": "a", "command": ["false"]}`)
	p.file(filepath.Join(p.own, "sleeps.json"), `{"description": "a", "command": ["sleep", "60"], "timeout": 1}`)
	p.file(filepath.Join(p.own, "crowds.json"), `{"description": "a", "command": ["sh", "-c", "sh ./itself.sh"]}`)
	p.file(filepath.Join(p.root, "itself.sh"), "sh ./itself.sh &\nsh ./itself.sh &\nwait\n")
	p.file(filepath.Join(p.root, "bin", "inside-program"), "#!/bin/sh\ntouch ran\n")
	t.Setenv("PATH", filepath.Join(p.root, "bin")+":bin:.:"+os.Getenv("PATH"))
	d, _, _ := p.now()
	for want, c := range map[string]tools.Call{
		"The schema of again is":                  call("again", `{}`),
		"do not fit the schema":                   call("again", `{"text":7}`),
		`"no-such-program-here" is not installed`: call("missing", `{}`),
		"is only run by its path":                 call("local", `{}`),
		"must be a JSON object":                   call("again", `[]`),
	} {
		if r := d.Prepare(t.Context(), c); r.Answered == nil || !r.Answered.Failed || !strings.Contains(r.Answered.Text(), want) {
			t.Errorf("%s %s: %+v", c.Name, c.Arguments, r.Answered)
		}
	}
	if got := p.run(d, "fails", `{}`); got != "[No output.]\n[Exit status 1.]" {
		t.Errorf("a program that fails gives %q", got)
	}
	if runtime.GOOS == "linux" {
		if got := p.run(d, "crowds", `{}`); !strings.Contains(got, "more than 1000 processes") {
			t.Errorf("a program that starts itself gives %q", got)
		}
	}
	if got := p.run(d, "sleeps", `{}`); !strings.Contains(got, "Killed at its time limit") {
		t.Errorf("a program that does not end gives %q", got)
	}
}

// TestItIsAlwaysAsked: no offer reaches further than the call, and what a person sees is all that runs. The files of
// tools are protected from the model's own.
func TestItIsAlwaysAsked(t *testing.T) {
	p := newPlace(t)
	p.file(filepath.Join(p.own, "again.json"), echo)
	d, _, _ := p.now()
	q := d.Prepare(t.Context(), call("again", `{"text":"a\u202eb"}`))
	if q.Decision.Verdict != policy.Ask || !strings.Contains(q.Preview, "cat\n\nin "+p.root) || !strings.Contains(q.Preview, `{"text":"a<U+202E>b"}`) {
		t.Errorf("it is asked %v:\n%s", q.Decision, q.Preview)
	}
	for _, o := range q.Decision.Offers {
		if !strings.Contains(o.Title, "this chat") {
			t.Errorf("it is offered %q", o.Title)
		}
	}
	for _, path := range []string{".assent/tools/new.json", ".ASSENT/tools/new.json", ".assent/./tools/../tools/new.json"} {
		w := d.Prepare(t.Context(), call("write_file", fmt.Sprintf(`{"path":%q,"content":"{}"}`, path)))
		if w.Answered == nil && (w.Protected == "" || w.Decision.Verdict != policy.Ask) {
			t.Errorf("%s is written with %v", path, w.Decision)
		}
	}
}
