package history

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/diskfile"
)

// row is what the index holds of a turn that fits.
type row struct {
	path, title, model, root string
	n, start, length, line   int
	role                     transcript.Role
	at, sum                  int64
}

// looked bounds how many turns of one search are looked at.
const looked = 5 * maxLimit

// show makes hits of what was found, from the files as they are now. stale: see search.
func (l *look) show(ctx context.Context) (stale bool, err error) {
	folders := l.history.entered()
	defer folders.close()
	chats := map[string]int{}
	l.hits = nil
	for i, r := range l.found {
		if len(l.hits) >= l.limit() || i >= looked {
			break
		}
		turn, err := l.store.row(ctx, r.id)
		if err != nil {
			return false, err
		}
		if chats[turn.path] >= perChat && len(l.terms) > 0 || turn.path == "" {
			continue
		}
		p := folders.at(turn.root)
		if l.model != nil && !l.model.may(l.history, p, turn.path) {
			continue
		}
		text, err := l.read(p, turn)
		switch {
		case errors.Is(err, errChanged):
			stale = true
			if err := l.history.take(ctx, l.store, p, turn.path); err != nil {
				return false, err
			}
			continue
		case err != nil:
			continue // denied, or not to be read now
		}
		chats[turn.path]++
		l.hits = append(l.hits, Hit{
			Path: turn.path, Title: turn.title, Model: turn.model, Root: turn.root, Role: turn.role, Turn: turn.n,
			Line: turn.line, Written: time.Unix(turn.at, 0), Pinned: r.pin, AllWords: r.all,
			Excerpt: excerpt(text, l.terms, cmp.Or(l.query.Runes, excerptAll)),
		})
	}
	return stale, nil
}

// row reads one turn; without a path: it is not there any more.
func (s *store) row(ctx context.Context, id int64) (r row, err error) {
	err = s.each(ctx, func(scan scanner) error {
		return scan(
			&r.path, &r.title, &r.model, &r.root, &r.n, &r.start, &r.length, &r.line, &r.role, &r.at, &r.sum,
		)
	}, `SELECT chats.path, chats.title, chats.model, workspaces.root, turns.n, turns.start, turns.length, turns.line,
		turns.role, turns.at, turns.sum FROM turns JOIN chats ON chats.id = turns.chat
		JOIN workspaces ON workspaces.id = chats.workspace WHERE turns.id = ?`, id)
	return r, err
}

// Why a turn that fits is not shown.
var (
	errChanged = errors.New("the chat changed")
	errHidden  = errors.New("it is denied")
)

// read gives what was said in a turn, from the file. A turn whose calls name what is denied now is not shown.
func (l *look) read(p *place, r row) (said string, err error) {
	name, err := filepath.Rel(p.root, r.path)
	if err != nil || p.dir == nil {
		return "", errHidden
	}
	name = filepath.ToSlash(name)
	if p.denied(name) {
		return "", errHidden
	}
	text, err := readPart(p.dir, name, r.start, r.length)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", errChanged
	case err != nil:
		return "", err
	case sumOf(text) != r.sum:
		return "", errChanged
	}
	for _, t := range transcript.Parse(text).Turns {
		turn := turnsOf(&transcript.Chat{Turns: []transcript.Turn{t}}, text)[0]
		if slices.ContainsFunc(turn.files, p.denied) {
			return "", errHidden
		}
		said += strings.Join(append([]string{turn.text}, turn.files...), "\n")
	}
	return said, nil
}

// readPart reads a part of a file.
func readPart(dir *os.Root, name string, start, length int) (string, error) {
	f, err := diskfile.OpenRegularIn(dir, name, os.O_RDONLY, 0)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // only read
	part := make([]byte, length)
	if n, _ := f.ReadAt(part, int64(start)); n < length { // why does not matter
		return "", errChanged
	}
	return string(part), nil
}

// take takes over one chat of a place that was entered.
func (h *History) take(ctx context.Context, s *store, p *place, file string) error {
	name, err := filepath.Rel(p.root, file)
	if err != nil {
		return err
	}
	w := s.writer()
	err = w.take(ctx, p, filepath.ToSlash(name))
	if errors.Is(err, errLeftOut) && codeOf(err) == 0 {
		err = nil
	}
	return errors.Join(err, w.end(err == nil))
}

// excerptAll is how many runes an excerpt has on a line of a list, a quarter of them before the first word that fits.
const excerptAll = 160

// excerpt is the part of a text that has the first of the words, on one line, of so many runes at most.
func excerpt(text string, terms []term, most int) string {
	text = strings.Join(strings.Fields(text), " ")
	plain, places := folded(text)
	at := len(text)
	for _, t := range terms {
		word, _ := folded(strings.Join(strings.Fields(t.text), " "))
		if i := wordIn(plain, word); i >= 0 {
			at = min(at, places[i])
		}
	}
	if at == len(text) {
		at = 0
	}
	from := at
	for n := 0; from > 0 && n < most/4; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	out := text[from:]
	if from > 0 {
		if i := strings.IndexByte(out, ' '); i >= 0 && from+i < at {
			out = out[i+1:]
		}
		out = "…" + out
	}
	if runes := []rune(out); len(runes) > most {
		out = string(runes[:most]) + "…"
	}
	return visible.Line(out)
}

// wordIn is where a word begins in a text, both folded: at the beginning of one of its words if it can be; -1: nowhere.
func wordIn(text, word string) int {
	if word == "" {
		return -1
	}
	first := strings.Index(text, word)
	for at := first; at >= 0; {
		last, _ := utf8.DecodeLastRuneInString(text[:at])
		if at == 0 || !isWord(string(last)) || isUnspaced(last) {
			return at
		}
		next := strings.Index(text[at+1:], word)
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return first
}
