package table

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// plainNumber is a decimal number; one with more zeros in front is the name of something.
var plainNumber = lazyregexp.New(`^[+-]?(0|[1-9]\d*)?(\.\d+)?$`)

// number reads a value as a decimal number.
func number(value string) (*big.Rat, bool) {
	if value == "" || len(value) > 30 || !plainNumber().MatchString(value) {
		return nil, false
	}
	return new(big.Rat).SetString(value)
}

// numbersOf reads values as amounts. ok is false if one is no number, or if the points in them may be no decimal
// points.
func numbersOf(values []string) (numbers []*big.Rat, ok bool) {
	var pointed []string
	for _, v := range values {
		n, ok := number(v)
		if !ok {
			return nil, false
		}
		numbers = append(numbers, n)
		if strings.Contains(v, ".") {
			pointed = append(pointed, v)
		}
	}
	return numbers, !mayGroup(pointed) && !mayCount(pointed) && !endsWithTotal(numbers)
}

var groups = lazyregexp.New(`^[+-]?[1-9]\d{0,2}\.\d{3}$`)

// mayGroup reports whether points may be between thousands, as in "1.200".
func mayGroup(pointed []string) bool {
	return len(pointed) > 0 && !slices.ContainsFunc(pointed, func(v string) bool { return !groups().MatchString(v) })
}

// mayCount reports whether what is behind the points may be counted, as in the versions "1.9" and "1.10".
func mayCount(pointed []string) bool {
	other := func(v string) bool {
		return len(v)-strings.Index(v, ".") != len(pointed[0])-strings.Index(pointed[0], ".")
	}
	return slices.ContainsFunc(pointed, other) &&
		slices.ContainsFunc(pointed, func(v string) bool { return strings.HasSuffix(v, "0") })
}

// fewRows are so few that one may be the sum of the others by chance.
const fewRows = 3

// endsWithTotal reports whether the last number is the sum of those above it.
func endsWithTotal(numbers []*big.Rat) bool {
	if len(numbers) <= fewRows {
		return false
	}
	above := new(big.Rat)
	for _, n := range numbers[:len(numbers)-1] {
		above.Add(above, n)
	}
	return above.Cmp(numbers[len(numbers)-1]) == 0
}

// sum adds numbers up, with as many decimals as the longest of them has.
func sum(values []string, numbers []*big.Rat) string {
	total, decimals := new(big.Rat), 0
	for i, n := range numbers {
		total.Add(total, n)
		if _, behind, has := strings.Cut(values[i], "."); has {
			decimals = max(decimals, len(behind))
		}
	}
	return total.FloatString(decimals)
}

// areYears reports whether values look like years, of which nobody wants the sum.
func areYears(values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool {
		return len(v) != 4 || v < "1000" || v > "2199" || strings.Contains(v, ".")
	})
}

// isDate reports whether a value is a date as ISO 8601 writes it, so that the order of the letters is that of time.
func isDate(value string) bool {
	_, err := time.Parse(time.DateOnly, value)
	return err == nil && len(value) == len(time.DateOnly)
}
