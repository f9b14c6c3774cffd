package history

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assent-ls/assent/tools/workspace"
)

// filter is what a search is narrowed to beside its words.
type filter struct {
	tags         string // an expression of FTS5; empty: all turns
	dated        bool
	since, until int64 // in seconds
}

// filter finds the tags of a query.
func (s *store) filter(ctx context.Context, q Query) (f filter, err error) {
	f = filter{dated: !q.Since.IsZero() || !q.Until.IsZero(), since: q.Since.Unix(), until: q.Until.Unix()}
	if q.Until.IsZero() {
		f.until = 1 << 60
	}
	var tags []string
	narrow := func(kind, query string, args ...any) error {
		ids, err := s.ids(ctx, query, args...)
		if len(ids) == 0 {
			ids = []int64{0} // nothing has it
		}
		either := make([]string, len(ids))
		for i, id := range ids {
			either[i] = tag(kind, id)
		}
		tags = append(tags, "tags : ("+strings.Join(either, " OR ")+")")
		return err
	}
	if q.Workspace != "" {
		root := workspace.RealName(q.Workspace)
		err = narrow(tagPlace, "SELECT id FROM workspaces WHERE root = ? OR repository = ?", root, repository(root))
	}
	for _, of := range [][2]string{{tagModel, q.Model}, {tagTool, q.Tool}} {
		if err == nil && of[1] != "" {
			err = narrow(of[0], "SELECT id FROM names WHERE kind = ? AND name = ?", of[0], of[1])
		}
	}
	if file := cleanFile(q.File); err == nil && file != "" {
		err = narrow(
			tagFile, `SELECT id FROM names WHERE kind = 'f' AND
				(name = ?1 OR substr(name, -length(?1) - 1) = '/' || ?1) ORDER BY id DESC LIMIT 200`, file,
		)
	}
	f.tags = strings.Join(tags, " AND ")
	return f, err
}

// match gives the newest turns that fit, of some or of all (nil), with their rank if there is an expression for words.
// To rank, SQLite counts all turns that have a word: where more fit than are looked at, the newest count as the best.
func (s *store) match(ctx context.Context, expression string, f filter, among []int64) (turns []ranked, err error) {
	low, high := int64(0), int64(1)<<62
	if f.dated {
		if low, high, err = s.between(ctx, f); err != nil {
			return nil, err
		}
	}
	all := both(expression, f.tags)
	if all == "" {
		p := part{from: "turns", order: "turns.id", low: low, high: high, score: "0.0"}
		return s.newest(ctx, p, f, among, window)
	}
	shards, err := s.shards(ctx)
	if err != nil {
		return nil, err
	}
	var parts []part
	for _, shard := range shards {
		if shard < shardOf(low) || shard > shardOf(high) || among != nil && len(inShard(among, shard)) == 0 {
			continue
		}
		table := tableOf(shard)
		p := part{from: table, order: table + ".rowid", match: all, low: low, high: high, score: "0.0", shard: shard}
		some, err := s.newest(ctx, p, f, inShard(among, shard), window-len(turns))
		if err != nil {
			return nil, err
		}
		if len(some) > 0 {
			p.score = "bm25(" + table + ", 4.0, 1.0, 1.0, 0.0)"
			parts, turns = append(parts, p), append(turns, some...)
		}
		if len(turns) >= window {
			return turns, nil
		}
	}
	if expression == "" || len(turns) < 2 {
		return turns, nil
	}
	turns = nil
	for _, p := range parts {
		some, err := s.newest(ctx, p, f, inShard(among, p.shard), window)
		if err != nil {
			return nil, err
		}
		turns = append(turns, some...)
	}
	return turns, nil
}

// part is what one query looks at.
type part struct {
	from, order string // a table, and the column with the IDs of turns
	match       string // an expression of FTS5; empty: there is none
	low, high   int64  // IDs of turns, the last one excluded
	score       string // an expression of SQL
	shard       int64
}

// newest gives the newest turns of a part that fit, so many at most.
func (s *store) newest(ctx context.Context, p part, f filter, among []int64, most int) (turns []ranked, err error) {
	from, where := p.from, []string{}
	var args []any
	if p.match != "" {
		where, args = append(where, p.from+" MATCH ?"), append(args, p.match)
	}
	if f.dated {
		if p.match != "" {
			from += " CROSS JOIN turns ON turns.id = " + p.order
		}
		where = append(where, p.order+" >= ?", p.order+" < ?", "turns.at >= ?", "turns.at < ?")
		args = append(args, p.low, p.high, f.since, f.until)
	}
	if among != nil {
		where = append(where, p.order+" IN ("+listed(among)+")")
	}
	query := "SELECT " + p.order + ", " + p.score + " FROM " + from
	if len(where) > 0 {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	err = s.each(ctx, func(scan scanner) error {
		var r ranked
		err := scan(&r.id, &r.score)
		turns = append(turns, r)
		return err
	}, query+fmt.Sprintf(" ORDER BY %s DESC LIMIT %d", p.order, most), args...)
	return turns, err
}

// listed are IDs as SQL has them in a list.
func listed(ids []int64) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = strconv.FormatInt(id, 10)
	}
	return strings.Join(words, ",")
}

// both is an expression of FTS5 that two others make, either of which may be empty.
func both(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return "(" + a + ") AND " + b
}

// maxPinned bounds the turns of pinned chats that are looked at by themselves.
const maxPinned = 2_000

// pinned are the newest turns of pinned chats.
func (s *store) pinned(ctx context.Context, pins Pins) (turns []int64, err error) {
	for _, p := range pins.all {
		of, err := s.ids(ctx, `SELECT turns.id FROM chats JOIN turns ON turns.chat = chats.id WHERE chats.path = ?
			ORDER BY turns.id DESC LIMIT 200`, p.Path)
		if err != nil {
			return nil, err
		}
		if turns = append(turns, of...); len(turns) >= maxPinned {
			break
		}
	}
	return turns, nil
}

// telling are the terms that tell something, where others do not: one that more than a tenth of all turns have would
// fill the window. Of several words in one term nothing is known.
func (s *store) telling(ctx context.Context, terms []term) ([]term, error) {
	var all int
	if err := s.db.QueryRowContext(ctx, "SELECT count(*) FROM turns").Scan(&all); err != nil {
		return nil, err
	}
	shards, err := s.shards(ctx)
	if err != nil {
		return nil, err
	}
	type counted struct {
		term
		turns int
	}
	counts := make([]counted, len(terms))
	for i, t := range terms {
		word, _ := folded(t.text)
		counts[i].term = t
		for _, shard := range shards {
			var turns int
			err := s.db.QueryRowContext(
				ctx, fmt.Sprintf("SELECT coalesce(max(doc), 0) FROM terms%d WHERE term = ?", shard), word,
			).Scan(&turns)
			if err != nil {
				return nil, err
			}
			counts[i].turns += turns
		}
	}
	slices.SortStableFunc(counts, func(a, b counted) int { return cmp.Compare(a.turns, b.turns) })
	var told []term
	for i, c := range counts {
		if i == 0 || c.turns <= max(window, all/10) {
			told = append(told, c.term)
		}
	}
	return told, nil
}
