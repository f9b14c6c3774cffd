package policy

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/assent-ls/assent/tools/userstate"
)

const (
	matchesFile = "matches.json"
	maxMatches  = 2000 // rules whose matches are kept
)

// match is how often a rule decided, and when last.
type match struct {
	Count int       `json:"count"`
	Last  time.Time `json:"last"`
}

// matches counts in the user's state folder how often rules decided calls that ran. Counting holds nothing up: it is
// written by a goroutine of its own.
type matches struct {
	state *userstate.State // nil: nothing is counted

	mu      sync.Mutex       // guards what follows
	pending map[string]match // not written yet, by the key of the rule
	writing bool
	ending  chan struct{}  // closed by Flush
	end     sync.Once      // closes ending
	idle    sync.WaitGroup // done when nothing is written any more
}

// Ran counts that a call ran, or was refused, that a rule decided.
func (p *Policy) Ran(d Decision) {
	m := p.matches
	if m.state == nil || len(d.counted) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := userstate.Now()
	for _, key := range d.counted {
		m.pending[key] = match{m.pending[key].Count + 1, now}
	}
	if !m.writing {
		m.writing = true
		m.idle.Go(m.write)
	}
}

// flushLimit is how long the end of a program waits for what is counted.
const flushLimit = time.Second

// writePause is what passes between two writes, each of which waits for the disk.
const writePause = 250 * time.Millisecond

// Flush waits until everything is counted, or for a second: a held lock must not hold up the end of the program. It may
// be called again; what is counted later is written at once.
func (p *Policy) Flush() {
	p.matches.end.Do(func() { close(p.matches.ending) })
	done := make(chan struct{})
	go func() {
		p.matches.idle.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(flushLimit):
	}
}

// write writes until nothing is pending.
func (m *matches) write() {
	for {
		m.mu.Lock()
		pending := m.pending
		m.pending = map[string]match{}
		m.writing = len(pending) > 0
		m.mu.Unlock()
		if len(pending) == 0 {
			return
		}
		err := userstate.UpdateMap(m.state, matchesFile, func(kept map[string]match) error {
			for key, more := range pending {
				kept[key] = match{kept[key].Count + more.Count, more.Last}
			}
			forget(kept)
			return nil
		})
		if err != nil {
			m.state.Report("It was not counted that a rule matched: " + err.Error())
		}
		select {
		case <-time.After(writePause):
		case <-m.ending:
		}
	}
}

// forget drops the counts of those rules that did not match for the longest time.
func forget(kept map[string]match) {
	if len(kept) <= maxMatches {
		return
	}
	keys := slices.SortedFunc(maps.Keys(kept), func(a, b string) int {
		return cmp.Or(kept[a].Last.Compare(kept[b].Last), cmp.Compare(a, b))
	})
	for _, key := range keys[:len(keys)-maxMatches] {
		delete(kept, key)
	}
}

// Matches says how often a rule of a file decided a call that ran, and when last.
func (p *Policy) Matches(r ListedRule) (n int, last time.Time) { return p.matches.of(r.Key(r.List)) }

// GrantMatches is Matches of a grant.
func (p *Policy) GrantMatches(g Grant) (n int, last time.Time) { return p.matches.of(g.ID) }

func (m *matches) of(key string) (n int, last time.Time) {
	if m.state == nil {
		return 0, time.Time{}
	}
	kept, err := userstate.Load[map[string]match](m.state, matchesFile)
	if err != nil {
		return 0, time.Time{}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	more := m.pending[key]
	if last = kept[key].Last; more.Count > 0 {
		last = more.Last
	}
	return kept[key].Count + more.Count, last
}
