//go:build !race

package transcript

// race says that the race detector watches.
const race = false
