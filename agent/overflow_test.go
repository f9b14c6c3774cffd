package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
)

// reads is a run that reads a file of about two thousand tokens in each of its steps.
func reads(t *testing.T, steps, limit int) *lab {
	t.Helper()
	var replies []agenttest.Reply
	for i := range steps {
		replies = append(replies, agenttest.CallTool("read_file", fmt.Sprintf(`{"path":"f%d.txt"}`, i)))
	}
	l := newLab(t, append(replies, agenttest.Say("Done."))...)
	l.backend.Installed = []model.Info{{Name: "scripted", Capabilities: []string{"completion", "tools"}, ContextLimit: limit}}
	for i := range steps {
		l.write(fmt.Sprintf("f%d.txt", i), strings.Repeat(fmt.Sprintf("plain words in file number %d\n", i), 230))
	}
	return l
}

// notes counts the blocks of a name that are for people alone.
func (l *lab) notes(name string) (texts []string) {
	for _, e := range agenttest.Of[event.ContextAdded](l.events) {
		if e.Name == name && e.NotSent {
			texts = append(texts, e.Text())
		}
	}
	return texts
}

// No request takes more than its context, counted by the server itself, whatever the server does with one that is
// longer.
// Invariant 4.
func TestNoRequestIsCut(t *testing.T) {
	for _, overflow := range []agenttest.Overflow{agenttest.OverflowRefuse, agenttest.OverflowCut} {
		t.Run(string(overflow), func(t *testing.T) {
			l := reads(t, 8, 8192)
			l.backend.Counts = overflow
			if end := l.end(l.agent.Start(t.Context(), l.job(ask))); end.Outcome != event.Completed {
				t.Fatalf("%+v", end)
			}
			changes, before := 0, 0
			requests := l.backend.Requests()
			for i, r := range requests {
				if n := agenttest.Tokens(r); n > r.ContextSize {
					t.Errorf("request %d takes %d of %d tokens", i, n, r.ContextSize)
				}
				if r.ContextSize != requests[0].ContextSize {
					t.Errorf("request %d reloads the model: %d", i, r.ContextSize)
				}
				if i > 0 && !samePrefix(requests[i-1].Messages, r.Messages) {
					changes++
				}
				before += agenttest.Tokens(r)
			}
			notes := l.notes(compose.ShortenedBlock)
			if changes == 0 || changes > 3 || len(notes) != changes {
				t.Errorf("the prefix changed %d times in %d requests, and the document says so %d times", changes, len(requests), len(notes))
			}
			last := requests[len(requests)-1].Messages
			if text := last[len(last)-1].Text; !strings.Contains(text, "number 7") || strings.Contains(text, "left out") {
				t.Errorf("the newest result is not whole: %q", text)
			}
			if cuts := l.notes(agent.CutBlock); len(cuts) > 0 {
				t.Errorf("a prompt was cut: %q", cuts)
			}
		})
	}
}

func samePrefix(before, after []model.Message) bool {
	for i, m := range before {
		if i >= len(after) || m.Text != after[i].Text {
			return false
		}
	}
	return true
}

// What is sent shortened stays so when the document is read again, in the same bytes.
func TestShortenedResultsStayAsTheyAre(t *testing.T) {
	l := reads(t, 5, 32768)
	l.backend.Counts = agenttest.OverflowRefuse
	if end := l.end(l.agent.Start(t.Context(), l.job(ask))); end.Outcome != event.Completed {
		t.Fatalf("%+v", end)
	}
	before := l.backend.Requests()
	document := l.record(ask)
	profiles, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	l.backend.Replies = append(l.backend.Replies, agenttest.Say("Bye."))
	again := agent.New(l.backend, profiles)
	l.events = &agenttest.Recorder[event.Event]{}
	job := l.job(document + "Thanks.\n")
	job.Options.ContextSize = 32768 // there is no need to shorten more
	if end := l.end(again.Start(t.Context(), job)); end.Outcome != event.Completed {
		t.Fatalf("%+v", end)
	}
	requests := l.backend.Requests()
	for i, m := range before[len(before)-1].Messages {
		if after := requests[len(requests)-1].Messages[i]; m.Text != after.Text {
			t.Fatalf("message %d was %q, and is %q", i, m.Text, after.Text)
		}
	}
	if !strings.Contains(document, "number 0\n") || strings.Count(document, "plain words in file number 0") != 200 {
		t.Error("the document does not hold the whole result")
	}
}

