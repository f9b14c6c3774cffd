package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/tools/policy"
)

// guideAsking is guideIn in a mode that asks about edits, with a rule that allows them and a person who approves what
// is asked; asked is how much.
func guideAsking(t *testing.T, l *lab, steps int, text string) (requests []model.Request, chat string, asked int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "permissions.json")
	if err := os.WriteFile(file, []byte(`{"allow":[{"effect":"edits"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	l.env.Policy.UseFiles(file, nil)
	l.env.Options = engine.Options{Format: "guided", MaxSteps: steps, Mode: func() policy.Mode { return policy.ModeAsk }}
	s := l.chat("ask.chat.md", text)
	s.Subscribe(printer{s, func(a ...any) {
		if a[0] == "asks:" {
			asked++
		}
	}})
	if err := s.Send(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Wait(); err != nil {
		t.Fatal(err)
	}
	return l.backend.Requests(), l.read("ask.chat.md"), asked
}

// Where nobody is asked about edits, what is told is left alone: the message may have wanted no change.
func TestWhatIsToldIsLeftAloneWhereEditsRun(t *testing.T) {
	l := newLab(t, says(`{"do":"talk","answer":"It has been corrected."}`)...)
	if requests, chat := guide(t, l, "The greeting looks odd to me."); len(requests) != 1 || strings.Contains(chat, "hasty") {
		t.Errorf("%d requests:\n%s", len(requests), chat)
	}
}

// A reply that tells of a change which nobody made is asked for once more, as a call; its words stay in the chat, and
// no model reads them.
func TestAChangeThatIsOnlyToldIsAskedFor(t *testing.T) {
	const told = "The greeting has been corrected."
	l := newLab(t, says(`{"do":"talk","answer":"`+told+`"}`, editsReadme, "```\n# Title\n\nHello world\n```", isDone)...)
	requests, chat, asked := guideAsking(t, l, 0, "## You\n\nThe greeting looks odd to me.\n")
	if asked != 1 {
		t.Errorf("a person was asked %d times about a change that they may not want", asked)
	}
	if len(requests) != 4 || l.read("README.md") != "# Title\n\nHello world\n" {
		t.Fatalf("%d requests:\n%s", len(requests), chat)
	}
	if !strings.Contains(chat, told) || !strings.Contains(chat, "```context hasty reply not-sent\nThe reply above tells of a change, and nothing was changed.") {
		t.Errorf("the chat:\n%s", chat)
	}
	if schema := string(requests[1].Format); strings.Contains(schema, "answer") || !strings.Contains(schema, "edit_file") {
		t.Errorf("the second reply is held to %s", schema)
	}
	l.backend.Replies = says(doesTalk)
	again, _, _ := guideAsking(t, l, 0, chat+"Thanks, and what does it say now?\n")
	for _, r := range append(requests[1:], again[len(requests):]...) {
		for _, m := range r.Messages {
			if strings.Contains(m.Text, told) {
				t.Errorf("the model reads its words: %s", m.Text)
			}
		}
	}
}

// That happens once in a run, and not where a question is answered or a change was made.
func TestWhatIsToldIsBelieved(t *testing.T) {
	const claims = `{"do":"talk","answer":"It has been corrected."}`
	for name, tt := range map[string]struct {
		message  string
		replies  []string
		requests int
	}{
		"the second time": {"The greeting looks odd to me.", []string{
			claims, `{"do":"look","tool":"list_directory","arguments":{"path":"."}}`,
			`{"do":"look","tool":"list_directory","arguments":{"path":"."}}`, `{"do":"look","tool":"find_files","arguments":{"pattern":"x"}}`,
			editsReadme, "```\n# Title\n\nHello world\n```", `{"done":"yes","do":"talk","answer":"It has been corrected."}`,
		}, 7},
		"a question":             {"Which of our files has been corrected?", []string{`{"do":"talk","answer":""}`, "It has been corrected."}, 2},
		"plain talk":             {"Thank you!", []string{claims}, 1},
		"what the message tells": {"I fixed the typo in our greeting.", []string{claims}, 1},
	} {
		l := newLab(t, says(tt.replies...)...)
		requests, chat, _ := guideAsking(t, l, 0, "## You\n\n"+tt.message+"\n")
		if len(requests) != tt.requests || strings.Count(chat, "```context hasty reply") > 1 {
			t.Errorf("%s: %d requests:\n%s", name, len(requests), chat)
		}
	}
}

// The last reply that a run may have is left alone: it could not be asked for again.
func TestTheLastReplyIsNotHasty(t *testing.T) {
	l := newLab(t, says(`{"do":"talk","answer":"The greeting has been corrected."}`)...)
	if _, chat, _ := guideAsking(t, l, 1, "## You\n\nThe greeting looks odd to me.\n"); strings.Contains(chat, "hasty") {
		t.Errorf("the chat:\n%s", chat)
	}
}

// The name of a file may be an ordinary word.
func TestAWordIsNoFile(t *testing.T) {
	l := newLab(t, says(`{"do":"talk","answer":""}`, "With a test.")...)
	l.write("test", "exit 1\n")
	if requests, chat := guide(t, l, "How do we find out that our greeting is right?"); len(requests) != 2 || strings.Contains(chat, "hasty") {
		t.Errorf("%d requests:\n%s", len(requests), chat)
	}
}

// After an answer that only names a file, one has to be read: then it is given.
func TestAnAnswerThatNamesAFileReadsIt(t *testing.T) {
	const answers = `{"do":"talk","answer":""}`
	l := newLab(t, says(answers, "It is listed in \"data/pieces.csv\".", `{"do":"look","tool":"read_file","arguments":{"path":"data/pieces.csv"}}`, answers, "The inkwell.")...)
	if err := os.Mkdir(filepath.Join(l.root, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	l.write("data/pieces.csv", "number,name,year\n7,Press,1889\n9,Inkwell,1861\n")
	l.write("other.md", "Nothing.\n")
	requests, chat := guide(t, l, "Whats the oldest thing that our museum has?")
	if len(requests) != 5 || !strings.Contains(chat, "The reply above tells of a file that the model had not read.") || !strings.Contains(chat, "The inkwell.") {
		t.Fatalf("%d requests:\n%s", len(requests), chat)
	}
	if schema := string(requests[2].Format); strings.Contains(schema, `"answer":`) || strings.Contains(schema, "list_directory") || !strings.Contains(schema, "pieces.csv") {
		t.Errorf("the reply is held to %s", schema)
	}
	if schema := string(requests[3].Format); strings.Contains(schema, "read_file") {
		t.Errorf("it may go on: %s", schema)
	}
	want := "data/pieces.csv (2 rows):\n```\nnumber: 7, name: Press, year: 1889\nnumber: 9, name: Inkwell, year: 1861\n```\n\n" +
		"All 2 rows of data/pieces.csv together:\n```\nyear: lowest 1861 (number 9, name Inkwell), highest 1889 (number 7, name Press)\n```\n\n"
	if got := lastOf(requests[4]); !strings.HasPrefix(got, want) {
		t.Errorf("it reads %s", got)
	}
}

// Who asks where something is has the answer.
func TestAnAnswerMayNameAFile(t *testing.T) {
	l := newLab(t, says(`{"do":"talk","answer":""}`, "In other.md.")...)
	l.write("other.md", "Nothing.\n")
	if requests, chat := guide(t, l, "Which file says how we greet people?"); len(requests) != 2 || strings.Contains(chat, "hasty") {
		t.Errorf("%d requests:\n%s", len(requests), chat)
	}
}
