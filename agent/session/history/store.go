package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"

	"github.com/assent-ls/assent/tools/diskfile"
)

// folderName is the folder of the index in the state folder.
const folderName = "history"

// schemaVersion is that of what the tables mean. Each version has files of its own.
const schemaVersion = 2

// schema is made in one transaction. The tables of words come as they are needed: see shardSchema.
const schema = `
CREATE TABLE workspaces(
	id INTEGER PRIMARY KEY, root TEXT NOT NULL UNIQUE, repository TEXT NOT NULL, walked INTEGER NOT NULL DEFAULT 0);
CREATE TABLE chats(
	id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, workspace INTEGER NOT NULL, size INTEGER NOT NULL,
	changed INTEGER NOT NULL, identity TEXT NOT NULL, model TEXT NOT NULL, title TEXT NOT NULL);
CREATE INDEX chats_of ON chats(workspace);
CREATE TABLE turns(
	id INTEGER PRIMARY KEY, chat INTEGER NOT NULL, n INTEGER NOT NULL, start INTEGER NOT NULL, length INTEGER NOT NULL,
	line INTEGER NOT NULL, role INTEGER NOT NULL, at INTEGER NOT NULL, sum INTEGER NOT NULL);
CREATE INDEX turns_of ON turns(chat);
CREATE TABLE blocks(id INTEGER PRIMARY KEY, low INTEGER NOT NULL, high INTEGER NOT NULL);
CREATE TABLE shards(id INTEGER PRIMARY KEY);
CREATE TABLE vectors(turn INTEGER PRIMARY KEY, model INTEGER NOT NULL, vector BLOB NOT NULL);
CREATE TABLE names(id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, UNIQUE(kind, name));
`

// store is an open index.
type store struct {
	dir  string
	name string
	db   *sql.DB
	lock chan struct{} // holds one value while a writer of this process is at work

	empty bool // it took the place of a broken one, and holds nothing yet
}

// generations are the names of the index files of this version that are there, the newest last, and those of older
// versions. A broken index is never repaired or removed while others may use it: the next one gets the next number.
func generations(dir string) (own []int, older []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		version, number, ok := parseName(e.Name())
		switch {
		case !ok:
		case version < schemaVersion:
			older = append(older, e.Name())
		case version == schemaVersion:
			own = append(own, number)
		}
	}
	return own, older, nil
}

func nameOf(number int) string { return fmt.Sprintf("v%d-%d.db", schemaVersion, number) }

func parseName(name string) (version, number int, ok bool) {
	rest, isIndex := strings.CutSuffix(name, ".db")
	v, n, cut := strings.Cut(strings.TrimPrefix(rest, "v"), "-")
	version, versionErr := strconv.Atoi(v)
	number, numberErr := strconv.Atoi(n)
	return version, number, isIndex && cut && versionErr == nil && numberErr == nil && number > 0
}

// indexed reports whether somebody searched before, so that there is an index to keep.
func indexed(state string) bool {
	own, _, err := generations(filepath.Join(state, folderName))
	return err == nil && len(own) > 0
}

func newest(numbers []int) int { return slices.Max(append([]int{0}, numbers...)) }

// openStore opens the newest index of a folder. A file that is no index is left behind.
func openStore(dir string) (*store, error) {
	own, older, err := generations(dir)
	if err != nil {
		return nil, err
	}
	s, err := openFile(dir, nameOf(max(1, newest(own))))
	if isCorrupt(err) {
		return newStore(dir)
	}
	if err == nil {
		remove(dir, older)
	}
	return s, err
}

// remove removes index files that nobody needs any more.
func remove(dir string, names []string) {
	for _, name := range names {
		for _, part := range []string{"", "-wal", "-shm", "-journal"} {
			_ = os.RemoveAll(filepath.Join(dir, name+part)) // what cannot be removed is in nobody's way
		}
	}
}

// newStore makes an index with the next number, and removes those before.
func newStore(dir string) (*store, error) {
	own, older, err := generations(dir)
	if err != nil {
		return nil, err
	}
	for _, n := range own {
		older = append(older, nameOf(n))
	}
	s, err := openFile(dir, nameOf(newest(own)+1))
	if err != nil {
		return nil, err
	}
	remove(dir, older)
	return s, nil
}

// errOdd says that a file holds something else than this version of the index.
var errOdd = errors.New("it is no index of chats")

