package session

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/settings"
)

// Each setting that a chat can set: the value that Explain shows is the one that a run uses.
func TestWhatAChatSaysOfSettings(t *testing.T) {
	const front = "---\nmodel: m\nprompt: review\nmode: plan\nthink: false\ntools: [b, a]\ntemperature: 0.5\ntop_p: 0.25\n" +
		"min_p: 0.1\nrepeat_penalty: 1.5\ntop_k: 20\nseed: 7\nnum_predict: 100\n---\n\n## You\n\nHi.\n"
	chat := transcript.Parse(front)
	said := ChatSettings(chat.Front)
	want := map[string]any{
		"model": "m", "preset": "review", "mode": "plan", "think": "off", "tools": settings.Names("a,b"), "temperature": 0.5,
		"topP": 0.25, "minP": 0.1, "repeatPenalty": 1.5, "topK": 20, "seed": 7, "longestReply": 100,
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Error(diff)
	}
	for _, f := range settings.Fields() {
		if _, ok := said[f.Name]; ok != (f.Chat != "") {
			t.Errorf("%s: the chat says something: %v, and its key is %q", f.Name, ok, f.Chat)
		}
	}
	var store settings.Store
	store.Set(settings.UserFile, []byte(`{"model":"own","mode":"full","temperature":2,"topK":1,"think":"high"}`))
	options, now := RunOptions(store.Get(), &store), map[string]any{}
	for _, e := range store.Explain("", said) {
		now[e.Name] = e.Value
	}
	sampling := engine.SamplingOf(chat).Over(options.Sampling)
	got := map[string]any{
		"model": engine.Named(chat, options), "mode": string(engine.ModeOf(chat, options)), "temperature": *sampling.Temperature,
		"topK": *sampling.TopK, "think": string(sampling.Think),
	}
	for name, value := range got {
		if now[name] != value {
			t.Errorf("%s is explained as %v, and a run takes %v", name, now[name], value)
		}
	}
}
