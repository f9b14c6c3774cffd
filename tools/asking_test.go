package tools_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/toolstest"
)

func TestAskUser(t *testing.T) {
	b := toolstest.NewBench(t, nil)
	p := b.Prepare("ask_user", toolstest.Args("question", "Which colour?", "choices", []string{"red", "b\u202elue"}))
	if diff := cmp.Diff([]string{"red", "b<U+202E>lue"}, p.Choices); diff != "" || p.Target != "Which colour?" {
		t.Errorf("it asks %q with %q", p.Target, p.Choices)
	}
	if _, err := b.Dispatcher.Execute(t.Context(), p, nil); err == nil {
		t.Error("it is answered without a person")
	}
	if r, err := b.Dispatcher.Execute(t.Context(), p.Replied("green"), nil); err != nil || r.Text() != "green" || r.Failed {
		t.Errorf("the answer gave %+v, %v", r, err)
	}
	for want, arguments := range map[string]map[string]any{
		"question is empty": toolstest.Args("question", " "),
		"choices has 9":     toolstest.Args("question", "Which?", "choices", strings.Split("abcdefghi", "")),
		"one short line":    toolstest.Args("question", "Which?", "choices", []string{"a\nb"}),
		"not \"\"":          toolstest.Args("question", "Which?", "choices", []string{""}),
	} {
		if p := b.Prepare("ask_user", arguments); p.Answered == nil || !strings.Contains(p.Answered.Text(), want) {
			t.Errorf("%v: %+v", arguments, p.Answered)
		}
	}
}

func TestTodo(t *testing.T) {
	b := toolstest.NewBench(t, nil)
	tasks := []map[string]any{toolstest.Args("text", "Read\nit", "status", "done"), toolstest.Args("text", "Mend it", "status", "doing"), toolstest.Args("text", "Test it")}
	var shown progressed
	p := b.Prepare("todo", toolstest.Args("tasks", tasks))
	r, err := b.Dispatcher.Execute(t.Context(), p, &shown)
	if diff := cmp.Diff("- [x] Read it\n- [>] Mend it\n- [ ] Test it\n1 of 3 done.", r.Text()); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if shown != (progressed{1, 3, "Mend it"}) || p.Target != "1 of 3 done" {
		t.Errorf("people see %+v, %q", shown, p.Target)
	}
	for want, arguments := range map[string]map[string]any{
		"give 1 to 50":       toolstest.Args("tasks", []any{}),
		"task 1 needs":       toolstest.Args("tasks", []any{toolstest.Args("text", " ")}),
		"task 2 needs":       toolstest.Args("tasks", []any{toolstest.Args("text", "a"), toolstest.Args("text", "b", "status", "later")}),
		"The schema of todo": toolstest.Args("tasks", "a"),
	} {
		if p := b.Prepare("todo", arguments); p.Answered == nil || !strings.Contains(p.Answered.Text(), want) {
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