// openFile opens one file, and makes what is missing.
func openFile(dir, name string) (*store, error) {
	path := filepath.Join(dir, name)
	f, err := diskfile.OpenRegular(path, os.O_RDWR|os.O_CREATE, 0o600) // SQLite would wait for a pipe
	if errors.Is(err, diskfile.ErrNotRegular) {
		return nil, errors.Join(errOdd, err)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("the index of chats cannot be opened: %w", err)
	}
	place := filepath.ToSlash(path)
	if !strings.HasPrefix(place, "/") {
		place = "/" + place
	}
	query := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(NORMAL)", "temp_store(MEMORY)", "cache_size(-16000)",
	}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: place, RawQuery: query.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	s := &store{dir: dir, name: name, db: db, lock: make(chan struct{}, 1)}
	// SQLite does not wait for its lock while it turns a new file into one with a log
	for end := time.Now().Add(busyTime); ; time.Sleep(busyPause) {
		if err = s.prepare(); !isBusy(err) || time.Now().After(end) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return s, nil
}

// How long others may keep the index for themselves.
const (
	busyTime  = 10 * time.Second
	busyPause = 20 * time.Millisecond
)

// prepare makes the tables of a new file, and checks that another one is ours.
func (s *store) prepare() error {
	version, err := versionOf(s.db)
	if err != nil || version == schemaVersion {
		return err
	}
	tx, err := s.db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit there is nothing to take back
	if version, err = versionOf(tx); err != nil || version == schemaVersion {
		return err // another process made them meanwhile
	}
	var tables int
	if err := tx.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return err
	}
	if version != 0 || tables > 0 {
		return errOdd
	}
	if _, err := tx.Exec(schema + fmt.Sprintf("PRAGMA user_version = %d;", schemaVersion)); err != nil {
		return err
	}
	return tx.Commit()
}

// tidy gives the space of the log back after much was written. While others read, it is kept for later.
func (s *store) tidy() { _, _ = s.db.Exec("PRAGMA wal_checkpoint(TRUNCATE)") }

// querier is a database or a transaction.
type querier interface {
	QueryRow(query string, args ...any) *sql.Row
}

func versionOf(q querier) (version int, err error) {
	return version, q.QueryRow("PRAGMA user_version").Scan(&version)
}

func (s *store) close() error { return s.db.Close() }

// scanner reads the values of a row.
type scanner func(into ...any) error

// each calls row for each row of a query.
func (s *store) each(ctx context.Context, row func(scan scanner) error, query string, args ...any) error {
	rows, err := s.db.QueryContext(ctx, query, args...)
	return scanned(rows, err, row)
}

// ids are those that a query of one number gives.
func (s *store) ids(ctx context.Context, query string, args ...any) ([]int64, error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	return idsOf(rows, err)
}

// idsOf are those in the rows of a query, which may have failed.
func idsOf(rows *sql.Rows, err error) ([]int64, error) {
	var ids []int64
	err = scanned(rows, err, func(scan scanner) error {
		var id int64
		err := scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// scanned calls row for each row of a query, which may have failed.
func scanned(rows *sql.Rows, err error, row func(scan scanner) error) error {
	if err != nil {
		return err
	}
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return errors.Join(err, rows.Close())
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// Primary result codes of SQLite, https://www.sqlite.org/rescode.html.
const (
	codeError   = 1
	codeBusy    = 5
	codeLocked  = 6
	codeCorrupt = 11
	codeFull    = 13
	codeNotADB  = 26
	shortRead   = 10 | 2<<8 // a file that was cut off
)

// codeOf is the result code in an error; 0: there is none.
func codeOf(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()
	}
	return 0
}

func isBusy(err error) bool { c := codeOf(err) & 0xff; return c == codeBusy || c == codeLocked }

func isFull(err error) bool { return codeOf(err)&0xff == codeFull }

// isCorrupt reports whether the file is to be left behind. A table that is missing is SQLITE_ERROR.
func isCorrupt(err error) bool {
	code := codeOf(err)
	primary := code & 0xff
	return errors.Is(err, errOdd) || primary == codeCorrupt || primary == codeNotADB || code == shortRead ||
		primary == codeError && strings.Contains(err.Error(), "no such") || errors.Is(err, fs.ErrInvalid)
}
