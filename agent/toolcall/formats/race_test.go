//go:build race

package formats

// pooled is how many bytes of buffers may be made anew: the race detector drops them from their pool at random.
const pooled = 16 << 20
