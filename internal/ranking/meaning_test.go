package ranking

import (
	"math"
	"slices"
	"testing"
)

func TestNewVector(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for _, numbers := range [][]float32{nil, {}, {0, 0}, {1, nan}, {nan, 1}, {inf, 1}, make([]float32, maxDimensions+1)} {
		if v, ok := NewVector(numbers); ok {
			t.Errorf("%.20v is no direction, and gives %.20v", numbers, v)
		}
	}
	for _, numbers := range [][]float32{{0.5, -0.25, 0}, {5e-40, -2.5e-40, 0}, {3e38, -1.5e38, 0}} {
		if v, ok := NewVector(numbers); !ok || !slices.Equal(v, Vector{127, 192, 0}) {
			t.Errorf("%v gives %v", numbers, v)
		}
	}
}

func TestNearest(t *testing.T) {
	vector := func(numbers ...float32) Vector {
		v, ok := NewVector(numbers)
		if !ok {
			t.Fatalf("%v is no vector", numbers)
		}
		return v
	}
	to := vector(1, 1, 0)
	list := []Vector{vector(-1, -1, 0), vector(0, 0, 1), vector(0.1, 0.1, 0.01), vector(9, 1, 0), vector(1, 9, 0)}
	if got := Nearest(to, list); !slices.Equal(got, []int{2, 3, 4, 1, 0}) {
		t.Errorf("the order is %v", got)
	}
	if got := Nearest(to, nil); len(got) != 0 {
		t.Errorf("of none %v are near", got)
	}
}

func TestFuse(t *testing.T) {
	for _, row := range []struct {
		lists [][]int
		want  []int
	}{
		{nil, nil},
		{[][]int{{3, 1, 2}}, []int{3, 1, 2}},
		{[][]int{{3, 1, 2}, nil}, []int{3, 1, 2}},
		{[][]int{nil, {3, 1, 2}}, []int{3, 1, 2}},
		{[][]int{{1, 2}, {2, 1}}, []int{1, 2}},             // equal: as in the first
		{[][]int{{1, 2, 3}, {3, 4}}, []int{3, 1, 2, 4}},    // 3 is in both
		{[][]int{{1, 2}, {3, 4}}, []int{1, 3, 2, 4}},       // in turn
		{[][]int{{1, 2, 3, 4}, {4, 3}}, []int{4, 3, 1, 2}}, // by hand: 1/64+1/61, 1/63+1/62, 1/61, 1/62
	} {
		if got := Fuse(row.lists...); !slices.Equal(got, row.want) {
			t.Errorf("%v: %v, not %v", row.lists, got, row.want)
		}
	}
}
