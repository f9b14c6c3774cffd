package scan

// Matcher finds any of several markers in a stream of bytes (Aho and Corasick, 1975). Its state is one integer, so that
// a marker may be split at any byte.
type Matcher struct {
	class [256]uint8  // of the bytes that no marker has: 0
	width int         // how many classes there are
	next  []int16     // the state after a state and a class
	nodes []matchNode // by state
}

type matchNode struct {
	depth int16 // bytes that are still a prefix of some marker
	hit   int16 // the marker that ends here, plus one; 0: none
}

// NewMatcher builds a matcher. Empty markers never match; of two that end at the same byte the longer wins.
func NewMatcher(markers []string) *Matcher {
	m := &Matcher{width: 1}
	total := 1
	for _, marker := range markers {
		total += len(marker)
		for i := range len(marker) {
			if m.class[marker[i]] == 0 {
				m.class[marker[i]] = uint8(m.width)
				m.width++
			}
		}
	}
	m.nodes = append(make([]matchNode, 0, total), matchNode{})
	m.next = make([]int16, m.width, total*m.width)
	for i, marker := range markers {
		if marker != "" {
			m.add(marker, int16(i+1))
		}
	}
	m.link()
	return m
}

func (m *Matcher) edge(state int16, class int) *int16 { return &m.next[int(state)*m.width+class] }

func (m *Matcher) add(marker string, hit int16) {
	at := int16(0)
	for i := range len(marker) {
		next := m.edge(at, int(m.class[marker[i]]))
		if *next == 0 {
			*next = int16(len(m.nodes))
			m.nodes = append(m.nodes, matchNode{depth: int16(i + 1)})
			m.next = m.next[:len(m.nodes)*m.width]
		}
		at = *next
	}
	if m.nodes[at].hit == 0 {
		m.nodes[at].hit = hit
	}
}

// link turns the trie into an automaton: missing edges lead to the longest suffix that is a prefix of a marker.
func (m *Matcher) link() {
	fail := make([]int16, len(m.nodes))
	queue := []int16{0}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for class := range m.width {
			child := m.edge(at, class)
			back := int16(0)
			if at != 0 {
				back = *m.edge(fail[at], class)
			}
			if *child == 0 {
				*child = back
				continue
			}
			fail[*child] = back
			if m.nodes[*child].hit == 0 {
				m.nodes[*child].hit = m.nodes[back].hit
			}
			queue = append(queue, *child)
		}
	}
}

// Step takes one byte. hit is the index of the marker that ends with it, or -1.
func (m *Matcher) Step(state int16, b byte) (next int16, hit int) {
	next = m.next[int(state)*m.width+int(m.class[b])]
	return next, int(m.nodes[next].hit) - 1
}

// Depth is how many of the last bytes may still become a marker.
func (m *Matcher) Depth(state int16) int { return int(m.nodes[state].depth) }

// StopBytes is the set of the bytes that may begin a marker, and some more; a backslash among those escapes.
func (m *Matcher) StopBytes(more string) *ByteSet {
	set := StopSet(more)
	for b := range set {
		if m.next[m.class[b]] != 0 {
			set[b] = Marking
		}
	}
	return set
}
