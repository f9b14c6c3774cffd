package model

// Estimate is how many tokens a request is expected to take.
type Estimate struct {
	Tokens int
	// Counted is how many of them the server has counted: those of the longest earlier prompt that this one continues.
	Counted int
	// Fitted says that the model's own counts are behind it; else it may be wrong by a third.
	Fitted bool
	// Exact says that the server counted this very request, so that Tokens is what it takes.
	Exact bool
}

// Most is more than what a request takes, however wrong the estimate is: no tokenizer is further from the rough rule.
func (e Estimate) Most() int { return e.Counted + (e.Tokens-e.Counted)*mostFactor }

// Margin is what a request may take for certain.
func (e Estimate) Margin() int {
	if e.Fitted {
		return e.scaled(1.05)
	}
	return e.scaled(1.3)
}

// Least is what a request takes at least.
func (e Estimate) Least() int {
	if e.Fitted {
		return e.scaled(0.9)
	}
	return e.scaled(0.7)
}

// scaled is what a request takes if what was not counted takes so many times what is expected.
func (e Estimate) scaled(factor float64) int {
	return e.Counted + int(float64(e.Tokens-e.Counted)*factor)
}

// Small reports whether a count is smaller than that of the whole prompt should be.
func (e Estimate) Small(count int) bool {
	return count*100 < e.Counted*95+(e.Tokens-e.Counted)*75
}

// Shrunk reports whether a count is smaller than what was counted of the same prompt before, so that something is
// missing. Templates leave out old thinking, for which a quarter is allowed, and some servers count only what is new.
func (e Estimate) Shrunk(count int) bool {
	return count*4 < e.Counted*3 && count > 2*(e.Tokens-e.Counted)+64
}

// Plausible reports whether a count may be that of the whole prompt.
func (e Estimate) Plausible(count int) bool {
	return count*4 >= e.Counted*3 && count*3 >= e.Tokens && count/5 <= e.Tokens+200
}
