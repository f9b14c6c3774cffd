package agent_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
)

const shownCall = "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"README.md\"}}\n</tool_call>"

// hermes runs replies in the format hermes and gives how the run ended and what the document says.
func (l *lab) hermes() (event.Finished, string) {
	l.t.Helper()
	job := l.job(ask)
	job.Options.Format = "hermes"
	end := l.end(l.agent.Start(l.t.Context(), job))
	recorder, document := event.NewRecorder(strings.TrimSpace(ask), false), strings.TrimSpace(ask)
	for _, e := range l.events.Events() {
		document += recorder.Piece(e)
	}
	return end, document
}

// TestAShownCallIsToldAndEndsTheRun answers with an explanation that quotes a call: the answer is, the document
// says that the call was not made, and the model reads that with the next message, whoever sends it.
// Promise 3.
func TestAShownCallIsToldAndEndsTheRun(t *testing.T) {
	l := newLab(t, agenttest.Say("A call is like this:\n\n```xml\n"+shownCall+"\n```\n\nSay so if I shall make it."), agenttest.Say("Bye."))
	end, document := l.hermes()
	if end.Outcome != event.Completed || len(l.backend.Requests()) != 1 {
		t.Fatalf("after %d requests the run ended %+v", len(l.backend.Requests()), end)
	}
	if len(agenttest.Of[event.CallAdded](l.events)) > 0 || !strings.Contains(document, "shown and not made, because more text follows it") {
		t.Errorf("the document is\n%s", document)
	}
	profiles, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	document += event.NewRecorder(document, true).You() + "Thanks.\n"
	for name, again := range map[string]*agent.Agent{"the same process": l.agent, "another process": agent.New(l.backend, profiles)} {
		l.backend.Replies = append(l.backend.Replies, agenttest.Say("Bye."))
		l.events = &agenttest.Recorder[event.Event]{}
		job := l.job(document)
		job.Options.Format = "hermes"
		l.end(again.Start(t.Context(), job))
		requests := l.backend.Requests()
		messages := requests[len(requests)-1].Messages
		told, reply := messages[len(messages)-2].Text, messages[len(messages)-3].Text
		if !strings.Contains(told, "The call of read_file in this reply was shown and not made") || strings.Count(reply, "read_file") != 1 {
			t.Errorf("%s: the model reads %q after %q", name, told, reply)
		}
	}
}

// TestAReplyOfNothingButAShownCallGoesOnOnce has a model that puts its call into a list: it is told, and not forced to
// call. If it does the same again, that is its answer.
func TestAReplyOfNothingButAShownCallGoesOnOnce(t *testing.T) {
	alone := agenttest.Say("- <tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"README.md\"}}</tool_call>")
	l := newLab(t, alone, alone, agenttest.Say("Never asked."))
	end, document := l.hermes()
	requests := l.backend.Requests()
	if end.Outcome != event.Completed || len(requests) != 2 || strings.Count(document, "it stands in a list") != 2 {
		t.Fatalf("after %d requests the run ended %+v:\n%s", len(requests), end, document)
	}
	last := requests[1].Messages[len(requests[1].Messages)-1]
	if requests[1].Format != nil || !strings.Contains(last.Text, "if it was only to be shown, nothing needs to be done") {
		t.Errorf("the second request is constrained by %q and ends with %q", requests[1].Format, last.Text)
	}
	l = newLab(t, alone, agenttest.Say("Let me see what it contains:\n"+shownCall), agenttest.Say("It says Helo."))
	if end, _ := l.hermes(); end.Outcome != event.Completed || len(agenttest.Of[event.CallAdded](l.events)) != 1 {
		t.Errorf("the run ended %+v after %+v", end, agenttest.Of[event.CallAdded](l.events))
	}
}

// TestAShownCallIsNoBrokenCall keeps the words apart, for people and for the loop.
func TestAShownCallIsNoBrokenCall(t *testing.T) {
	l := newLab(t, agenttest.Say("You can write `"+strings.ReplaceAll(shownCall, "\n", "")+"` to read."))
	_, document := l.hermes()
	told := agenttest.Of[event.CallMalformed](l.events)
	if len(told) != 1 || told[0].Malformed.Raw != "" || told[0].Malformed.Name != "" {
		t.Errorf("told %+v", told)
	}
	chat := transcript.Parse(document)
	blocks := chat.Turns[len(chat.Turns)-1].Blocks
	m, ok := blocks[len(blocks)-1].(transcript.Malformed)
	if !ok || m.Raw != "" || m.Reason != told[0].Malformed.Reason {
		t.Errorf("the document ends with %#v", blocks[len(blocks)-1])
	}
	if (toolcall.Malformed{}) == told[0].Malformed {
		t.Error("nothing is told")
	}
}

// TestACallInAnotherEnvelopeRuns has a model that writes its call as another family does: it runs if it ends the reply,
// and else the document says why it did not.
func TestACallInAnotherEnvelopeRuns(t *testing.T) {
	const foreign = `<function=read_file>{"path": "README.md"}</function>`
	for _, call := range []string{foreign, `<function_call>{"name": "read_file", "arguments": {"path": "README.md"}}</function_call>`, `[TOOL_CALLS]read_file[ARGS]{"path": "README.md"}`} {
		l := newLab(t, agenttest.Say("Let me see.\n\n"+call), agenttest.Say("It says Helo."))
		if end, document := l.hermes(); end.Outcome != event.Completed || len(agenttest.Of[event.CallAdded](l.events)) != 1 || strings.Contains(document, call) {
			t.Errorf("%s: the run ended %+v:\n%s", call, end, document)
		}
	}
	l := newLab(t, agenttest.Say("Let me see.\n\n"+foreign+"\n\nThat reads the file."))
	if _, document := l.hermes(); len(agenttest.Of[event.CallAdded](l.events)) > 0 || !strings.Contains(document, "The call of read_file in this reply was shown and not made, because more text follows it") {
		t.Errorf("the document is\n%s", document)
	}
}
