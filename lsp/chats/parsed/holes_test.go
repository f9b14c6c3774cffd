package parsed

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-ls/assent/lsp/journal"
)

// patched is a document after Restore, as often as it is offered.
func patched(text string, reply journal.Reply) (out string, times int) {
	for ; times < 10; times++ {
		l, missing := FirstLack(viewOf(text), []journal.Reply{reply}, false)
		if !missing {
			break
		}
		text = text[:l.At.Start] + l.Text + text[l.At.End:]
	}
	return text, times
}

func TestLinesTakenOutOfTheMiddle(t *testing.T) {
	const question, reply = "## You\n\nCount.\n", "\n\n## Assistant\n\nThe first.\n\nThe second.\n\n- alpha\n- beta\n- gamma\n\n```go\nfunc a() {\n}\n```\n\nThe end."
	const below = "\n\n## You\n\n"
	whole := question + reply + below
	without := func(parts ...string) string {
		text := whole
		for i := 0; i < len(parts); i += 2 {
			if strings.Count(text, parts[i]) != 1 {
				t.Fatalf("%q is not once in the reply", parts[i])
			}
			text = strings.Replace(text, parts[i], parts[i+1], 1)
		}
		return text
	}
	tests := map[string]struct{ text, want string }{
		"nothing":                           {whole, whole},
		"a paragraph":                       {without("The second.\n\n", ""), whole},
		"its line, not the blank ones":      {without("The second.\n", ""), whole},
		"its words, not the line":           {without("The second.", ""), whole},
		"a line of a list":                  {without("- beta\n", ""), whole},
		"at two places":                     {without("The second.\n\n", "", "- beta\n", ""), whole},
		"over several blocks":               {without("- beta\n- gamma\n\n```go\nfunc a() {\n}\n```\n\n", ""), whole},
		"the first line":                    {without("The first.\n\n", ""), whole},
		"a correction":                      {without("The second.", "The 2nd."), without("The second.", "The 2nd.")},
		"a few characters":                  {without("second", "sec"), without("second", "sec")},
		"other words instead":               {without("The second.", "Nothing of the kind"), without("The second.", "Nothing of the kind")},
		"beside a correction":               {without("- beta\n", "", "- gamma", "- gammas"), without("- gamma", "- gammas")},
		"between corrections":               {without("- alpha\n- beta\n- gamma", "- alphas\n- gammas"), without("- alpha\n- beta\n- gamma", "- alphas\n- beta\n- gammas")},
		"moved":                             {without("The second.\n\n", "", "The end.", "The end.\n\nThe second."), without("The second.\n\n", "", "The end.", "The end.\n\nThe second.")},
		"a note for much":                   {without("- alpha\n- beta\n- gamma", "(a list)"), without("- alpha\n- beta\n- gamma", "- alpha\n- beta\n- gamma\n\n(a list)")},
		"CRLF":                              {strings.ReplaceAll(without("- beta\n", ""), "\n", "\r\n"), strings.Replace(strings.ReplaceAll(whole, "\n", "\r\n"), "- alpha\r\n- beta\r\n- gamma", "- alpha\n- beta\n- gamma", 1)},
		"the next question is begun":        {without("- beta\n", "") + "And then?\n", whole + "And then?\n"},
		"all of it, and the question stays": {question + below, strings.TrimSuffix(question, "\n") + reply + "\n" + below},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, times := patched(test.text, journal.Reply{Base: journal.Hash("Count."), Text: reply, Cut: true})
			if got != test.want || times > 1 {
				t.Errorf("restored %d times:\n got %q\nwant %q", times, got, test.want)
			}
			if _, times := patched(test.text, journal.Reply{Base: journal.Hash("Count."), Text: reply}); times > 0 {
				t.Error("offered, though nothing was taken out while it streamed")
			}
		})
	}
}

