package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/prompts"
)

// A chat of thirty turns in a context of 4,096 tokens is summarised a few times. No request is too long, each begins with the one before
// but where a summary was written, what was said first is still there, and the document keeps everything.
func TestALongChatIsSummarised(t *testing.T) {
	for _, format := range []string{"native", "guided"} {
		t.Run(format, func(t *testing.T) {
			l := newLab(t)
			l.backend.Counts = agenttest.OverflowRefuse
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
					return say("- The secret word is lobster.\n- " + fmt.Sprint(summaries))
				}
				return say(strings.Repeat("An answer in plain words. ", 40))
			}
			document := "## You\n\nThe secret word is lobster.\n"
			var before []model.Message
			changes := 0
			for turn := range 30 {
				l.events = &agenttest.Recorder[agent.Event]{}
				job := l.job(document)
				job.Options.ContextSize, job.Options.Format = 4096, format
				if end := l.end(l.agent.Start(t.Context(), job)); end.Outcome != agent.Completed {
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
			whole := ""
			for _, m := range before {
				whole += m.Text + "\n"
			}
			if !strings.Contains(whole, "The secret word is lobster.") || strings.Contains(whole, "Question 1:") {
				t.Errorf("the last request is\n%s", whole)
			}
			if !strings.Contains(document, "Question 1:") || strings.Count(document, "```context summary\n") != summaries {
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
			if end.Outcome != agent.Broken || !strings.Contains(end.Sentence, "nothing was sent") {
				t.Errorf("%+v", end)
			}
			for _, e := range agenttest.Of[agent.ContextAdded](l.events) {
				if e.Name == compose.SummaryBlock {
					t.Errorf("a summary %q was written", e.Text())
				}
			}
			if calls := agenttest.Of[agent.CallAdded](l.events); len(calls) > 0 {
				t.Errorf("the summary called %v", calls)
			}
		})
	}
}
