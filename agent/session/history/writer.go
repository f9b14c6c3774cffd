package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools/diskfile"
)

// A transaction ends after so much, so that others can write in between and little is lost when the process is killed.
const (
	batchChats = 500
	batchBytes = 16 << 20
)

// writer changes the index, some chats in each transaction. It is used by one goroutine, which calls end.
type writer struct {
	store  *store
	tx     *sql.Tx              // nil: none is begun
	made   map[string]*sql.Stmt // of tx
	names  map[[2]string]int64  // IDs by kind and name
	shards map[int64]bool       // that are there
	chats  int                  // of this transaction
	bytes  int
	indexd int // chats that were taken in all
}

func (s *store) writer() *writer {
	return &writer{store: s, names: map[[2]string]int64{}, shards: map[int64]bool{}}
}

// begin begins a transaction, unless one is.
func (w *writer) begin(ctx context.Context) error {
	if w.tx != nil {
		return nil
	}
	select {
	case w.store.lock <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	tx, err := w.store.db.Begin()
	if err != nil {
		w.release()
		return err
	}
	w.tx, w.made = tx, map[string]*sql.Stmt{}
	return nil
}

func (w *writer) release() { <-w.store.lock }

// end ends the transaction. What it did is kept if keep is set.
func (w *writer) end(keep bool) error {
	if w.tx == nil {
		return nil
	}
	tx := w.tx
	w.tx, w.made, w.chats, w.bytes = nil, nil, 0, 0
	defer w.release()
	if !keep {
		clear(w.names)
		clear(w.shards)
		_ = tx.Rollback() // the error that led here says more
		return nil
	}
	return tx.Commit()
}

// do runs a statement, which is prepared once in a transaction.
func (w *writer) do(query string, args ...any) (sql.Result, error) {
	stmt, err := w.stmt(query)
	if err != nil {
		return nil, err
	}
	return stmt.Exec(args...)
}

// query is do for a statement that gives rows.
func (w *writer) query(query string, args ...any) (*sql.Rows, error) {
	stmt, err := w.stmt(query)
	if err != nil {
		return nil, err
	}
	return stmt.Query(args...)
}

func (w *writer) stmt(query string) (*sql.Stmt, error) {
	if stmt := w.made[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := w.tx.Prepare(query)
	if err == nil {
		w.made[query] = stmt
	}
	return stmt, err
}

// id is that of a row that a statement makes where it is missing.
func (w *writer) id(insert, find string, args ...any) (id int64, err error) {
	ids, err := idsOf(w.query(find, args...))
	if err != nil {
		return 0, err
	}
	if len(ids) > 0 {
		return ids[0], nil
	}
	result, err := w.do(insert, args...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// name is the ID of a tool, a file or a model.
func (w *writer) name(kind, name string) (int64, error) {
	key := [2]string{kind, name}
	if id, known := w.names[key]; known {
		return id, nil
	}
	id, err := w.id(
		"INSERT INTO names(kind, name) VALUES(?, ?)", "SELECT id FROM names WHERE kind = ? AND name = ?", kind, name,
	)
	if err == nil {
		w.names[key] = id
	}
	return id, err
}

// settle gives a place its ID.
func (w *writer) settle(p *place) (err error) {
	if p.id != 0 {
		return nil
	}
	common := repository(p.root)
	p.id, err = w.id(
		"INSERT INTO workspaces(root, repository) VALUES(?, '')", "SELECT id FROM workspaces WHERE root = ?", p.root,
	)
	if err == nil {
		_, err = w.do("UPDATE workspaces SET repository = ? WHERE id = ? AND repository <> ?", common, p.id, common)
	}
	return err
}

// known is what the index holds of a chat.
type known struct {
	id      int64
	size    int64
	changed int64 // in nanoseconds
	about   [3]string
	place   int64
}

// errLeftOut says why a chat is not indexed.
var errLeftOut = errors.New("left out")

// take takes over a chat as it is on disk: one that is gone is removed. The place was entered.
func (w *writer) take(ctx context.Context, p *place, name string) error {
	if err := w.begin(ctx); err != nil {
		return err
	}
	if err := w.settle(p); err != nil {
		return err
	}
	file := filepath.Join(p.root, filepath.FromSlash(name))
	if p.denied(name) {
		return w.remove(file)
	}
	text, info, identity, err := readChat(p.dir, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return w.remove(file)
	case err != nil:
		return errors.Join(fmt.Errorf("%w: %q: %w", errLeftOut, file, err), w.remove(file))
	}
	if err := w.write(p, file, text, info, identity); err != nil {
		return err
	}
	w.indexd++
	w.chats++
	if w.bytes += len(text); w.chats >= batchChats || w.bytes >= batchBytes {
		return w.end(true)
	}
	return nil
}

// readChat reads a chat with its file information.
func readChat(dir *os.Root, name string) (text string, info fs.FileInfo, identity string, err error) {
	f, err := diskfile.OpenRegularIn(dir, name, os.O_RDONLY, 0)
	if err != nil {
		return "", nil, "", err
	}
	defer f.Close() //nolint:errcheck // only read
	if info, err = f.Stat(); err != nil {
		return "", nil, "", err
	}
	if info.Size() > diskfile.MaxText {
		return "", nil, "", fmt.Errorf("%w: a chat of more than %d MB", diskfile.ErrTooLarge, diskfile.MaxText>>20)
	}
	if identity, err = shortKey(f); err != nil {
		return "", nil, "", err
	}
	data, err := io.ReadAll(io.LimitReader(f, diskfile.MaxText))
	return string(data), info, identity, err
}

// write brings the index of a chat up to date. Turns that are as they were keep their rows: what is new is at the end,
// where the newest are looked for.
func (w *writer) write(p *place, file, text string, info fs.FileInfo, identity string) error {
	chat := transcript.Parse(text)
	before, err := w.chat(file)
	if err != nil {
		return err
	}
	now := known{
		size: info.Size(), changed: info.ModTime().UnixNano(),
		about: [3]string{identity, chat.Front.Model, chat.Title()}, place: p.id,
	}
	ids, err := idsOf(w.query(
		`INSERT INTO chats(path, workspace, size, changed, identity, model, title) VALUES(?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT(path) DO UPDATE SET workspace = excluded.workspace, size = excluded.size,
				changed = excluded.changed, identity = excluded.identity, model = excluded.model, title = excluded.title
			RETURNING id`,
		file, now.place, now.size, now.changed, now.about[0], now.about[1], now.about[2],
	))
	if err != nil {
		return err
	}
	now.id = ids[0]
	same := before.id != 0 && before.place == now.place && before.about[1] == now.about[1] &&
		before.about[2] == now.about[2]
	return w.turns(now, turnsOf(chat, text), info.ModTime(), same)
}

// chat is what the index holds of a chat; without an ID: nothing.
func (w *writer) chat(file string) (k known, err error) {
	rows, err := w.query(
		"SELECT id, size, changed, workspace, identity, model, title FROM chats WHERE path = ?", file,
	)
	err = scanned(rows, err, func(scan scanner) error {
		return scan(&k.id, &k.size, &k.changed, &k.place, &k.about[0], &k.about[1], &k.about[2])
	})
	return k, err
}

// turns replaces the turns of a chat. same: those that are as they were may stay.
func (w *writer) turns(chat known, turns []turn, when time.Time, same bool) error {
	type row struct {
		id, n, start, line int64
	}
	have := map[int64][]row{} // by sum
	rows, err := w.query("SELECT id, n, start, line, sum FROM turns WHERE chat = ? ORDER BY n", chat.id)
	err = scanned(rows, err, func(scan scanner) error {
		var r row
		var sum int64
		err := scan(&r.id, &r.n, &r.start, &r.line, &sum)
		have[sum] = append(have[sum], r)
		return err
	})
	if err != nil {
		return err
	}
	var fresh []int
	for n, t := range turns {
		old := have[t.sum]
		if !same || len(old) == 0 {
			fresh = append(fresh, n)
			continue
		}
		r := old[0]
		have[t.sum] = old[1:]
		if r.n == int64(n) && r.start == int64(t.start) && r.line == int64(t.line) {
			continue
		}
		_, err := w.do("UPDATE turns SET n = ?, start = ?, line = ? WHERE id = ?", n, t.start, t.line, r.id)
		if err != nil {
			return err
		}
	}
	for _, left := range have {
		for _, r := range left {
			if err := w.removeTurn(r.id); err != nil {
				return err
			}
		}
	}
	for _, n := range fresh {
		if err := w.addTurn(chat, n, turns[n], when); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) removeTurn(id int64) error {
	err := w.forget(id)
	if err == nil {
		_, err = w.do("DELETE FROM turns WHERE id = ?", id)
	}
	return err
}

func (w *writer) addTurn(chat known, n int, t turn, when time.Time) error {
	result, err := w.do(
		"INSERT INTO turns(chat, n, start, length, line, role, at, sum) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
		chat.id, n, t.start, t.length, t.line, int(t.role), when.Unix(), t.sum,
	)
	if err != nil {
		return err
	}
	id, err := result.LastInsertId()
	if err != nil {
		return err
	}
	tags := []string{tag(tagPlace, chat.place)}
	for _, of := range []struct {
		kind  string
		names []string
	}{{tagModel, []string{chat.about[1]}}, {tagTool, t.tools}, {tagFile, t.files}} {
		for _, name := range of.names {
			known, err := w.name(of.kind, name)
			if err != nil {
				return err
			}
			tags = append(tags, tag(of.kind, known))
		}
	}
	words, pairs := indexedAs(strings.Join(append([]string{t.text}, t.files...), "\n"))
	title, titlePairs := "", ""
	if n == 0 {
		title, titlePairs = indexedAs(chat.about[2])
	}
	if _, err := w.do(
		`INSERT INTO blocks(id, low, high) VALUES(?1, ?2, ?2)
			ON CONFLICT(id) DO UPDATE SET low = min(low, ?2), high = max(high, ?2)`, id>>blockBits, when.Unix(),
	); err != nil {
		return err
	}
	table, err := w.shard(id)
	if err != nil {
		return err
	}
	_, err = w.do(
		"INSERT INTO "+table+"(rowid, title, text, pairs, tags) VALUES(?, ?, ?, ?, ?)",
		id, title, words, titlePairs+pairs, strings.Join(tags, " "),
	)
	return err
}

// The kinds of tags, by which a search is narrowed.
const (
	tagPlace = "w"
	tagModel = "m"
	tagTool  = "t"
	tagFile  = "f"

	tagVersion = "v" // of a model that made vectors; no turn has such a tag
)

func tag(kind string, id int64) string { return fmt.Sprintf("%s%d", kind, id) }

// remove removes a chat from the index, if it has it.
func (w *writer) remove(file string) error {
	k, err := w.chat(file)
	if err != nil || k.id == 0 {
		return err
	}
	turns, err := idsOf(w.query("SELECT id FROM turns WHERE chat = ?", k.id))
	if err != nil {
		return err
	}
	for _, id := range turns {
		if err := w.forget(id); err != nil {
			return err
		}
	}
	if _, err := w.do("DELETE FROM turns WHERE chat = ?", k.id); err != nil {
		return err
	}
	_, err = w.do("DELETE FROM chats WHERE id = ?", k.id)
	return err
}
