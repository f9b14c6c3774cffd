package proposal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/arguments"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/proposal"
	"github.com/assent-ls/assent/tools/toolstest"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// program is a tool whose call changes a draft, and asks what becomes of it.
type program struct {
	*toolstest.Bench

	does    func(d *workspace.Workspace)
	settled proposal.Settled
}

const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

// newProgram is a workspace with a program that makes some changes: a nil text deletes the file.
func newProgram(t *testing.T, files map[string]string, does map[string]any) *program {
	t.Helper()
	p := &program{Bench: toolstest.NewBench(t, files)}
	p.does = func(d *workspace.Workspace) {
		for name, text := range does {
			at, err := d.Resolve(name)
			must(t, err)
			before, err := d.Read(t.Context(), at)
			switch after, is := text.(string); {
			case !is:
				err = d.Delete(t.Context(), at, before.Content())
			case err != nil:
				err = d.Replace(t.Context(), at, nil, after)
			default:
				was := before.Content()
				err = d.Replace(t.Context(), at, &was, after)
			}
			must(t, err)
		}
	}
	type none struct{}
	spec := tools.Spec{Name: "program", Description: "Runs a program.", Effect: effect.Computes}
	tool := tools.Define(spec, func(_ context.Context, call tools.Call, _ none) (tools.Plan, error) {
		return tools.Plan{Run: func(ctx context.Context, report tools.Reporter) tools.Result {
			d := p.Workspace.Draft()
			p.does(d)
			p.settled = proposal.Settle(ctx, p.Workspace, call, report, "the program", d.Drafted(ctx))
			return tools.Result{Changes: p.settled.Changes}
		}}, nil
	})
	all := append(builtin.Tools(p.Workspace, builtin.Options{}), tool)
	p.Dispatcher = tools.NewDispatcher(tools.NewSources(all).Known(), p.Policy, p.Workspace)
	return p
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run runs the program, and gives what is said of it.
func (p *program) run(ctx context.Context, who tools.Reporter) string {
	p.Helper()
	_, err := p.Dispatcher.Execute(ctx, p.Prepare("program", "{}"), who)
	must(p.T, err)
	return strings.Join(p.settled.Sentences, "\n")
}

// tree is what the files hold.
func (p *program) tree() map[string]string {
	p.Helper()
	all := map[string]string{}
	must(p.T, filepath.WalkDir(p.Dir, func(abs string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			rel, _ := filepath.Rel(p.Dir, abs)
			all[filepath.ToSlash(rel)] = p.OnDisk(rel)
		}
		return err
	}))
	return all
}

// picking answers the form: the pieces whose names have one of these texts are kept.
func picking(t *testing.T, what ...string) func(tools.Inquiry) tools.Reply {
	t.Helper()
	return func(q tools.Inquiry) tools.Reply {
		if len(q.Form) == 0 {
			return tools.Reply{Other: true}
		}
		fields, err := arguments.FormFields(q.Form)
		must(t, err)
		chosen := map[string]string{}
		for _, f := range fields {
			chosen[f.Name] = f.Default
			if slices.ContainsFunc(what, func(w string) bool { return strings.Contains(f.Name, w) }) {
				chosen[f.Name] = "keep"
			}
		}
		form, err := json.Marshal(chosen)
		must(t, errors.Join(err, arguments.CheckForm(q.Form, form)))
		return tools.Reply{Yes: true, Form: form}
	}
}

func answer(r tools.Reply) func(tools.Inquiry) tools.Reply {
	return func(tools.Inquiry) tools.Reply { return r }
}

