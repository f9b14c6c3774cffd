package agent_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
)

// How tokens are picked is what the chat says, else the settings, else the model's profile.
func TestSamplingOfChatSettingsAndProfile(t *testing.T) {
	own, seed, low := 0.5, 7, 0.1
	l := newLab(t, agenttest.Say("Hi."))
	l.backend.Installed = []model.Info{{Name: "qwen2.5-coder:7b", Family: "qwen2", Capabilities: []string{"completion", "tools"}, ContextLimit: 8192}}
	job := l.job("---\ntemperature: 0.1\ntop_p: 0.25\nnum_predict: 99\n---\n\n## You\n\nHi.\n")
	job.Options.Temperature = &own
	job.Options.Sampling = model.Sampling{TopP: &own, Seed: &seed}
	if end := l.end(l.agent.Start(t.Context(), job)); end.Outcome != event.Completed {
		t.Fatalf("%+v", end)
	}
	r := l.backend.Requests()[0]
	if *r.Temperature != low || *r.Sampling.TopP != 0.25 || *r.Sampling.Seed != 7 || *r.Sampling.LongestReply != 99 {
		t.Errorf("temperature %v, %+v", *r.Temperature, r.Sampling)
	}
}

// A reply that is cut as the user wants it says so, and not that the context is full.
func TestTheLongestReplyIsSaid(t *testing.T) {
	reply := agenttest.Say("One two")
	reply.Chunks = append(reply.Chunks, model.Chunk{Done: &model.Done{Reason: "length", PromptTokens: 900, OutputTokens: 2}})
	l := newLab(t, reply)
	end := l.end(l.agent.Start(t.Context(), l.job("---\nnum_predict: 2\n---\n\n## You\n\nCount.\n")))
	if end.Outcome != event.Exhausted || !strings.Contains(end.Sentence, "cut after 2 tokens") {
		t.Errorf("%+v", end)
	}
}
