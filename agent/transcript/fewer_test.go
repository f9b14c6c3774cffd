package transcript

import "testing"

// fewer is how many of n random cases or bytes a test takes: all of them in a plain run, which `make test` has, too;
// the first eighth with -short or the race detector, which has little to say about plain code in one goroutine.
func fewer[N int | uint64](n N) N {
	if race || testing.Short() {
		return n / 8
	}
	return n
}