// What a person says decides what is in the workspace afterwards, and Undo turn takes it back.
func TestSettle(t *testing.T) {
	files := map[string]string{"a.txt": ten, "b.txt": "b\n", "docs/c.md": "c\n", ".env": "KEY=1\n", "old.txt": "old\n"}
	edited := strings.Replace(strings.Replace(ten, "1\n", "one\n", 1), "10\n", "ten\n", 1)
	three := map[string]any{"a.txt": edited, "b.txt": "bb\n", "new/d.txt": "d\n"}
	for name, tt := range map[string]struct {
		does   map[string]any
		rules  string
		answer func(tools.Inquiry) tools.Reply // nil: nobody is there
		asked  []string                        // the targets of the questions
		said   string
		then   map[string]string // what is different afterwards; empty: it is gone
	}{
		"nothing": {does: nil, answer: answer(tools.Reply{Yes: true})},
		"all": {
			does: three, answer: answer(tools.Reply{Yes: true}),
			asked: []string{"Keep what the program did: a.txt and 2 more files"}, said: "Changed: a.txt, b.txt.\nMade: new/d.txt.",
			then: map[string]string{"a.txt": edited, "b.txt": "bb\n", "new/d.txt": "d\n"},
		},
		"some hunks of a file": {
			does: three, answer: picking(t, "a.txt line 10"),
			asked: []string{"Keep what the program did: a.txt and 2 more files", "Choose what to keep of what the program did"},
			said:  "Changed: a.txt.\nNot applied: b.txt, new/d.txt (the user discarded it).\nThe user kept a part of these: a.txt (1 of 2 hunks).",
			then:  map[string]string{"a.txt": strings.Replace(ten, "10\n", "ten\n", 1)},
		},
		"one file of three": {
			does: three, answer: picking(t, "new/d.txt"),
			asked: []string{"Keep what the program did: a.txt and 2 more files", "Choose what to keep of what the program did"},
			said:  "Made: new/d.txt.\nNot applied: a.txt, b.txt (the user discarded it).", then: map[string]string{"new/d.txt": "d\n"},
		},
		"nothing, and why": {
			does: three, answer: answer(tools.Reply{Why: "use tabs"}), asked: []string{"Keep what the program did: a.txt and 2 more files"},
			said: `Not applied: a.txt, b.txt, new/d.txt (the user discarded it, and says: "use tabs").`,
		},
		"nobody there": {does: three, said: "Not applied: a.txt, b.txt, new/d.txt (nobody was there who could be asked)."},
		"a rule that allows some": {
			does: map[string]any{"docs/c.md": "cc\n", "b.txt": "bb\n"}, rules: `{"allow":[{"tool":"edit_file","paths":["docs/**"]}]}`,
			said: "Changed: docs/c.md.\nNot applied: b.txt (nobody was there who could be asked).", then: map[string]string{"docs/c.md": "cc\n"},
		},
		"a rule that denies some": {
			does: map[string]any{"b.txt": "bb\n", "docs/c.md": nil}, rules: `{"deny":[{"tool":"delete_file","paths":["docs/**"]}]}`,
			answer: answer(tools.Reply{Yes: true}), asked: []string{"Keep what the program did: b.txt"},
			said: "Changed: b.txt.\nNot applied: docs/c.md (RULE).", then: map[string]string{"b.txt": "bb\n"},
		},
		"what is protected": {
			does: map[string]any{"b.txt": "bb\n", ".env": "KEY=2\n"}, answer: answer(tools.Reply{Yes: true}),
			asked: []string{"Keep what the program did: b.txt", "Apply what the program did to .env"}, said: "Changed: .env, b.txt.",
			then: map[string]string{"b.txt": "bb\n", ".env": "KEY=2\n"},
		},
		"what is protected, refused": {
			does: map[string]any{".env": "KEY=2\n"}, answer: answer(tools.Reply{}), asked: []string{"Apply what the program did to .env"},
			said: "Not applied: .env (the user said no).",
		},
		"a move": {
			does: map[string]any{"old.txt": nil, "sub/new.txt": "old\n"}, answer: answer(tools.Reply{Yes: true}),
			asked: []string{"Keep what the program did: old.txt, sub/new.txt"}, said: "Made: sub/new.txt.\nRemoved: old.txt.",
			then: map[string]string{"old.txt": "", "sub/new.txt": "old\n"},
		},
		"a move of which a rule denies a half": {
			does: map[string]any{"old.txt": nil, "docs/new.txt": "old\n"}, rules: `{"deny":[{"tool":"write_file","paths":["docs/**"]}]}`,
			answer: answer(tools.Reply{Yes: true}),
			said:   "Not applied: docs/new.txt (RULE); old.txt (it is one half of a move, and the other, docs/new.txt, is not applied).",
		},
		"half a move": {
			does: map[string]any{"old.txt": nil, "sub/new.txt": "old\n"}, answer: picking(t, "old.txt"),
			asked: []string{"Keep what the program did: old.txt, sub/new.txt", "Choose what to keep of what the program did"},
			said:  "Not applied: sub/new.txt (the user discarded it); old.txt (it was to be moved to sub/new.txt, which is not applied).",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(t, files, tt.does)
			if tt.rules != "" {
				p.Rules(tt.rules)
			}
			var who tools.Reporter
			person := &toolstest.Person{Answer: tt.answer}
			if tt.answer != nil {
				who = person
			}
			said := p.run(t.Context(), who)
			if before, after, is := strings.Cut(tt.said, "RULE"); is {
				why := strings.TrimSuffix(strings.TrimPrefix(said, before), after)
				if !strings.Contains(why, "rule") || strings.Contains(why, ")") {
					t.Errorf("it is not said that a rule denies it: %s", said)
				}
				tt.said = before + why + after
			}
			if said != tt.said {
				t.Errorf("said %q; want %q", said, tt.said)
			}
			var asked []string
			for _, q := range person.Asked {
				asked = append(asked, q.Target)
			}
			if diff := cmp.Diff(tt.asked, asked); diff != "" {
				t.Error(diff)
			}
			want := maps.Clone(files)
			for name, text := range tt.then {
				if want[name] = text; text == "" {
					delete(want, name)
				}
			}
			if diff := cmp.Diff(want, p.tree()); diff != "" {
				t.Error(diff)
			}
			if len(p.settled.Changes) != len(tt.then) {
				t.Errorf("%d changes for Undo turn", len(p.settled.Changes))
			}
			if len(tt.then) == 0 {
				return
			}
			state, err := userstate.OpenState(t.TempDir())
			must(t, err)
			l, turn := ledger.Open(state, p.Workspace), ledger.Turn{Chat: "/a.chat.md", ID: "1"}
			must(t, l.Record(turn, "call_1", p.settled.Changes))
			must(t, l.UndoTurn(t.Context(), turn))
			if diff := cmp.Diff(files, p.tree()); diff != "" {
				t.Errorf("after Undo turn: %s", diff)
			}
		})
	}
}

