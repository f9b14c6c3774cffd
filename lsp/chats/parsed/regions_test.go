package parsed

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/journal"
)

// talk is a chat of questions and their replies.
func talk(said ...string) string {
	var b strings.Builder
	for i, words := range said {
		heading := []string{"## You", "## Assistant"}[i%2]
		fmt.Fprintf(&b, "%s\n\n%s\n\n", heading, words)
	}
	return b.String()
}

// journalOf is the journal that a chat leaves when nothing of it is saved.
func journalOf(text string) (replies []journal.Reply) {
	turns := transcript.Parse(text).Turns
	names := QuestionNames(turns)
	for i, turn := range turns[1:] {
		if turn.Role == transcript.Assistant {
			replies = append(replies, journal.Reply{Base: journal.Hash(names[i]), Text: "\n\n" + text[turn.Span.Start:turn.Span.End]})
		}
	}
	return replies
}

// What a person does to earlier questions hides no reply that is there, and shows none that is not.
func TestRepliesAreFoundUnderTheirQuestions(t *testing.T) {
	twice := []string{"Go on.", "One.", "Go on.", "Two."}
	thrice := append(slices.Clone(twice), "Go on.", "Three.")
	for name, test := range map[string]struct {
		was, now []string
		saved    int      // replies that the journal does not hold any more
		lacking  []string // in the order in which Restore offers them
	}{
		"nothing is changed":                                   {was: thrice, now: thrice},
		"words that look like a number":                        {was: []string{"Go on.", "One.", "Go on.", "Two.", "Go on.\n(2)", "Three."}, now: []string{"Go on.", "One.", "Go on.", "Two.", "Go on.\n(2)", "Three."}},
		"words that look like a later number":                  {was: []string{"Go on.\n(2)", "One.", "Go on.", "Two.", "Go on.", "Three."}, now: []string{"Go on.\n(2)", "One.", "Go on.", "Two.", "Go on.", "Three."}},
		"the first question is changed":                        {was: thrice, now: []string{"Begin.", "One.", "Go on.", "Two.", "Go on.", "Three."}},
		"the second question is changed":                       {was: thrice, now: []string{"Go on.", "One.", "Continue.", "Two.", "Go on.", "Three."}},
		"a saved question is changed":                          {was: append(slices.Clone(twice), "Other.", "Three."), now: []string{"Begin.", "One.", "Go on.", "Two.", "Other.", "Three."}, saved: 1},
		"a saved question and reply are deleted":               {was: append(slices.Clone(twice), "Other.", "Three."), now: []string{"Go on.", "Two.", "Other.", "Three."}, saved: 1},
		"front matter is added":                                {was: thrice, now: append([]string{}, thrice...)},
		"the editor lost the last reply":                       {was: thrice, now: thrice[:5], lacking: []string{"Three."}},
		"the editor lost the last question":                    {was: thrice, now: thrice[:4], lacking: []string{"Three."}},
		"lost, and the same stands further above":              {was: []string{"Go on.", "Done.", "Other.", "Well.", "Go on.", "Done."}, now: []string{"Go on.", "Done.", "Other.", "Well."}, saved: 2, lacking: []string{"Done."}},
		"lost, and the same stands just above":                 {was: []string{"Go on.", "Done.", "Next.", "Done."}, now: []string{"Go on.", "Done.", "Next."}, saved: 1, lacking: []string{"Done."}},
		"lost, and its question was another before":            {was: []string{"Go on.", "Done.", "Next!", "Done."}, now: []string{"Go on.", "Done.", "Next."}, saved: 1, lacking: []string{"Done."}},
		"lost, and ends as the one above":                      {was: []string{"Ask.", "One.\n\nTwo.\n\nEnd.", "Next.", "Three.\n\nFour.\n\nEnd."}, now: []string{"Ask.", "One.\n\nTwo.\n\nEnd."}, saved: 1, lacking: []string{"Three.\n\nFour.\n\nEnd."}},
		"a part is there, and its question was another before": {was: []string{"Ask!", "One.\n\nTwo.\n\nThree.\n\nFour."}, now: []string{"Ask.", "One."}, lacking: []string{"Two.\n\nThree.\n\nFour."}},
		"lost all but the first question":                      {was: thrice, now: thrice[:1], lacking: []string{"One.", "Two.", "Three."}},
	} {
		t.Run(name, func(t *testing.T) {
			text, replies := talk(test.now...), journalOf(talk(test.was...))[test.saved:]
			if strings.HasPrefix(name, "front matter") {
				text = "---\nmodel: x\n---\n\n" + text
			}
			var lacking []string
			for range 5 {
				l, missing := FirstLack(viewOf(text), replies, true)
				if !missing {
					break
				}
				lacking = append(lacking, strings.TrimPrefix(strings.TrimSpace(l.Text), "## Assistant\n\n"))
				text = text[:l.At.Start] + l.Text + text[l.At.End:]
			}
			if !slices.Equal(lacking, test.lacking) {
				t.Errorf("restored is %q, want %q, in\n%s", lacking, test.lacking, text)
			}
		})
	}
}

// A question that was sent again has both of its replies below it.
func TestTwoRepliesToOneQuestion(t *testing.T) {
	text := talk("Ask.", "One.\n\nTwo.", "Other.", "Three.")
	replies := journalOf(text)
	first := journal.Reply{Base: replies[0].Base, Text: "\n\n## Assistant\n\nOne."}
	if l, missing := FirstLack(viewOf(text), append([]journal.Reply{first}, replies...), true); missing {
		t.Errorf("%q is missing", l.Text)
	}
}

// No two questions have one name, whatever their words are.
func TestQuestionNames(t *testing.T) {
	names := QuestionNames(transcript.Parse("## You\n\nGo on.\n\n## You\n\nGo on.\n\n## You\n\nGo on.\n(2)\n\n## You\n\nGo on.\n\n(2)\n").Turns)
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != 4 {
		t.Errorf("%q", names)
	}
}

// The time for all replies of a journal grows as the chat does, also where every question has the same words.
func TestFindingRepliesIsLinear(t *testing.T) {
	allocations := func(turns int) float64 {
		var said []string
		for i := range turns {
			said = append(said, "Go on.", fmt.Sprintf("Reply %d.", i))
		}
		text := talk(said...)
		now, replies := viewOf(text), journalOf(text)
		return testing.AllocsPerRun(3, func() {
			if l, missing := FirstLack(now, replies, true); missing {
				t.Fatalf("%q is missing", l.Text)
			}
		})
	}
	if few, many := allocations(100), allocations(400); many > 6*few {
		t.Errorf("four times the turns take %.0f allocations instead of %.0f", many, few)
	}
}
