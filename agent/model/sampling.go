package model

import "cmp"

// Sampling says how a reply is made: how tokens are picked, and after how much thinking. What is not set is left to the
// model server.
type Sampling struct {
	Temperature     *float64 `toml:"temperature"`
	TopP            *float64 `toml:"top_p"`
	TopK            *int     `toml:"top_k"`
	MinP            *float64 `toml:"min_p"`
	RepeatPenalty   *float64 `toml:"repeat_penalty"`
	PresencePenalty *float64 `toml:"presence_penalty"`
	Seed            *int     `toml:"seed"`
	LongestReply    *int     `toml:"num_predict"` // tokens
	Think           Think    `toml:"think,omitempty"`
}

// Over is this choice where it says something, and else the other.
func (s Sampling) Over(below Sampling) Sampling {
	return Sampling{
		Temperature: cmp.Or(s.Temperature, below.Temperature),
		TopP:        cmp.Or(s.TopP, below.TopP), TopK: cmp.Or(s.TopK, below.TopK),
		MinP: cmp.Or(s.MinP, below.MinP), RepeatPenalty: cmp.Or(s.RepeatPenalty, below.RepeatPenalty),
		PresencePenalty: cmp.Or(s.PresencePenalty, below.PresencePenalty), Seed: cmp.Or(s.Seed, below.Seed),
		LongestReply: cmp.Or(s.LongestReply, below.LongestReply), Think: cmp.Or(s.Think, below.Think),
	}
}
