package session

import (
	"cmp"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/settings"
)

// ChatSettings are the values that the front matter of a chat gives to settings, by name, for [settings.Store.Explain].
func ChatSettings(front transcript.Front) map[string]any {
	said := map[string]any{}
	for name, text := range map[string]string{
		"model": front.Model, "preset": front.Prompt, "mode": front.Mode,
		"think": cmp.Or(map[string]string{"true": "on", "false": "off"}[front.Think], front.Think),
	} {
		if text != "" {
			said[name] = text
		}
	}
	if front.Tools != nil {
		said["tools"] = settings.NamesOf(front.Tools)
	}
	s := front.Sampling
	for name, number := range map[string]*float64{
		"temperature": s.Temperature, "topP": s.TopP, "minP": s.MinP, "repeatPenalty": s.RepeatPenalty,
	} {
		if number != nil {
			said[name] = *number
		}
	}
	for name, number := range map[string]*int{"topK": s.TopK, "seed": s.Seed, "longestReply": s.NumPredict} {
		if number != nil {
			said[name] = *number
		}
	}
	return said
}
