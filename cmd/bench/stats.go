package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// quantile returns the smallest value that at least the share q of all values does not exceed. values is not changed
// and not empty.
func quantile[T cmp.Ordered](values []T, q float64) T {
	sorted := slices.Sorted(slices.Values(values))
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[min(max(i, 0), len(sorted)-1)]
}

func median[T cmp.Ordered](values []T) T { return quantile(values, 0.5) }

// times returns how long each of n rounds took.
func times(n int, round func() error) ([]time.Duration, error) {
	took := make([]time.Duration, n)
	for i := range took {
		began := time.Now()
		if err := round(); err != nil {
			return nil, err
		}
		took[i] = time.Since(began)
	}
	return took, nil
}

// ms writes a time in milliseconds.
func ms(d time.Duration) string {
	if d < 10*time.Millisecond {
		return fmt.Sprintf("%.2f ms", d.Seconds()*1e3)
	}
	return fmt.Sprintf("%.1f ms", d.Seconds()*1e3)
}

func ratio(a, b time.Duration) float64 { return a.Seconds() / b.Seconds() }
