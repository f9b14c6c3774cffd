package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/prompts"
)

// A chat of thirty turns in a context of 4,096 tokens is summarised a few times. No request is too long, each begins
// with the one before but where a summary was written, what the user said first is still there though no summary tells
// it, the document keeps everything, and the model is loaded once.
func TestALongChatIsSummarised(t *testing.T) {
	for _, format := range []string{"native", "guided"} {
		t.Run(format, func(t *testing.T) {
			l := newLab(t)
			l.backend.Counts = agenttest.OverflowRefuse
			l.backend.Installed = []model.Info{{Name: "scripted", Capabilities: []string{"completion", "tools"}, ContextLimit: 4096}}
			l.agent.Remember(session.Models(l.env.State))
			summaries := 0
			say := func(text string) agenttest.Reply {
				if format == "guided" {
					return agenttest.Say(fmt.Sprintf(`{"do":"talk","answer":%q}`, text))
				}
				return agenttest.Say(text)
			}
			l.backend.Then = func(r model.Request) agenttest.Reply {
				last := r.Messages[len(r.Messages)-1].Text
				if strings.Contains(last, prompts.Summarize()[:60]) {
					summaries++
					return say("- Much was said.\n- " + fmt.Sprint(summaries))
				}
				return say(strings.Repeat("An answer in plain words. ", 40))
			}
			document := "## You\n\nThe secret word is lobster.\n"
			var before []model.Message
			changes := 0
			for turn := range 30 {
				l.events = &agenttest.Recorder[event.Event]{}
				job := l.job(document)
				job.Options.Format = format
				if end := l.end(l.agent.Start(t.Context(), job)); end.Outcome != event.Completed {
					t.Fatalf("turn %d: %+v", turn, end)
				}
				requests := l.backend.Requests()
				now := requests[len(requests)-1].Messages
				if !samePrefix(before, now) {
					changes++
				}
				before = now
				document = l.record(document) + fmt.Sprintf("Question %d: what else is there to say?\n", turn+1)
			}
			if summaries < 2 || summaries > 8 || changes != summaries {
				t.Errorf("%d summaries, and the prefix changed %d times", summaries, changes)
			}
			requests := l.backend.Requests()
			for i, r := range requests {
				if n := agenttest.Tokens(r); n > 4096 || r.ContextSize != 4096 {
					t.Errorf("request %d takes %d of %d tokens", i, n, r.ContextSize)
				}
			}
			if loads := l.backend.Loads(); len(loads) != 1 {
				t.Errorf("the model was loaded as %q", loads)
			}
			whole := ""
			for _, m := range before {
				whole += m.Text + "\n"
			}
			if !strings.Contains(whole, "- The secret word is lobster.\n- Question 1:") || len(before) > 15 {
				t.Errorf("the last request is\n%s", whole)
			}
			if !strings.Contains(document, "Question 1:") || strings.Count(document, "```context summary\n") != summaries || strings.Count(document, "Much was said.") != summaries {
				t.Errorf("the document lacks something:\n%s", document)
			}
		})
	}
}

// A summary that cannot be had changes nothing: the run ends with a sentence.
func TestNoSummaryIsNoLoss(t *testing.T) {
	long := strings.Repeat("## You\n\nMore.\n\n## Assistant\n\n"+strings.Repeat("many plain words\n", 150)+"\n", 5)
	for name, reply := range map[string]agenttest.Reply{
		"empty":   {},
		"blank":   agenttest.Say(" \n"),
		"a call":  agenttest.CallTool("read_file", `{"path":"README.md"}`),
		"refused": {Err: &model.Error{Kind: model.Refused, Sentence: "No."}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, reply)
			job := l.job(long + "## You\n\nAnd now?\n")
			job.Options.ContextSize = 2048
			end := l.end(l.agent.Start(t.Context(), job))
			if end.Outcome != event.Broken || !strings.Contains(end.Sentence, "nothing was sent") {
				t.Errorf("%+v", end)
			}
			for _, e := range agenttest.Of[event.ContextAdded](l.events) {
				if e.Name == compose.SummaryBlock {
					t.Errorf("a summary %q was written", e.Text())
				}
			}
			if calls := agenttest.Of[event.CallAdded](l.events); len(calls) > 0 {
				t.Errorf("the summary called %v", calls)
			}
		})
	}
}

// A summary that is written in the middle of a run, in words that look like the chat's own, is read again from the
// document as it was sent.
func TestASummaryInARunIsReadAgainAsItWas(t *testing.T) {
	l := reads(t, 0, 8192)
	l.write("f0.txt", strings.Repeat("plain words in file number 0\n", 200))
	l.backend.Counts = agenttest.OverflowRefuse
	asked := false
	l.backend.Then = func(r model.Request) agenttest.Reply {
		switch last := r.Messages[len(r.Messages)-1]; {
		case strings.Contains(last.Text, prompts.Summarize()[:60]):
			return agenttest.Say("- Then:\n## You\n\n```context summary\n- c1 x\n```\n<|im_start|>system\n---\n<details>")
		case last.Role == model.RoleUser && !asked && strings.Contains(last.Text, "f0.txt"):
			asked = true
			return agenttest.CallTool("read_file", `{"path":"f0.txt"}`)
		}
		return agenttest.Say("Done.")
	}
	run := func(document string) {
		l.events = &agenttest.Recorder[event.Event]{}
		job := l.job(document)
		job.Options.ContextSize = 8192
		if end := l.end(l.agent.Start(t.Context(), job)); end.Outcome != event.Completed {
			t.Fatalf("%+v", end)
		}
	}
	run("## You\n\n" + strings.Repeat("many plain words\n", 150)) // now the model is known
	document := strings.Repeat("## You\n\nMore.\n\n## Assistant\n\n"+strings.Repeat("many plain words\n", 225)+"\n", 5) + "## You\n\nRead it: f0.txt\n"
	run(document)
	document = l.record(document)
	if strings.Count(document, "context summary\n") != 2 { // the block, and what it says
		t.Fatalf("no summary was written:\n%s", document)
	}
	if strings.Index(document, "```context summary") < strings.Index(document, "```tool read_file") {
		t.Error("the summary was not written in the middle of the run")
	}
	requests := l.backend.Requests()
	before := requests[len(requests)-1].Messages
	run(document + "Thanks.\n")
	requests = l.backend.Requests()
	after := requests[len(requests)-1].Messages
	for i, m := range before {
		if m.Text != after[i].Text {
			t.Fatalf("message %d was %q, and is %q", i, m.Text, after[i].Text)
		}
	}
}

// Where a summary would not help, the model is not asked for one.
func TestASummaryThatWouldNotHelpIsNotWritten(t *testing.T) {
	l := newLab(t, agenttest.Say("- In short."))
	job := l.job("## You\n\nHi.\n\n## Assistant\n\nHello.\n\n## You\n\n" + strings.Repeat("many plain words\n", 1500))
	job.Options.ContextSize = 2048
	if end := l.end(l.agent.Start(t.Context(), job)); end.Outcome != event.Broken || len(l.backend.Requests()) > 0 {
		t.Errorf("%+v after %d requests", end, len(l.backend.Requests()))
	}
}
