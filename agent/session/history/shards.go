package history

import (
	"context"
	"fmt"
	"slices"
)

// The words of turns are in tables of so many turns each, by the turns' IDs: a search looks into the newest first, and
// into no more than it needs. The beginning of a word makes FTS5 read all that a table has of it.
const shardBits = 16

// blockBits is the size of the blocks of turns of which it is kept when the first and the last were written.
const blockBits = 10

func shardOf(turn int64) int64 { return turn >> shardBits }

// tableOf is the name of the table with the words of a shard.
func tableOf(shard int64) string { return fmt.Sprintf("words%d", shard) }

// shardSchema makes the tables of one shard. An index of words holds no text: it is in the chats.
const shardSchema = `
CREATE VIRTUAL TABLE words%[1]d USING fts5(
	title, text, pairs, tags, content='', contentless_delete=1,
	tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'");
CREATE VIRTUAL TABLE terms%[1]d USING fts5vocab(words%[1]d, 'row');
INSERT INTO words%[1]d(words%[1]d, rank) VALUES('hashsize', 8388608);
`

// shards are all that there are, the newest first.
func (s *store) shards(ctx context.Context) (all []int64, err error) {
	return s.ids(ctx, "SELECT id FROM shards ORDER BY id DESC")
}

// shard makes the tables for the words of a turn where they are missing, and names that of the words.
func (w *writer) shard(turn int64) (table string, err error) {
	id := shardOf(turn)
	table = tableOf(id)
	if w.shards[id] {
		return table, nil
	}
	result, err := w.tx.Exec("INSERT OR IGNORE INTO shards(id) VALUES(?)", id)
	if err != nil {
		return table, err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		w.shards[id] = err == nil
		return table, err
	}
	_, err = w.tx.Exec(fmt.Sprintf(shardSchema, id))
	w.shards[id] = err == nil
	return table, err
}

// forget takes the words of a turn out, and its vector.
func (w *writer) forget(turn int64) error {
	table, err := w.shard(turn)
	if err == nil {
		_, err = w.do("DELETE FROM "+table+" WHERE rowid = ?", turn)
	}
	if err == nil {
		_, err = w.do("DELETE FROM vectors WHERE turn = ?", turn)
	}
	return err
}

// between are the IDs among which are all turns that were written at a time.
func (s *store) between(ctx context.Context, f filter) (low, high int64, err error) {
	err = s.db.QueryRowContext(
		ctx, "SELECT coalesce(min(id), 1), coalesce(max(id), -1) FROM blocks WHERE high >= ? AND low < ?",
		f.since, f.until,
	).Scan(&low, &high)
	return low << blockBits, (high + 1) << blockBits, err
}

// inShard are those of some turns that are in one; nil stays nil.
func inShard(turns []int64, shard int64) []int64 {
	if turns == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(turns), func(id int64) bool { return shardOf(id) != shard })
}