func TestCallsThatAreEditedAreNotRestored(t *testing.T) {
	const reply = "\n\n## Assistant\n\nI look.\n\n```tool edit_file c1\npath: a\nold_text: |\n  one\n  two\nnew_text: x\n```\n\n```result c1 ok\nDone.\n```\n\nDone."
	text := "## You\n\nCount.\n" + strings.Replace(reply, "  two\n", "", 1) + "\n\n## You\n\n"
	if got, times := patched(text, journal.Reply{Base: journal.Hash("Count."), Text: reply, Cut: true}); times > 0 {
		t.Errorf("restored to %q", got)
	}
}

func TestTheHeadingIsRestored(t *testing.T) {
	const reply = "\n\n```context outline\na\n```\n\n## Assistant\n\nOne."
	const whole = "## You\n\nCount." + reply + "\n\n## You\n\n"
	text := strings.Replace(whole, "## Assistant\n\n", "", 1)
	got, times := patched(text, journal.Reply{Base: journal.Hash("Count."), Text: reply, Cut: true})
	if got != whole || times != 1 {
		t.Errorf("restored %d times:\n got %q\nwant %q", times, got, whole)
	}
}

func TestTheMiddleAndTheEnd(t *testing.T) {
	const reply = "\n\n## Assistant\n\nOne.\n\nTwo.\n\nThree.\n\nFour five."
	for _, end := range []string{"\n\nFour", ""} {
		text := "## You\n\nCount.\n\n## Assistant\n\nOne.\n\nThree." + end
		l, missing := FirstLack(viewOf(text), []journal.Reply{{Base: journal.Hash("Count."), Text: reply, Cut: true}}, true)
		if !missing || !l.End {
			t.Fatalf("missing %v, the end %v", missing, l.End)
		}
		if got, want := text[:l.At.Start]+l.Text+text[l.At.End:], "## You\n\nCount.\n"+reply[1:]; got != want {
			t.Errorf("\n got %q\nwant %q", got, want)
		}
	}
}

// FuzzHoles takes lines out of a reply, and moves and changes others: no line comes back that is there, none is lost.
// Invariant 11.
func FuzzHoles(f *testing.F) {
	f.Add("a\n\nb\n}\nc\n}\nd\n", []byte{0, 1, 2, 0, 3, 0})
	f.Add("one\ntwo\n\nthree\nfour", []byte{4, 1, 1, 3, 0})
	f.Fuzz(func(t *testing.T, reply string, steps []byte) {
		var now strings.Builder
		for i, l := range linesOf(reply, 0) {
			step := byte(0)
			if len(steps) > 0 {
				step = steps[i%len(steps)] % 5
			}
			switch step {
			case 0:
				now.WriteString(l.text + "\n")
			case 1:
			case 2:
				now.WriteString(l.text + "!\n\n")
			case 3:
				fmt.Fprintf(&now, "note %d\n", i)
			case 4:
				now.WriteString(l.text + "\n" + l.text + "\n")
			}
		}
		before := now.String()
		text := before
		count := func(s string) map[string]int {
			n := map[string]int{}
			for _, l := range linesOf(s, 0) {
				n[l.text]++
			}
			return n
		}
		had, most := count(reply), count(before)
		for range 3 {
			holes := holesIn(reply, text, 0)
			last := 0
			var out strings.Builder
			for _, h := range holes {
				if h.at.Start < last || h.at.End > len(text) || strings.TrimSpace(text[h.at.Start:h.at.End]) != "" {
					t.Fatalf("%v replaces %q", h.at, text)
				}
				out.WriteString(text[last:h.at.Start] + h.text)
				last = h.at.End
			}
			out.WriteString(text[last:])
			text = out.String()
		}
		after := count(text)
		for l, n := range after {
			if n > max(had[l], most[l]) {
				t.Errorf("%q is there %d times:\nreply %q\n then %q\n  now %q", l, n, reply, before, text)
			}
		}
		for l, n := range most {
			if after[l] < n {
				t.Errorf("%q is gone:\nreply %q\n then %q\n  now %q", l, reply, before, text)
			}
		}
	})
}
