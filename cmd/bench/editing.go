package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

const (
	bigSize = 10 << 20
	changes = 250 // per place
)

// bigChat makes a chat document of about size bytes with questions, prose, code, calls and results. It ends with a turn
// to write in.
func bigChat(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(
			&b, "## You\n\nPlease look at file %d and tell me what it does.\n\n## Assistant\n\nI will read it.\n\n", i,
		)
		fmt.Fprintf(&b, "```tool read_file c%d\npath: src/file%d.go\n```\n\n```result c%d ok 12ms\n", i, i, i)
		for j := range 30 {
			fmt.Fprintf(&b, "func f%d(a, b int) int { return a*%d + b } // line %d of a file\n", j, i, j)
		}
		b.WriteString("```\n\n" + strings.Repeat("It adds and multiplies numbers, with *no* side effects.\n", 8) + "\n")
	}
	b.WriteString("## You\n\nAnd now\n")
	return b.String()
}

// typist types into one big document.
type typist struct {
	editor  *editor
	uri     string
	version int
	base    time.Duration // a cheap request's own time
}

// measureEditing times keystrokes and menus in a chat document of 10 MB, through the real program.
func measureEditing(ctx context.Context, l *setup) ([]row, error) {
	w, err := l.newProject()
	if err != nil {
		return nil, err
	}
	e, err := l.startEditor(ctx, w)
	if err != nil {
		return nil, err
	}
	defer e.quit()
	content := bigChat(bigSize)
	lines := strings.Count(content, "\n")
	t := &typist{editor: e, uri: w.uri("big.chat.md"), version: 1}
	if err := e.open(t.uri, content); err != nil {
		return nil, err
	}
	if err := t.calibrate(); err != nil {
		return nil, err
	}
	places := []struct {
		name string
		line int
	}{{"the end, in the next question", lines - 1}, {"the middle", middle(content)}, {"the start", 2}}
	how := fmt.Sprintf(
		"A change notification and a cheap request, sent together; the time until the answer, "+
			"less the request's own median (%s). %d changes at each place.",
		ms(t.base), changes,
	)
	var rows []row
	var menus []time.Duration
	for _, p := range places {
		var took []time.Duration
		for range changes {
			d, err := t.change(p.line)
			if err != nil {
				return rows, err
			}
			menu, err := t.menu(p.line)
			if err != nil {
				return rows, err
			}
			took, menus = append(took, d), append(menus, menu)
		}
		p99 := quantile(took, 0.99)
		rows = append(rows, row{
			what: "one didChange in a 10 MB chat, at " + p.name, target: "≤ 5 ms at p99", ok: p99 <= 5*time.Millisecond,
			got: fmt.Sprintf("%s (median %s, slowest %s)", ms(p99), ms(median(took)), ms(quantile(took, 1))), how: how,
		})
		how = ""
	}
	p99 := quantile(menus, 0.99)
	return append(rows, row{
		what: "code actions in a 10 MB chat", target: "≤ 10 ms", ok: p99 <= 10*time.Millisecond,
		got: fmt.Sprintf("%s at p99 (median %s)", ms(p99), ms(median(menus))),
		how: "The whole request, after each of the changes above.",
	}), nil
}

// middle returns a line of a question in the middle of a document.
func middle(content string) int {
	half := content[:len(content)/2+strings.Index(content[len(content)/2:], "## You\n")]
	return strings.Count(half, "\n") + 2
}

func (t *typist) calibrate() error {
	took, err := times(200, t.ping)
	if err != nil {
		return err
	}
	t.base = median(took)
	return nil
}

// ping asks for something that needs no document. It is answered after all notifications before it were served.
func (t *typist) ping() error {
	_, err := t.editor.call("codeAction/resolve", map[string]string{"title": "New chat"})
	return err
}

// change inserts a character at the start of a line.
func (t *typist) change(line int) (time.Duration, error) {
	t.version++
	at := position{Line: line}
	began := time.Now()
	if err := t.editor.changed(t.uri, t.version, change{span{at, at}, "x"}); err != nil {
		return 0, err
	}
	err := t.ping()
	return max(time.Since(began)-t.base, 0), err
}

// menu asks for the code actions of a line.
func (t *typist) menu(line int) (time.Duration, error) {
	at := position{Line: line}
	began := time.Now()
	_, err := t.editor.call("textDocument/codeAction", map[string]any{
		"textDocument": map[string]string{"uri": t.uri}, "range": span{at, at}, "context": map[string]any{
			"diagnostics": []any{},
		},
	})
	return time.Since(began), err
}