// What somebody changes while the program runs, or while the person is asked, stays.
func TestWhatSomebodyChangesMeanwhileStays(t *testing.T) {
	files := map[string]string{"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", "d.txt": "d\n", "gone.txt": "gone\n"}
	p := newProgram(t, files, map[string]any{
		"a.txt": "aa\n", "b.txt": "bb\n", "c.txt": "cc\n", "d.txt": "dd\n", "gone.txt": nil, "made.txt": "made\n",
	})
	typeIn := func(name, text string) {
		p.Buffers.Mu.Lock()
		p.Buffers.Texts[filepath.Join(p.Workspace.Root(), name)] = text
		p.Buffers.Mu.Unlock()
	}
	does := p.does
	p.does = func(d *workspace.Workspace) {
		does(d)
		typeIn("a.txt", "typed\n")
		p.Write("b.txt", "somebody\n")
	}
	said := p.run(t.Context(), &toolstest.Person{Answer: func(q tools.Inquiry) tools.Reply {
		if strings.Contains(q.Text, "+++ a.txt") || strings.Contains(q.Text, "+++ b.txt") {
			t.Errorf("what cannot be applied is asked about: %s", q.Text)
		}
		typeIn("c.txt", "typed later\n")
		p.Write("made.txt", "by somebody\n")
		p.Write("gone.txt", "changed\n")
		return tools.Reply{Yes: true}
	}})
	want := "Changed: d.txt.\nNot applied: a.txt, c.txt (it has unsaved changes in the editor); " +
		"b.txt, made.txt, gone.txt (it was changed by somebody else while the program ran)."
	if said != want {
		t.Errorf("said %q", said)
	}
	if diff := cmp.Diff(map[string]string{
		"a.txt": "a\n", "b.txt": "somebody\n", "c.txt": "c\n", "d.txt": "dd\n", "gone.txt": "changed\n", "made.txt": "by somebody\n",
	}, p.tree()); diff != "" {
		t.Error(diff)
	}
}

// An open document is changed through the editor, with what is not saved in it.
func TestSettleChangesOpenDocuments(t *testing.T) {
	p := newProgram(t, map[string]string{"a.txt": "old\n"}, map[string]any{"a.txt": "typed\nmore\n"})
	abs := filepath.Join(p.Workspace.Root(), "a.txt")
	p.Buffers.Texts[abs] = "typed\n"
	said := p.run(t.Context(), &toolstest.Person{Yes: true})
	if said != "Changed: a.txt." || p.Buffers.Texts[abs] != "typed\nmore\n" || p.OnDisk("a.txt") != "old\n" {
		t.Errorf("%s: the editor has %q", said, p.Buffers.Texts[abs])
	}
}

