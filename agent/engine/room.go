package engine

// How much of a list a model reads, the best of it first.
const (
	roomShare    = 13  // of the context: 630 tokens of 8,192
	leastRoom    = 150 // tokens
	roomSeconds  = 8   // of reading
	bytesOfToken = 3.5 // of code and paths, about
)

// Room is how many bytes of a list a call should bring: a part of the context, which is in tokens, and no more than the
// model reads in some seconds.
func (e *Engine) Room(name string, context int) int {
	tokens := float64(context) / roomShare
	if reading := e.Meter.Known(name).Reading; reading > 0 {
		tokens = min(tokens, reading*roomSeconds)
	}
	return int(max(tokens, leastRoom) * bytesOfToken)
}