// A conversation that cannot be shortened gets a larger context, once: the model is loaded again once.
func TestTheContextGrowsOnce(t *testing.T) {
	l := newLab(t, agenttest.Say("Long."), agenttest.Say("Short."))
	l.backend.Counts = agenttest.OverflowRefuse
	l.backend.Installed = []model.Info{{Name: "scripted", Capabilities: []string{"completion", "tools"}, ContextLimit: 1 << 20}}
	long := "## You\n\n" + strings.Repeat("many plain words\n", 2500)
	if end := l.end(l.agent.Start(t.Context(), l.job(long))); end.Outcome != event.Completed {
		t.Fatalf("%+v", end)
	}
	l.events = &agenttest.Recorder[event.Event]{}
	if end := l.end(l.agent.Start(t.Context(), l.job(ask))); end.Outcome != event.Completed {
		t.Fatalf("%+v", end)
	}
	l.events = &agenttest.Recorder[event.Event]{}
	end := l.end(l.agent.Start(t.Context(), l.job("## You\n\n"+strings.Repeat("many plain words\n", 50000))))
	if end.Outcome != event.Broken || !strings.Contains(end.Sentence, "nothing was sent: start a New chat") {
		t.Errorf("a chat that does not fit ended %+v", end)
	}
	requests := l.backend.Requests()
	if len(requests) != 2 || requests[0].ContextSize != requests[1].ContextSize || requests[0].ContextSize < 16384 {
		t.Errorf("%d requests: %d and %d tokens", len(requests), requests[0].ContextSize, requests[1].ContextSize)
	}
}

// A user's own size is kept.
func TestAContextThatTheUserSetDoesNotGrow(t *testing.T) {
	l := newLab(t, agenttest.Say("Hi."))
	l.backend.Installed = []model.Info{{Name: "scripted", ContextLimit: 1 << 20}}
	job := l.job("## You\n\n" + strings.Repeat("many plain words\n", 2500))
	job.Options.ContextSize = 4096
	end := l.end(l.agent.Start(t.Context(), job))
	if end.Outcome != event.Broken || !strings.Contains(end.Sentence, "the context of scripted holds 4096") || len(l.backend.Requests()) > 0 {
		t.Errorf("%+v after %d requests", end, len(l.backend.Requests()))
	}
}

// A server that has less context than it is asked for, and cuts: the cut is seen, said, and the request repeated so
// that it fits.
// Invariant 4.
func TestACutPromptIsSeenAndRepeated(t *testing.T) {
	l := reads(t, 2, 8192)
	if end := l.end(l.agent.Start(t.Context(), l.job(ask))); end.Outcome != event.Completed {
		t.Fatalf("%+v", end)
	}
	document := l.record(ask)
	profiles, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	l.backend.Counts, l.backend.Window = agenttest.OverflowCut, 3000
	l.backend.Replies = append(l.backend.Replies, agenttest.CallTool("read_file", `{"path":"f0.txt"}`), agenttest.Say("Whole."))
	l.events = &agenttest.Recorder[event.Event]{}
	if end := l.end(agent.New(l.backend, profiles).Start(t.Context(), l.job(document+"What did I ask first?\n"))); end.Outcome != event.Completed {
		t.Fatalf("%+v", end)
	}
	cuts := l.notes(agent.CutBlock)
	if len(cuts) != 1 || !strings.Contains(cuts[0], `from "In README.md Helo is misspelled. Change it to Hello." on`) ||
		!strings.Contains(cuts[0], "It was asked again, with old results shortened.") {
		t.Errorf("it says %q", cuts)
	}
	requests := l.backend.Requests()
	if n := agenttest.Tokens(requests[len(requests)-1]); len(requests) != 5 || n > 3000 {
		t.Errorf("the last of %d requests takes %d tokens", len(requests), n)
	}
	if ended := l.results()["c3"]; len(l.results()) != 1 || !ended.Result.Failed || ended.NotRun {
		t.Errorf("the call of the cut prompt ended %+v", l.results())
	}
	if again := l.record(document + "What did I ask first?\n"); !strings.Contains(again, "```context cut prompt not-sent\n") {
		t.Errorf("the document does not say it:\n%s", again)
	}
}

// Where nothing helps the run ends with a sentence, after one repeat.
func TestAPromptThatIsAlwaysCutEndsTheRun(t *testing.T) {
	l := newLab(t, agenttest.Say("What?"), agenttest.Say("What?"), agenttest.Say("What?"))
	l.backend.Counts, l.backend.Window = agenttest.OverflowCut, 2048
	var document strings.Builder
	for range 3 {
		document.WriteString("## You\n\nTell me more.\n\n## Assistant\n\n" + strings.Repeat("many plain words\n", 250) + "\n")
	}
	end := l.end(l.agent.Start(t.Context(), l.job(document.String()+"## You\n\nAnd then?\n")))
	if end.Outcome != event.Broken || !strings.Contains(end.Sentence, "cut the conversation") {
		t.Errorf("%+v", end)
	}
	if n := len(l.backend.Requests()); n != 2 {
		t.Errorf("%d requests", n)
	}
}

// A server that counts only what it did not have in its cache cuts nothing.
func TestACountOfWhatIsNewIsNoCut(t *testing.T) {
	count := func(r agenttest.Reply, n int) agenttest.Reply {
		r.Chunks = append(r.Chunks, model.Chunk{Done: &model.Done{Reason: "stop", PromptTokens: n}})
		return r
	}
	l := newLab(t, count(agenttest.CallTool("read_file", `{"path":"README.md"}`), 1100), count(agenttest.Say("Hi."), 40))
	if end := l.end(l.agent.Start(t.Context(), l.job(ask))); end.Outcome != event.Completed {
		t.Errorf("%+v", end)
	}
}
