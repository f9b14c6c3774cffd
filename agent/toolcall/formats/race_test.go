//go:build race

package formats

// race says that the race detector watches, which makes decoding ten times slower.
const race = true

// oneIn is how many cases of a product one is taken of: see sampleOf.
const oneIn = 20

// pooled is how many bytes of buffers may be made anew: the race detector drops them from their pool at random.
const pooled = 16 << 20
