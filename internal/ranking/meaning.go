package ranking

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Meaning tells which texts are nearest to another one in what they mean, whatever their words are.
type Meaning interface {
	// Near gives the places of the texts, the nearest to the query first; none: it is not known now, and words alone
	// count. It takes some seconds at most.
	Near(ctx context.Context, query string, texts []string) []int
}

// Vector is what a text means, as a point: each byte is a signed number. Only its direction counts.
type Vector []byte

// maxDimensions is above that of any model.
const maxDimensions = 1 << 14

// NewVector makes the vector of what a model gave, to a byte for each number, which is finer than what two models
// differ by. ok is false if that is no direction.
func NewVector(numbers []float32) (v Vector, ok bool) {
	largest := 0.0
	for _, n := range numbers {
		largest = max(largest, math.Abs(float64(n))) // NaN if one is
	}
	if largest == 0 || math.IsNaN(largest) || math.IsInf(largest, 0) || len(numbers) > maxDimensions {
		return nil, false
	}
	v = make(Vector, len(numbers))
	for i, n := range numbers {
		v[i] = byte(int8(math.Round(float64(n) / largest * math.MaxInt8)))
	}
	return v, true
}

// Nearest gives the places of vectors by the cosine of their angle to another one of the same length, the nearest
// first.
func Nearest(to Vector, vectors []Vector) []int {
	cosines, places := make([]float64, len(vectors)), make([]int, len(vectors))
	for i, v := range vectors {
		cosines[i], places[i] = float64(dot(to, v))/math.Sqrt(float64(dot(v, v))), i
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(cosines[b], cosines[a]) })
	return places
}

func dot(a, b Vector) (sum int) {
	for i := range a {
		sum += int(int8(a[i])) * int(int8(b[i]))
	}
	return sum
}

// fusion dampens how much the first places of a list count more than the next, as usual (Cormack, Clarke and Buettcher,
// Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods, 2009).
const fusion = 60

// Fuse puts lists of places into one, each the best first: those that are high in several lists come first. Equal
// ones are as in the first list that has them.
func Fuse(lists ...[]int) []int {
	scores := map[int]float64{}
	var all []int
	for _, list := range lists {
		for i, place := range list {
			if scores[place] == 0 {
				all = append(all, place)
			}
			scores[place] += 1 / float64(fusion+i+1)
		}
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return all
}
