package model

// Sampling says how tokens are picked. A nil field leaves it to the model server.
type Sampling struct {
	Temperature     *float64 `toml:"temperature"`
	TopP            *float64 `toml:"top_p"`
	TopK            *int     `toml:"top_k"`
	MinP            *float64 `toml:"min_p"`
	RepeatPenalty   *float64 `toml:"repeat_penalty"`
	PresencePenalty *float64 `toml:"presence_penalty"`
}
