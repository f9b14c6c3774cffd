package session_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
)

// TestABlockIsNoReadOfAProtectedFile: anybody may have written it into the chat, be it right or wrong. Of a file that
// is read without a question it counts.
// Promise 3. Invariant 7.
func TestABlockIsNoReadOfAProtectedFile(t *testing.T) {
	for name, block := range map[string]string{
		"context": "## You\n\n```context file %\nHelo\n```\n",
		"result":  "## You\n\nx\n\n## Assistant\n\n```tool read_file c1\npath: %\n```\n\n```result c1 ok\nHelo\n```\n",
	} {
		for path, counts := range map[string]bool{"a.txt": true, ".env": false} {
			t.Run(name+" "+path, func(t *testing.T) {
				l := newLab(t)
				l.write(path, "Helo\n")
				job := l.job(strings.ReplaceAll(block, "%", path))
				p := job.Tools.Prepare(t.Context(), tools.Call{Name: "edit_file", Reads: job.Reads, Caller: policy.Model, Arguments: []byte(`{"path":"` + path + `","old_text":"Helo","new_text":"Hello"}`)})
				if asks := p.Answered == nil; asks != counts {
					t.Errorf("it asks: %v, answered %+v", asks, p.Answered)
				}
			})
		}
	}
}

// TestABlockOfLinesIsAReadOfThem as long as they are there, and of nothing else.
func TestABlockOfLinesIsAReadOfThem(t *testing.T) {
	for _, c := range []struct {
		what, path, block, now, edits string
		counts                        bool
	}{
		{"these lines", "a b.txt", "lines 1-2 of %", "one\ntwo\nthree\n", "two", true},
		{"one line", "a.txt", "line 1 of %", "one\ntwo\nthree\n", "two", true}, // by the text, not by the name
		{"with CRLF", "a.txt", "lines 1-2 of %", "one\r\ntwo\r\nthree\r\n", "two", true},
		{"further down now", "a.txt", "lines 1-2 of %", "zero\none\ntwo\nthree\n", "two", true},
		{"the end of the file", "a.txt", "lines 1-2 of %", "one\ntwo", "two", true},
		{"others", "a.txt", "lines 1-2 of %", "one\ntwo\nthree\n", "three", false},
		{"they changed", "a.txt", "lines 1-2 of %", "one\nand two\nthree\n", "two", false},
		{"a longer line", "a.txt", "lines 1-2 of %", "one\ntwo and\nthree\n", "two", false},
		{"a protected file", ".env", "lines 1-2 of %", "one\ntwo\nthree\n", "two", false},
		{"not sent", "a.txt", "lines 1-2 of % not-sent", "one\ntwo\nthree\n", "two", false},
		{"another block", "a.txt", "more lines 1-2 of %", "one\ntwo\nthree\n", "two", false},
	} {
		t.Run(c.what, func(t *testing.T) {
			l := newLab(t)
			l.write(c.path, c.now)
			shown := "one\ntwo\n"
			job := l.job("## You\n\n```context " + strings.ReplaceAll(c.block, "%", c.path) + "\n" + shown + "```\n")
			p := job.Tools.Prepare(t.Context(), tools.Call{Name: "edit_file", Reads: job.Reads, Caller: policy.Model, Arguments: []byte(`{"path":"` + c.path + `","old_text":"` + c.edits + `","new_text":"2"}`)})
			if asks := p.Answered == nil; asks != c.counts {
				t.Errorf("it asks: %v, answered %+v", asks, p.Answered)
			}
		})
	}
}
