package compose_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
)

func results(n int) (turns []toolcall.Turn) {
	turns = append(turns, toolcall.Turn{Role: model.RoleUser, Text: "Read."})
	for i := range n {
		id := fmt.Sprintf("c%d", i+1)
		turns = append(turns, toolcall.Turn{Role: model.RoleAssistant, Calls: []toolcall.Call{{ID: id, Name: "read_file"}}},
			toolcall.Turn{Role: model.RoleTool, CallID: id, Name: "read_file", Text: strings.Repeat("a line of text\n", 200)})
	}
	return turns
}

func bytesOf(text string) int { return len(text) }

func TestFit(t *testing.T) {
	turns := results(4)
	fitted, calls := compose.Fit(turns, 4000, false, bytesOf)
	if len(calls) != 2 || calls[0].ID != "c1" || calls[1].ID != "c2" || fitted[2].Text == turns[2].Text || fitted[6].Text != turns[6].Text {
		t.Errorf("%v", calls)
	}
	if len(turns[2].Text) != 3000 {
		t.Error("the turns that were given changed")
	}
	if _, calls = compose.Fit(turns, 1<<20, false, bytesOf); len(calls) != 3 {
		t.Errorf("the newest result counts as old: %v", calls)
	}
	if _, calls = compose.Fit(turns, 1<<20, true, bytesOf); len(calls) != 4 {
		t.Errorf("the newest result is kept: %v", calls)
	}
	if again, calls := compose.Fit(fitted, 4000, false, bytesOf); len(calls) != 1 || again[2].Text != fitted[2].Text {
		t.Errorf("a shortened result was shortened again: %v", calls)
	}
	if fitted, calls := compose.Fit(nil, 10, true, bytesOf); len(fitted)+len(calls) > 0 {
		t.Errorf("%v %v", fitted, calls)
	}
}

// What the document says is shortened is sent so, and nothing else of what it says counts.
func TestShortenedIn(t *testing.T) {
	note := compose.ShortenedNote([]toolcall.Call{{ID: "c1", Name: "read_file"}})
	chat := transcript.Chat{Turns: []transcript.Turn{
		{Role: transcript.You, Blocks: []transcript.Block{transcript.Text{Markdown: "Read."}, transcript.Context{Name: compose.ShortenedBlock, Text: note, NotSent: true}}},
	}}
	for _, test := range []struct {
		text string
		want string
	}{
		{transcript.Render(chat), "map[c1:true]"},
		{"## You\n\n```context shortened results not-sent\n-\n- \n-c2 x\nc3 x\n- c4\n-  c5  x\n```\n", "map[c4:true c5:true]"},
		{"## You\n\n```context shortened results\n- c1 read_file\n```\n", "map[]"},
		{"## You\n\n```context other not-sent\n- c1 read_file\n```\n", "map[]"},
	} {
		if got := fmt.Sprint(compose.ShortenedIn(transcript.Parse(test.text))); got != test.want {
			t.Errorf("%q: %s, want %s", test.text, got, test.want)
		}
	}
}

func FuzzShorten(f *testing.F) {
	f.Add(strings.Repeat("Grüße ", 400))
	f.Add(strings.Repeat("\n", 1300))
	f.Add(strings.Repeat("\xff", 1300))
	f.Fuzz(func(t *testing.T, text string) {
		short := compose.Shorten(text)
		if len(short) > len(text) || len(text) > 1200 && len(short) > 1200 || compose.Shorten(short) != short || utf8.ValidString(text) && !utf8.ValidString(short) {
			t.Errorf("%d bytes became %d: %q", len(text), len(short), short)
		}
	})
}

// A summary stands for the turns above the question that it is below; one that is not sent, or says nothing, is
// for none.
func TestASummaryStandsForWhatIsAbove(t *testing.T) {
	const head, tail = "## You\n\nOne?\n\n## Assistant\n\nFirst.\n\n## You\n\nTwo?\n\n", "\n## Assistant\n\nSecond.\n\n## You\n\nThree?\n"
	summary := "```context summary\nAbout one.\n```\n"
	for _, test := range []struct{ name, text, want string }{
		{"none", head + tail, "One?|First.|Two?|Second.|Three?"},
		{"in the question", head + summary + tail, "What was said before, in short:\nAbout one.\n\nTwo?|Second.|Three?"},
		{"in the answer", head + strings.Replace(tail, "Second.", summary+"\nSecond.", 1), "What was said before, in short:\nAbout one.\n\nTwo?|Second.|Three?"},
		{"not sent", head + "```context summary not-sent\nAbout one.\n```\n" + tail, "One?|First.|Two?|Second.|Three?"},
		{"blank", head + "```context summary\n\n```\n" + tail, "One?|First.|Two?|Second.|Three?"},
		{"with nothing above", "## You\n\nOne?\n\n" + summary, "One?"},
		{"the last of two", head + summary + "\n## Assistant\n\nSecond.\n\n## You\n\nThree?\n\n```context summary\nAbout two.\n```\n", "What was said before, in short:\nAbout two.\n\nThree?"},
	} {
		var got []string
		for _, turn := range compose.Turns(transcript.Parse(test.text), compose.Memory{}) {
			got = append(got, turn.Text)
		}
		if all := strings.Join(got, "|"); all != test.want {
			t.Errorf("%s: %q, want %q", test.name, all, test.want)
		}
	}
}

// What the user said is kept word by word: the oldest and the newest of it where it is too much, and never the
// question.
func TestWhatTheUserSaidIsKept(t *testing.T) {
	text := ""
	for i := range 20 {
		text += fmt.Sprintf("## You\n\nMessage %d\nin two   lines.\n\n```context file a\nattached\n```\n\n## Assistant\n\nAn answer.\n\n", i)
	}
	chat := transcript.Parse(text + "## You\n\n" + strings.Repeat("long ", 100) + "\n\n## Assistant\n\nYes.\n\n## You\n\nThe question\n\n## Assistant\n\n")
	words := func(text string) int { return len(strings.Fields(text)) }
	all := compose.Said(chat, 1000, words)
	for _, want := range []string{"- Message 0 in two lines.\n- Message 1 in", "- Message 19 in two lines.\n- long long"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in\n%s", want, all)
		}
	}
	for _, wrong := range []string{"attached", "answer", "question", "Yes"} {
		if strings.Contains(all, wrong) {
			t.Errorf("%q is in\n%s", wrong, all)
		}
	}
	if last := all[strings.LastIndex(all, "- "):]; len(last) > 310 || !strings.HasSuffix(last, " …") {
		t.Errorf("the long message is %q", last)
	}
	some := compose.Said(chat, 100, words)
	if words(some) > 100 || !strings.HasPrefix(some, "- Message 0 in two lines.\n") || !strings.Contains(some, "messages in between are left out]") || !strings.HasSuffix(some, " …") {
		t.Errorf("in 100 words it is\n%s", some)
	}
	if none := compose.Said(chat, 1, words); none != "" {
		t.Errorf("in one word it is %q", none)
	}
	if none := compose.Said(transcript.Parse("## You\n\nThe question\n"), 100, words); none != "" {
		t.Errorf("before the first question it is %q", none)
	}
}
