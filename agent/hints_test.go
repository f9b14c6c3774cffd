package agent_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
)

// unnamed names no file, so that none is attached.
const unnamed = "Correct the spelling of the greeting."

// guided runs a guided model that says the replies to a message that asks for a change, approves everything, and
// returns the schemas of its requests.
func guided(t *testing.T, replies ...string) (*lab, []string) {
	t.Helper()
	return guidedBy(t, unnamed, replies...)
}

// guidedBy is guided with another message.
func guidedBy(t *testing.T, message string, replies ...string) (*lab, []string) {
	t.Helper()
	said := make([]agenttest.Reply, len(replies))
	for i, r := range replies {
		said[i] = agenttest.Say(r)
	}
	l := newLab(t, said...)
	job := l.job("## You\n\n" + message + "\n")
	job.Options.Format = "guided"
	questions := make(chan event.Question, 8)
	job.Sink = asking{Sink: l.events, questions: questions}
	run := l.agent.Start(t.Context(), job)
	for {
		select {
		case q := <-questions:
			if err := run.Answer(q.ID, event.Answer{Kind: event.Once}); err != nil {
				t.Fatal(err)
			}
		case <-run.Done():
			var schemas []string
			for _, r := range l.backend.Requests() {
				schemas = append(schemas, string(r.Format))
			}
			return l, schemas
		}
	}
}

// asking passes questions on.
type asking struct {
	event.Sink
	questions chan<- event.Question
}

func (s asking) Emit(e event.Event) {
	s.Sink.Emit(e)
	if w, ok := e.(event.CallWaiting); ok {
		s.questions <- w.Question
	}
}

// allows reports whether a reply under the schema may call the tool.
func allows(schema, tool string) bool { return strings.Contains(schema, `"const":"`+tool+`"`) }

func TestAnEditOfAnUnreadFileIsMadeAgain(t *testing.T) {
	edit := `{"do":"change","tool":"edit_file","arguments":{"path":"README.md","old_text":"Helo","new_text":"Hello"}}`
	l, schemas := guided(t, edit, edit, `{"done":"yes","do":"talk","answer":"Done."}`)
	if len(schemas) != 3 {
		t.Fatalf("%d requests: %+v", len(schemas), l.events.Events())
	}
	if !allows(schemas[1], "edit_file") || allows(schemas[1], "run_command") || strings.Contains(schemas[1], "answer") {
		t.Errorf("after the refusal the reply is held to %s", schemas[1])
	}
	if text := l.read("README.md"); text != "# Title\n\nHello world\n" {
		t.Errorf("README.md is %q", text)
	}
	if !strings.Contains(schemas[2], `"done":{"const":"yes"},"do":{"const":"talk"}`) || !strings.Contains(schemas[2], `"done":{"const":"no"},"do":{"enum"`) {
		t.Errorf("after the change nobody asks whether all is done: %s", schemas[2])
	}
	if strings.Contains(schemas[0], "done") {
		t.Errorf("before it somebody does: %s", schemas[0])
	}
}

func TestACallThatFailedTwiceIsNotMadeAThirdTime(t *testing.T) {
	sum := `{"do":"compute","tool":"calculator","arguments":{"expression":"f(3)"}}`
	look := `{"do":"look","tool":"list_directory","arguments":{"path":"."}}`
	talk := `{"do":"talk","answer":"43"}`
	_, schemas := guidedBy(t, "The greeting.", sum, sum, look, talk)
	if len(schemas) != 4 {
		t.Fatalf("%d requests", len(schemas))
	}
	for i, want := range []bool{true, true, false, false} {
		if allows(schemas[i], "calculator") != want {
			t.Errorf("request %d allows the calculator: %v", i+1, !want)
		}
		if !strings.Contains(schemas[i], "answer") {
			t.Errorf("request %d forbids an answer", i+1)
		}
	}

	read := `{"do":"look","tool":"read_file","arguments":{"path":"nowhere.txt"}}`
	_, schemas = guidedBy(t, "The greeting.", read, read, look, talk)
	for i, want := range []bool{true, true, false, true} {
		if allows(schemas[i], "read_file") != want {
			t.Errorf("request %d allows read_file: %v", i+1, !want)
		}
	}
	if strings.Contains(schemas[1], "answer") || allows(schemas[1], "get_time") {
		t.Errorf("after the first failure the reply is held to %s", schemas[1])
	}
}

func TestResultsRemindOfTheRequest(t *testing.T) {
	l, _ := guided(t, `{"do":"look","tool":"list_directory","arguments":{"path":"."}}`, `{"do":"talk","answer":"Done."}`)
	messages := l.backend.Requests()[1].Messages
	if last := messages[len(messages)-1].Text; !strings.HasSuffix(last, "\n\nThe request: "+unnamed) {
		t.Errorf("the result is sent as %q", last)
	}
}
