package engine

import (
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools/policy"
)

// ModeOf is the mode in which the calls of a document run.
func ModeOf(document *transcript.Chat, o Options) policy.Mode {
	own := policy.ModeAsk
	if o.Mode != nil {
		own = o.Mode()
	}
	return own.Tighter(policy.Mode(document.Front.Mode))
}

// SamplingOf is how a document wants replies to be made.
func SamplingOf(chat *transcript.Chat) model.Sampling {
	f, think := chat.Front.Sampling, model.Think(chat.Front.Think)
	switch chat.Front.Think {
	case "true":
		think = model.ThinkOn
	case "false":
		think = model.ThinkOff
	}
	return model.Sampling{
		Think:       think,
		Temperature: f.Temperature, TopP: f.TopP, TopK: f.TopK, MinP: f.MinP, RepeatPenalty: f.RepeatPenalty,
		Seed: f.Seed, LongestReply: f.NumPredict,
	}
}
