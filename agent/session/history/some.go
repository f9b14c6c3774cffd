package history

import (
	"cmp"
	"context"
	"maps"
	"math/bits"
	"slices"
)

// mostSome is how many terms count where no turn has all of them: the rarest.
const mostSome = 8

// partial is a turn, or a chat, that has some of the terms.
type partial struct {
	turn  int64
	terms uint // bits
	score [mostSome]float64
	pin   bool
}

func (p *partial) has(i int, score float64) {
	if bit := uint(1) << i; p.terms&bit == 0 || score < p.score[i] {
		p.terms |= bit
		p.score[i] = score
	}
}

func (p *partial) sum() (sum float64) {
	for _, s := range p.score {
		sum += s
	}
	return sum
}

// addSome finds chats that have some of the terms, in any of their turns: a question has some words of what is looked
// for, and its answer others. The best turn of each chat comes first, and the others after those of all chats.
func (l *look) addSome(ctx context.Context, terms []term) error {
	turns := map[int64]*partial{}
	for i, t := range terms[:min(len(terms), mostSome)] {
		err := l.match(ctx, t.match(), func(r ranked) {
			if turns[r.id] == nil {
				turns[r.id] = &partial{turn: r.id}
			}
			turns[r.id].has(i, r.score)
			turns[r.id].pin = turns[r.id].pin || r.pin
		})
		if err != nil {
			return err
		}
	}
	chats, err := l.store.chatsOf(ctx, turns)
	if err != nil {
		return err
	}
	for _, of := range chats {
		best, all := slices.MinFunc(of, func(a, b *partial) int {
			return cmp.Or(
				cmp.Compare(bits.OnesCount(b.terms), bits.OnesCount(a.terms)), cmp.Compare(a.sum(), b.sum()),
				cmp.Compare(b.turn, a.turn),
			)
		}), partial{}
		for _, p := range of {
			for i, score := range p.score {
				if p.terms&(1<<i) != 0 {
					all.has(i, score)
				}
			}
		}
		for _, p := range of {
			r := ranked{id: p.turn, score: p.sum(), pin: p.pin}
			if p == best {
				r.score, r.terms = all.sum(), bits.OnesCount(all.terms)
			}
			if !l.seen[p.turn] {
				l.seen[p.turn] = true
				l.found = append(l.found, r)
			}
		}
	}
	return nil
}

// chatsOf puts turns together by their chats.
func (s *store) chatsOf(ctx context.Context, turns map[int64]*partial) (chats map[int64][]*partial, err error) {
	chats = map[int64][]*partial{}
	for part := range slices.Chunk(slices.Collect(maps.Keys(turns)), window) {
		err := s.each(ctx, func(scan scanner) error {
			var id, chat int64
			err := scan(&id, &chat)
			chats[chat] = append(chats[chat], turns[id])
			return err
		}, "SELECT id, chat FROM turns WHERE id IN ("+listed(part)+")")
		if err != nil {
			return nil, err
		}
	}
	return chats, nil
}
