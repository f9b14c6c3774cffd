package history

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/internal/ranking"
)

// Meaning gives vectors of what texts mean: those of one version of a model can be compared. It is asked in idle time,
// and when somebody searches. It may give vectors of the first texts alone.
type Meaning interface {
	Vectors(ctx context.Context, texts []string) (version string, list []ranking.Vector, err error)
}

const (
	batchTurns = 32     // that one request is about
	maxVectors = 50_000 // of the newest turns, that one search compares
	maxNear    = 100    // turns: how near the others are says nothing
	askTime    = 500 * time.Millisecond
)

// ByMeaning has searches find turns also by what they mean. It is called before the first search; nil: by words alone.
func (h *History) ByMeaning(m Meaning) { h.meaning = m }

// Learn makes vectors of turns that have none, the newest first, until all have one, ctx ends or the model is wanted
// for something else. It does nothing where no model is set, or nobody has searched.
func (h *History) Learn(ctx context.Context) error {
	if h.meaning == nil || !h.Indexed() {
		return nil
	}
	return h.with(func(s *store) error {
		for below := int64(1) << 62; ; {
			// the newest turns before it that have no vector
			turns, err := s.ids(
				ctx, `SELECT id FROM turns WHERE id < ? AND id NOT IN (SELECT turn FROM vectors)
					ORDER BY id DESC LIMIT ?`, below, batchTurns,
			)
			if err != nil || len(turns) == 0 {
				return err
			}
			done, err := h.learn(ctx, s, turns)
			if err != nil {
				return err
			}
			below = turns[done-1]
		}
	})
}

// learn makes the vectors of the first of some turns, or of all, and says how many are done.
func (h *History) learn(ctx context.Context, s *store, turns []int64) (done int, err error) {
	folders := h.entered()
	defer folders.close()
	look := look{history: h, store: s}
	var ids []int64
	var texts []string
	for _, id := range turns {
		turn, err := s.row(ctx, id)
		if err != nil {
			return 0, err
		}
		text, err := look.read(folders.at(turn.root), turn)
		if err != nil || !isWord(text) {
			continue // it is denied, or changed: then it comes again as another turn
		}
		ids, texts = append(ids, id), append(texts, turn.title+"\n"+text)
	}
	if len(ids) == 0 {
		return len(turns), nil
	}
	version, vectors, err := h.meaning.Vectors(ctx, texts)
	if err != nil {
		return 0, err
	}
	if done = len(turns); len(vectors) < len(ids) {
		done = slices.Index(turns, ids[len(vectors)])
	}
	if done == 0 {
		return 0, errNoVectors
	}
	w := s.writer()
	if err := w.begin(ctx); err != nil {
		return 0, err
	}
	model, err := w.name(tagVersion, version)
	for i := range vectors {
		if err == nil {
			_, err = w.do(
				`INSERT OR REPLACE INTO vectors(turn, model, vector) SELECT id, ?, ? FROM turns WHERE id = ?`,
				model, []byte(vectors[i]), ids[i],
			)
		}
	}
	return done, errors.Join(err, w.end(err == nil))
}

// errNoVectors says that a model gave nothing for a text.
var errNoVectors = errors.New("the model gave no vectors")

// near are the turns that are the nearest to a text in what they mean, the nearest first; none: that is not known now.
func (l *look) near(ctx context.Context) ([]int64, error) {
	m := l.history.meaning
	if m == nil || len(l.terms) == 0 || strings.ContainsAny(l.query.Text, `"*`) { // who writes so means the words
		return nil, nil
	}
	asking, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	version, asked, err := m.Vectors(asking, []string{l.query.Text})
	if err != nil || len(asked) != 1 {
		return nil, ctx.Err() // words alone count
	}
	var turns []int64
	var vectors []ranking.Vector
	err = l.store.each(ctx, func(scan scanner) error {
		var id int64
		var vector []byte
		err := scan(&id, &vector)
		if len(vector) == len(asked[0]) {
			turns, vectors = append(turns, id), append(vectors, vector)
		}
		return err
	}, `SELECT turn, vector FROM vectors WHERE model = (SELECT id FROM names WHERE kind = ? AND name = ?)
		ORDER BY turn DESC LIMIT ?`, tagVersion, version, maxVectors)
	if err != nil {
		return nil, err
	}
	places := ranking.Nearest(asked[0], vectors)
	var nearest []int64
	for _, at := range places[:min(len(places), maxNear)] {
		nearest = append(nearest, turns[at])
	}
	return l.fitting(ctx, nearest)
}

// fitting are those of some turns that fit what a search is narrowed to, in their order.
func (l *look) fitting(ctx context.Context, turns []int64) ([]int64, error) {
	if l.filter.tags == "" && !l.filter.dated || len(turns) == 0 {
		return turns, nil
	}
	fit, err := l.store.match(ctx, "", l.filter, turns)
	return slices.DeleteFunc(turns, func(id int64) bool {
		return !slices.ContainsFunc(fit, func(r ranked) bool { return r.id == id })
	}), err
}

// fuse puts what was found by words and what is near in one order: pinned chats first, then what has all words, then
// the rest, for which meaning counts twice: who remembers the words finds by them.
func (l *look) fuse(near []int64) {
	if len(near) == 0 {
		return
	}
	have := map[int]ranked{}
	var byWords, byMeaning []int
	for _, r := range l.found {
		byWords = append(byWords, int(r.id))
		have[int(r.id)] = r
	}
	for _, id := range near {
		byMeaning = append(byMeaning, int(id))
		if _, has := have[int(id)]; !has {
			have[int(id)] = ranked{id: id}
		}
	}
	l.found = l.found[:0]
	for _, id := range byWords {
		if r := have[id]; l.hasAll(r) {
			l.found = append(l.found, r)
		}
	}
	for _, id := range ranking.Fuse(byWords, byMeaning, byMeaning) {
		if r := have[id]; !l.hasAll(r) {
			l.found = append(l.found, r)
		}
	}
	slices.SortStableFunc(l.found, func(a, b ranked) int { return first(a.pin, b.pin) })
}

// hasAll reports whether a turn, or its chat, has all words that tell something.
func (l *look) hasAll(r ranked) bool { return r.all || l.telling > 0 && r.terms == l.telling }
