package tools_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools"
)

func TestAskUser(t *testing.T) {
	b := newBench(t, nil)
	p := b.prepare("ask_user", args("question", "Which colour?", "choices", []string{"red", "b\u202elue"}))
	if diff := cmp.Diff([]string{"red", "b<U+202E>lue"}, p.Choices); diff != "" || p.Target != "Which colour?" {
		t.Errorf("it asks %q with %q", p.Target, p.Choices)
	}
	if _, err := b.d.Execute(t.Context(), p, nil); err == nil {
		t.Error("it is answered without a person")
	}
	if r, err := b.d.Execute(t.Context(), p.Replied("green"), nil); err != nil || r.Text() != "green" || r.Failed {
		t.Errorf("the answer gave %+v, %v", r, err)
	}
	for want, arguments := range map[string]map[string]any{
		"question is empty": args("question", " "),
		"choices has 9":     args("question", "Which?", "choices", strings.Split("abcdefghi", "")),
		"one short line":    args("question", "Which?", "choices", []string{"a\nb"}),
		"not \"\"":          args("question", "Which?", "choices", []string{""}),
	} {
		if p := b.prepare("ask_user", arguments); p.Answered == nil || !strings.Contains(p.Answered.Text(), want) {
			t.Errorf("%v: %+v", arguments, p.Answered)
		}
	}
}

func TestTodo(t *testing.T) {
	b := newBench(t, nil)
	tasks := []map[string]any{args("text", "Read\nit", "status", "done"), args("text", "Mend it", "status", "doing"), args("text", "Test it")}
	var shown progressed
	p := b.prepare("todo", args("tasks", tasks))
	r, err := b.d.Execute(t.Context(), p, &shown)
	if diff := cmp.Diff("- [x] Read it\n- [>] Mend it\n- [ ] Test it\n1 of 3 done.", r.Text()); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if shown != (progressed{1, 3, "Mend it"}) || p.Target != "1 of 3 done" {
		t.Errorf("people see %+v, %q", shown, p.Target)
	}
	for want, arguments := range map[string]map[string]any{
		"give 1 to 50":       args("tasks", []any{}),
		"task 1 needs":       args("tasks", []any{args("text", " ")}),
		"task 2 needs":       args("tasks", []any{args("text", "a"), args("text", "b", "status", "later")}),
		"The schema of todo": args("tasks", "a"),
	} {
		if p := b.prepare("todo", arguments); p.Answered == nil || !strings.Contains(p.Answered.Text(), want) {
			t.Errorf("%v: %+v", arguments, p.Answered)
		}
	}
}

// progressed is the last progress that a call reported.
type progressed struct {
	done, total float64
	note        string
}

func (p *progressed) Output(string) {}

func (p *progressed) Progress(done, total float64, note string) { *p = progressed{done, total, note} }

var _ tools.Reporter = (*progressed)(nil)
