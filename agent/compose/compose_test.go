package compose_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/formats"
	"github.com/assent-ls/assent/agent/transcript"
)

// stages is a chat as it grows: each document holds the one before it and what a run, or its user, added in one step.
func stages(r *rand.Rand) []*transcript.Chat {
	texts := []string{"Read it.", "Say <|im_start|> twice.\n\n- a\n- b", "<tool_call>\n{}", "ü 😀", "{\"a\": 1}", "  x  "}
	text := func() string { return texts[r.IntN(len(texts))] }
	maybe := func() bool { return r.IntN(2) == 0 }
	var turns []transcript.Turn
	var grown []*transcript.Chat
	id := 0
	add := func(blocks ...transcript.Block) {
		last := &turns[len(turns)-1]
		last.Blocks = append(slices.Clip(last.Blocks), blocks...)
	}
	stage := func() {
		grown = append(grown, &transcript.Chat{Turns: append([]transcript.Turn(nil), turns...)})
	}
	for range 1 + r.IntN(3) {
		turns = append(turns, transcript.Turn{Role: transcript.You, Blocks: []transcript.Block{transcript.Text{Markdown: text()}}})
		if maybe() {
			add(transcript.Context{Name: "file a.txt", Text: text()}, transcript.Context{Name: "model", Text: text(), NotSent: true})
		}
		stage()
		turns = append(turns, transcript.Turn{Role: transcript.Assistant})
		for range r.IntN(3) {
			var calls, malformed, results []transcript.Block
			for range 1 + r.IntN(2) {
				id++
				name := fmt.Sprintf("c%d", id)
				arguments, _ := json.Marshal(map[string]any{"path": text(), "n": id})
				calls = append(calls, transcript.Call{ID: name, Tool: "read_file", Arguments: arguments})
				results = append(results, transcript.Result{ID: name, Status: []transcript.Status{transcript.OK, transcript.Failed, transcript.Denied}[r.IntN(3)], Text: text()})
			}
			if maybe() {
				malformed = append(malformed, transcript.Malformed{ID: "m", Raw: text(), Reason: "It cannot be read."})
			}
			if maybe() {
				add(transcript.Thinking{Text: text()}, transcript.Text{Markdown: text()})
			}
			add(calls...)
			add(malformed...)
			add(results...)
			stage()
		}
		add(transcript.Text{Markdown: text()})
		stage()
	}
	return grown
}

// builtinProfiles loads them once: that takes a while.
var builtinProfiles = sync.OnceValues(func() (*model.Profiles, error) { return model.LoadProfiles() })

func newConversation(t *testing.T, format string) compose.Conversation {
	t.Helper()
	profiles, err := builtinProfiles()
	if err != nil {
		t.Fatal(err)
	}
	info := model.Info{Name: "qwen2.5:7b", Family: "qwen2", Capabilities: []string{"completion", "tools", "thinking"}, ContextLimit: 32768}
	profile, _ := profiles.For(info)
	f, err := formats.ByName(format)
	if err != nil {
		t.Fatal(err)
	}
	zero := 0.0
	return compose.Conversation{
		Model: info, Profile: profile, Format: f, Marks: compose.NewMarks(profiles, profile, info, f),
		ContextSize: 8192, KeepAlive: time.Minute, Temperature: &zero, System: "Be brief.<|im_end|>",
		Tools: []model.Tool{{Name: "read_file", Description: "Read a file.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)}},
	}
}

// TestRequestIsPure composes chats as they grow, in every format: the same chat gives the same request, hints change no
// message, and what was sent before stays as it was (invariant 5).
// Invariant 5.
func TestRequestIsPure(t *testing.T) {
	for _, format := range formats.Names() {
		base := newConversation(t, format)
		with := func(chat *transcript.Chat) compose.Conversation {
			c := base
			c.Turns = compose.Turns(chat, compose.Memory{})
			return c
		}
		for seed := range uint64(3) {
			before := []model.Message{}
			again := stages(rand.New(rand.NewPCG(seed, 1))) //nolint:gosec // chats that a failure names
			for i, chat := range stages(rand.New(rand.NewPCG(seed, 1))) {
				c := with(chat)
				req := compose.Request(c, toolcall.Hints{})
				other := with(again[i])
				if diff := cmp.Diff(compose.Request(other, toolcall.Hints{}), req); diff != "" {
					t.Fatalf("%s, chat %d: two requests differ: %s", format, seed, diff)
				}
				if diff := cmp.Diff(other.Turns, c.Turns); diff != "" {
					t.Fatalf("%s, chat %d: composing changed the conversation: %s", format, seed, diff)
				}
				hints := toolcall.Hints{RequireCall: i%2 == 0, RequireAnswer: i%3 == 0, Only: []string{"read_file"}, AskDone: i%5 == 0}
				if diff := cmp.Diff(req.Messages, compose.Request(c, hints).Messages); diff != "" {
					t.Fatalf("%s, chat %d: hints change the messages: %s", format, seed, diff)
				}
				if diff := cmp.Diff(before, req.Messages[:min(len(before), len(req.Messages))]); diff != "" {
					t.Fatalf("%s, chat %d, stage %d: the prefix changed: %s", format, seed, i, diff)
				}
				before = req.Messages
			}
		}
	}
}

// TestRequestHoldsWhatIsKnown of the model and of the user's settings, in every request.
func TestRequestHoldsWhatIsKnown(t *testing.T) {
	for format, thinks := range map[string]bool{"native": true, "guided": false} {
		c := newConversation(t, format)
		c.Turns = []toolcall.Turn{{Role: model.RoleUser, Text: "Hi.", Asked: "Hi."}}
		req := compose.Request(c, toolcall.Hints{})
		if req.Model != c.Model.Name || req.ContextSize != 8192 || req.KeepAlive != time.Minute || req.Temperature != c.Temperature || req.Sampling != c.Profile.Sampling {
			t.Errorf("%s: %+v", format, req)
		}
		if off := req.Think == model.ThinkOff; off == thinks {
			t.Errorf("%s: thinking is off: %v", format, off)
		}
	}
}

// TestTurnsUseWhatIsRemembered: a reply is sent as the model wrote it, and a call that was begun is never called "not
// run".
func TestTurnsUseWhatIsRemembered(t *testing.T) {
	chat := transcript.Parse("## You\n\nGo.\n\n## Assistant\n\nI go.\n\n```tool run_command c1\ncommand: go\n```\n")
	memory := compose.Memory{
		Raw: func(reply toolcall.Turn, malformed []string) string {
			return fmt.Sprintf("%s|%d|%d", reply.Text, len(reply.Calls), len(malformed))
		},
		Begun: func(call toolcall.Call) bool { return call.ID == "c1" },
	}
	known, unknown := compose.Turns(chat, memory), compose.Turns(chat, compose.Memory{})
	if known[1].Raw != "I go.|1|0" || unknown[1].Raw != "" {
		t.Errorf("the replies are %q and %q", known[1].Raw, unknown[1].Raw)
	}
	if !strings.Contains(known[2].Text, "It may have had effects") || !strings.Contains(unknown[2].Text, "was not run") {
		t.Errorf("the results are %q and %q", known[2].Text, unknown[2].Text)
	}
}
