package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// topLevel lists the fences and the headings of turns at the top level, as our tracker sees them.
func topLevel(doc string) []string {
	var out []string
	var t tracker
	walk := newLines(doc, 0)
	body := -1
	end := func() {
		if body >= 0 {
			out[len(out)-1] += fmt.Sprintf(" %d", body)
		}
		body = -1
	}
	for {
		span, ok := walk.next()
		if !ok {
			end()
			return out
		}
		switch t.feed(doc[span.Start:span.End]) {
		case fenceOpens:
			out = append(out, "fence "+t.fence.info)
			body = 0
		case fenceBody:
			body++
		case fenceCloses:
			end()
		case headingLine:
			if t.role != 0 {
				out = append(out, fmt.Sprint("heading ", t.role))
			}
		case prose, htmlCloses:
		}
	}
}

// oracle is topLevel as goldmark sees it.
func oracle(doc string) []string {
	var out []string
	source := []byte(doc)
	root := goldmark.DefaultParser().Parse(text.NewReader(source))
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			info := ""
			if n.Info != nil {
				info = strings.Trim(string(n.Info.Segment.Value(source)), " \t")
			}
			out = append(out, fmt.Sprintf("fence %s %d", info, n.Lines().Len()))
		case *ast.Heading:
			if n.Level != 2 || n.Lines().Len() != 1 {
				continue
			}
			segment := n.Lines().At(0)
			before := source[:segment.Start]
			if i := strings.LastIndexByte(string(before), '\n'); !strings.HasPrefix(strings.TrimLeft(string(before[i+1:]), " "), "##") {
				continue // underlined
			}
			switch strings.Trim(string(segment.Value(source)), " \t") {
			case "You":
				out = append(out, "heading 1")
			case "Assistant":
				out = append(out, "heading 2")
			}
		}
	}
	return out
}

func TestTopLevel(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		doc  string
		want []string
	}{
		{"## You", []string{"heading 1"}},
		{"##\tAssistant  ##  ", []string{"heading 2"}},
		{"   ## You", []string{"heading 1"}},
		{"    ## You", nil},
		{"\t## You", nil},
		{"a\n    ## You", nil},
		{"a\n## You", []string{"heading 1"}},
		{"##You", nil},
		{"### You", nil},
		{"## You#", nil},
		{"## You \\#", nil},
		{"## you", nil},
		{"## You two", nil},
		{"You\n---", nil},
		{"> ## You", nil},
		{"> a\n## You", []string{"heading 1"}},
		{"- ## You", nil},
		{"- a\n## You", []string{"heading 1"}},
		{"- a\n  ## You", nil},
		{"- a\n\n  ## You", nil},
		{"- a\n\nb\n  ## You", []string{"heading 1"}},
		{"- a\nb\n  ## You", nil}, // b goes on with the item's paragraph
		{"10. a\n   ## You", []string{"heading 1"}},
		{"10. a\n    ## You", nil},
		{"-\n\n  ## You", []string{"heading 1"}},
		{"<!--\n## You\n-->\n## You", []string{"heading 1"}},
		{"<div>\n## You\n\n## You", []string{"heading 1"}},
		{"<pre>\n\n## You\n</pre>\n## You", []string{"heading 1"}},
		{"<x-y a='b'>\n## You", nil},
		{"a\n<x-y>\n## You", []string{"heading 1"}},
		{"> a\n<x-y>\n## You", []string{"heading 1"}},
		{"<?\n## You\n?>", nil},
		{"<![CDATA[\n## You\n]]>", nil},
		{"<!A\n## You\n>", nil},
		{"```\n## You\n```", []string{"fence  1"}},
		{"~~~ go `x`\na\n~~~", []string{"fence go `x` 1"}},
		{"``` a`b\n## You", []string{"heading 1"}},
		{"```\na\n~~~\n``\n```` ", []string{"fence  3"}},
		{"````\na\n```\n````", []string{"fence  2"}},
		{"```\na\n    ```\n", []string{"fence  2"}},
		{"   ```\n   a\n  ```", []string{"fence  1"}},
		{"    ```\n## You", []string{"heading 1"}},
		{"```\na\n``` b\n```", []string{"fence  2"}},
		{"```\na", []string{"fence  1"}},
		{"```", []string{"fence  0"}},
		{"- ```\n  a\n## You", []string{"heading 1"}},
		{"- a\n\n  ```tool x\n  b\n  ```", nil},
		{"> ```\n> a\n```\nb", []string{"fence  1"}},
		{"``\n``", nil},
	} {
		if diff := cmp.Diff(tt.want, topLevel(tt.doc)); diff != "" {
			t.Errorf("%q: %s", tt.doc, diff)
		}
		if diff := cmp.Diff(tt.want, oracle(tt.doc)); diff != "" {
			t.Errorf("%q: the oracle disagrees with the table: %s", tt.doc, diff)
		}
	}
}
