package history

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/transcript"
)

const (
	// window is how many of the newest turns that fit are ranked: to rank all that have a common word takes too long.
	window = 2_000
	// DefaultLimit is how many hits a search gives where nobody says.
	DefaultLimit = 20
	maxLimit     = 200
	perChat      = 3 // hits of one chat at most
)

// Query is what is searched for. Words are ANDed, and where few turns have all of them, the best turns
// of the chats that have the most of them follow.
type Query struct {
	Text  string // words, "phrases", prefix*; empty: all turns that fit the rest, the newest first
	Limit int    // of hits; 0: DefaultLimit
	Runes int    // of an excerpt; 0: as many as fit on a line

	Workspace string    // the root of a workspace: its chats and those of its repository's other worktrees
	Model     string    // as the chat names it
	Tool      string    // that the turn called
	File      string    // that a call of the turn named: a path, or its end
	Since     time.Time // the turn was written at this time or later
	Until     time.Time // and before this one
}

// Hit is a turn of a chat.
type Hit struct {
	Path     string
	Title    string
	Model    string
	Root     string // of the workspace
	Role     transcript.Role
	Turn     int       // from 0
	Line     int       // of its heading, from 0
	Written  time.Time // when the turn was first seen
	Excerpt  string    // on one line, made visible, around the first of the words
	Pinned   bool
	AllWords bool // it has all of the words
}

// Search finds turns, those of pinned chats first, then the best. What the files do not hold any more, or what is
// denied now, is not found. The caller has refreshed the index if it wants to find what other programs saved.
func (h *History) Search(ctx context.Context, q Query) (hits []Hit, err error) {
	return h.search(ctx, q, nil)
}

// search is Search, or with a model to find things for, Recall.
func (h *History) search(ctx context.Context, q Query, m *forModel) (hits []Hit, err error) {
	pins, err := h.Pins()
	if err != nil {
		return nil, err
	}
	err = h.with(func(s *store) error {
		if h.takesEmpty(s) {
			if _, err := h.Refresh(ctx); err != nil {
				return err
			}
		}
		for range 2 { // once more if the index was behind the files
			look := look{
				history: h, store: s, query: q, model: m, pins: pins, terms: parse(q.Text), seen: map[int64]bool{},
			}
			stale, err := look.search(ctx)
			hits = look.hits
			if err != nil || !stale {
				return err
			}
		}
		return nil
	})
	return hits, err
}

// ranked is a turn that fits.
type ranked struct {
	id    int64
	score float64 // the lower the better, as FTS5 has it
	all   bool    // it has all terms
	terms int     // that its chat has, if it is the best turn of that and has not all itself
	pin   bool
}

// look is one search.
type look struct {
	history *History
	store   *store
	query   Query
	model   *forModel // nil: a person searches
	pins    Pins
	pinned  []int64 // turns of pinned chats
	terms   []term
	telling int // how many of the terms a chat must have to be as good as one with all of them; 0: that is not known
	filter  filter

	seen  map[int64]bool
	found []ranked
	hits  []Hit
}

func (l *look) limit() int {
	if l.query.Limit <= 0 {
		return DefaultLimit
	}
	return min(l.query.Limit, maxLimit)
}

// search fills hits. stale: a chat that was found changed meanwhile, and was taken over.
func (l *look) search(ctx context.Context) (stale bool, err error) {
	l.filter, err = l.store.filter(ctx, l.query)
	if err != nil || strings.TrimSpace(l.query.Text) != "" && len(l.terms) == 0 {
		return false, err
	}
	if l.pinned, err = l.store.pinned(ctx, l.pins); err != nil {
		return false, err
	}
	err = l.match(ctx, expression(l.terms), func(r ranked) {
		if !l.seen[r.id] {
			l.seen[r.id] = true
			r.all = true
			l.found = append(l.found, r)
		}
	})
	if err != nil {
		return false, err
	}
	if len(l.found) < l.limit() && len(l.terms) > 1 {
		telling, err := l.store.telling(ctx, l.terms)
		if l.telling = min(len(telling), mostSome); err == nil {
			err = l.addSome(ctx, telling)
		}
		if err != nil {
			return false, err
		}
	}
	slices.SortStableFunc(l.found, func(a, b ranked) int {
		return cmp.Or(
			first(a.pin, b.pin), first(a.all, b.all), cmp.Compare(b.terms, a.terms), cmp.Compare(a.score, b.score),
			cmp.Compare(b.id, a.id),
		)
	})
	near, err := l.near(ctx)
	if err != nil {
		return false, err
	}
	l.fuse(near)
	return l.show(ctx)
}

// first compares so that what is true comes first.
func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// match calls fits with the turns that fit an expression, first with those of pinned chats, which may be old.
func (l *look) match(ctx context.Context, expression string, fits func(ranked)) error {
	for _, among := range [][]int64{l.pinned, nil} {
		if among != nil && len(among) == 0 {
			continue
		}
		turns, err := l.store.match(ctx, expression, l.filter, among)
		if err != nil {
			return err
		}
		for _, r := range turns {
			r.pin = len(among) > 0
			fits(r)
		}
	}
	return nil
}
