package workspace

import "math"

// budget bounds work that is done to help, and not to answer: for an error, an outline or a mention. It counts what is
// done, so that equal folders give equal results on every machine.
type budget struct {
	names   int // that may still be looked at
	matches int // of names with ignore rules
	cells   int // of tables that compare two names character by character
	ends    int // of paths that are compared with the end of one
}

// helpBudget is the budget of one error, outline or message: some tenths of a second.
func helpBudget() *budget {
	return &budget{names: 20_000, matches: 5_000_000, cells: 20_000_000, ends: 2_000_000}
}

// wholeBudget is the budget of a walk through all of a workspace.
func wholeBudget() *budget { return &budget{names: maxWalked, matches: math.MaxInt} }

// spendName spends one name that is compared with some rules, and says whether there was enough.
func (b *budget) spendName(rules int) bool {
	b.names--
	b.matches -= rules
	return b.names >= 0 && b.matches >= 0
}

// spendSuffix spends a comparison with the end of a path, and says whether there was one left.
func (b *budget) spendSuffix() bool {
	b.ends--
	return b.ends >= 0
}

// spendComparison spends a comparison of two names, and says whether there was enough.
func (b *budget) spendComparison(x, y string) bool {
	cost := (len(x) + 1) * (len(y) + 1)
	if cost > b.cells {
		return false
	}
	b.cells -= cost
	return true
}
