//go:build !race

package formats

// pooled is how many bytes of buffers may be made anew: they grow in steps.
const pooled = 2 << 20
