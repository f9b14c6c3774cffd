//go:build !race

package formats

// race says that the race detector watches.
const race = false

// oneIn is how many cases of a product one is taken of with -short: see sampleOf.
const oneIn = 8

// pooled is how many bytes of buffers may be made anew: they grow in steps.
const pooled = 2 << 20
