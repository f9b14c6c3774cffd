package toolcall

// matcher finds any of several markers in a stream of bytes (Aho and Corasick, 1975). Its state is one integer, so that a
// marker may be split at any byte.
type matcher struct{ nodes []matchNode }

type matchNode struct {
	next  [256]int16
	depth int16 // bytes that are still a prefix of some marker
	hit   int16 // the marker that ends here, plus one; 0: none
}

// newMatcher builds a matcher. Empty markers never match; of two that end at the same byte the longer wins.
func newMatcher(markers []string) *matcher {
	m := &matcher{nodes: make([]matchNode, 1)}
	for i, marker := range markers {
		if marker != "" {
			m.add(marker, int16(i+1))
		}
	}
	m.link()
	return m
}

func (m *matcher) add(marker string, hit int16) {
	at := int16(0)
	for i := range len(marker) {
		next := m.nodes[at].next[marker[i]]
		if next == 0 {
			next = int16(len(m.nodes))
			m.nodes = append(m.nodes, matchNode{depth: int16(i + 1)})
			m.nodes[at].next[marker[i]] = next
		}
		at = next
	}
	if m.nodes[at].hit == 0 {
		m.nodes[at].hit = hit
	}
}

// link turns the trie into an automaton: missing edges lead to the longest suffix that is a prefix of a marker.
func (m *matcher) link() {
	fail := make([]int16, len(m.nodes))
	queue := []int16{0}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for b := range 256 {
			child := m.nodes[at].next[b]
			back := int16(0)
			if at != 0 {
				back = m.nodes[fail[at]].next[b]
			}
			if child == 0 {
				m.nodes[at].next[b] = back
				continue
			}
			fail[child] = back
			if m.nodes[child].hit == 0 {
				m.nodes[child].hit = m.nodes[back].hit
			}
			queue = append(queue, child)
		}
	}
}

// step takes one byte. hit is the index of the marker that ends with it, or -1.
func (m *matcher) step(state int16, b byte) (next int16, hit int) {
	next = m.nodes[state].next[b]
	return next, int(m.nodes[next].hit) - 1
}

// depth is how many of the last bytes may still become a marker.
func (m *matcher) depth(state int16) int { return int(m.nodes[state].depth) }

// byteSet says of each byte whether it matters to a scanner.
type byteSet [256]byte

const (
	free     byte = iota
	telling       // it matters, unless it is escaped
	marking       // it may begin a marker, and matters even then
	escaping      // the byte after it is escaped
)

// heeding is the set of bytes that may begin a marker, and some more; a backslash among those escapes.
func (m *matcher) heeding(more string) *byteSet {
	var set byteSet
	for i := range len(more) {
		set[more[i]] = telling
		if more[i] == '\\' {
			set['\\'] = escaping
		}
	}
	for b := range set {
		if m != nil && m.nodes[0].next[b] != 0 {
			set[b] = marking
		}
	}
	return &set
}

// skip gives the place of the first byte from at on that matters, or the end of text. escaped says that the text ends with
// a backslash: what it escapes is still to come.
func skip[T string | []byte](text T, at int, set *byteSet) (end int, escaped bool) {
	for {
		for at+4 <= len(text) && set[text[at]]|set[text[at+1]]|set[text[at+2]]|set[text[at+3]] == free {
			at += 4
		}
		for at < len(text) && set[text[at]] == free {
			at++
		}
		switch {
		case at == len(text) || set[text[at]] != escaping:
			return at, false
		case at+1 == len(text):
			return at + 1, true
		case set[text[at+1]] == marking:
			return at, false
		}
		at += 2
	}
}
