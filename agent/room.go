package agent

// How much of a list a model reads, the best of it first.
const (
	roomShare    = 13  // of the context: 630 tokens of 8,192
	leastRoom    = 150 // tokens
	roomSeconds  = 8   // of reading
	bytesOfToken = 3.5 // of code and paths, about
)

// room is how many bytes of a list a call should bring: a part of the context, and no more than the model reads in some
// seconds.
func (c *loop) room() int {
	tokens := float64(c.ContextSize) / roomShare
	if reading := c.agent.Meter.Known(c.Model.Name).Reading; reading > 0 {
		tokens = min(tokens, reading*roomSeconds)
	}
	return int(max(tokens, leastRoom) * bytesOfToken)
}
