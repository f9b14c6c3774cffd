package formats

import (
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"testing"
)

// sampleOf gives the numbers of the cases, of n, that a test of a product takes. A plain run takes all, and `make test`
// has one. With the race detector or -short it takes one in oneIn, and one at least: a decoder is plain code in one
// goroutine, which that detector has little to say about. name decides where it begins, so that many names take all;
// what they take is the same in every run.
func sampleOf(name string, n int) []int {
	step := 1
	if race || testing.Short() {
		step = oneIn
	}
	return everyNth(name, n, step)
}

func everyNth(name string, n, step int) []int {
	h := fnv.New32a()
	h.Write([]byte(name))
	var some []int
	for i := int(h.Sum32()>>1) % max(1, min(n, step)); i < n; i += step {
		some = append(some, i)
	}
	return some
}

// sample is sampleOf for a list.
func sample[T any](name string, all []T) []T {
	var some []T
	for _, i := range sampleOf(name, len(all)) {
		some = append(some, all[i])
	}
	return some
}

// sampleKeys is sample for the keys of a map, in their order.
func sampleKeys[V any](name string, all map[string]V) []string {
	return sample(name, slices.Sorted(maps.Keys(all)))
}

// TestSample: no sample is empty, and those of many names have all.
func TestSample(t *testing.T) {
	for _, size := range []int{1, 2, oneIn - 1, oneIn, oneIn + 1, 70} {
		taken := map[int]bool{}
		for i := range 20 * oneIn {
			name := strconv.Itoa(i)
			some := everyNth(name, size, oneIn)
			if len(some) == 0 || !slices.Equal(some, everyNth(name, size, oneIn)) {
				t.Errorf("%s takes %v of %d", name, some, size)
			}
			for _, i := range some {
				taken[i] = true
			}
		}
		if len(taken) < size {
			t.Errorf("of %d cases %d are taken", size, len(taken))
		}
	}
}