// A question may be open for long: what a rule denies by then is not applied, nor what none allows any more.
func TestRulesThatChangeDuringTheQuestionHold(t *testing.T) {
	for _, c := range []struct{ before, after, said string }{
		{`{}`, `{"deny":[{"effect":"edits","paths":["a"]}]}`, "Changed: b.\nNot applied: a (A rule"},
		{`{"allow":[{"tool":"edit_file","paths":["a"]}]}`, `{}`, "Changed: b.\nNot applied: a (it is not allowed"},
	} {
		p := newProgram(t, map[string]string{"a": "1\n", "b": "1\n"}, map[string]any{"a": "2\n", "b": "2\n"})
		p.Rules(c.before)
		who := &toolstest.Person{Answer: func(tools.Inquiry) tools.Reply {
			p.Rules(c.after)
			return tools.Reply{Yes: true}
		}}
		said := p.run(t.Context(), who)
		if len(who.Asked) != 1 || !strings.HasPrefix(said, c.said) || p.OnDisk("a") != "1\n" {
			t.Errorf("asked %d times: %s", len(who.Asked), said)
		}
	}
}

// Stop while the question is open: nothing is applied.
func TestStopWhileSettling(t *testing.T) {
	files := map[string]string{"a.txt": "a\n", "docs/c.md": "c\n"}
	p := newProgram(t, files, map[string]any{"a.txt": "aa\n", "docs/c.md": "cc\n"})
	p.Rules(`{"allow":[{"tool":"edit_file","paths":["docs/**"]}]}`)
	ctx, stop := context.WithCancel(t.Context())
	who := stopping{Person: &toolstest.Person{}, stop: stop}
	_, err := p.Dispatcher.Execute(ctx, p.Prepare("program", "{}"), who)
	said := strings.Join(p.settled.Sentences, "\n")
	if err != nil || said != "Not applied: a.txt, docs/c.md (the program was stopped)." || len(p.settled.Changes) > 0 {
		t.Errorf("%v: %s: %v", err, said, p.settled)
	}
	if diff := cmp.Diff(files, p.tree()); diff != "" {
		t.Error(diff)
	}
}

// stopping is a person who stops the call instead of answering.
type stopping struct {
	*toolstest.Person

	stop func()
}

func (s stopping) Ask(ctx context.Context, _ tools.Inquiry) (tools.Reply, error) {
	s.stop()
	<-ctx.Done()
	return tools.Reply{}, ctx.Err()
}

// After an error nothing more is written, and what was written is told and can be undone.
func TestAnErrorWhileSettling(t *testing.T) {
	p := newProgram(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n"}, map[string]any{
		"a.txt": "aa\n", "b.txt": "bb\n", "c.txt": "cc\n",
	})
	abs := filepath.Join(p.Workspace.Root(), "b.txt")
	p.Buffers.Texts[abs] = "b\n"
	p.Buffers.Fails = func(string) error { return errors.New("the editor refused") }
	said := p.run(t.Context(), &toolstest.Person{Yes: true})
	if len(p.settled.Changes) != 1 || p.OnDisk("a.txt") != "aa\n" || p.OnDisk("c.txt") != "c\n" {
		t.Errorf("%v: %s", p.settled.Changes, said)
	}
	p.Contains(said, "Changed: a.txt.", "b.txt (", "the editor refused", "c.txt (b.txt could not be written)")
}

// A file that cannot be written any more says nothing about the others.
func TestAFileThatCannotBeWrittenMeanwhile(t *testing.T) {
	p := newProgram(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"}, map[string]any{"a.txt": "aa\n", "b.txt": "bb\n"})
	said := p.run(t.Context(), &toolstest.Person{Answer: func(tools.Inquiry) tools.Reply {
		must(t, os.Chmod(filepath.Join(p.Dir, "a.txt"), 0o444))
		return tools.Reply{Yes: true}
	}})
	if want := "Changed: b.txt.\nNot applied: a.txt (\"a.txt\" is read-only)."; said != want || p.OnDisk("a.txt") != "a\n" {
		t.Errorf("said %q", said)
	}
}

// Many files are decided on by folder.
func TestManyFilesAreSettledByFolder(t *testing.T) {
	does := map[string]any{}
	for folder := range 10 {
		for i := range 20 {
			does[fmt.Sprintf("gen/%d/%d.txt", folder, i)] = "x\n"
		}
	}
	p := newProgram(t, nil, does)
	person := &toolstest.Person{Answer: picking(t, "gen/7/")}
	said := p.run(t.Context(), person)
	p.Contains(person.Asked[0].Text, "gen/3/ (20 files)")
	if len(p.settled.Changes) != 20 || p.OnDisk("gen/7/3.txt") != "x\n" {
		t.Errorf("%d changes: %s", len(p.settled.Changes), said)
	}
	if _, err := os.Stat(filepath.Join(p.Dir, "gen/3")); err == nil {
		t.Error("what was discarded is there")
	}
}
