package documents

// Difference returns the smallest span of the text that must be replaced to get s, and what replaces it.
func (t Text) Difference(s string) (Span, string) {
	old := t.String()
	pre, suf := common(old, s)
	return Span{pre, len(old) - suf}, s[pre : len(s)-suf]
}

// Since says where t differs from the text o before it: what is in t at now came in the place of what was in o at
// then. It is cheap for texts that are edits of one another, and the spans need not be the smallest.
func (t Text) Since(o Text) (then, now Span) {
	n, m := len(t.pieces()), len(o.pieces())
	first, start := 0, 0
	// Equal pieces of edited texts are the same memory, which compares at once.
	for first < min(n, m) && t.piece(first) == o.piece(first) {
		start += len(t.piece(first))
		first++
	}
	last, end := 0, 0
	for last < min(n, m)-first && t.piece(n-1-last) == o.piece(m-1-last) {
		end += len(t.piece(n - 1 - last))
		last++
	}
	then, now = Span{start, o.Len() - end}, Span{start, t.Len() - end}
	pre, suf := common(o.Slice(then.Start, then.End), t.Slice(now.Start, now.End))
	return Span{then.Start + pre, then.End - suf}, Span{now.Start + pre, now.End - suf}
}
