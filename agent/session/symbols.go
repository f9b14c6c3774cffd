package session

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

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/workspace"
)

// How much of a workspace is searched for chats.
const (
	maxSearchedChats = 500
	maxSearchedChat  = 1 << 20  // bytes of one
	maxSearchedBytes = 16 << 20 // of all of them
	maxWalkedNames   = 20_000   // that are looked at for chats
)

// Symbol is something in a chat that can be gone to: the chat itself, or a question in it.
type Symbol struct {
	Path string
	Name string
	Chat string // the title of the chat of a question; empty: it is the chat
	Line int    // from 0
}

// Symbols are those of a chat whose names have the letters of a query in its order, in any case.
func Symbols(name string, chat *transcript.Chat, text, query string) (list []Symbol) {
	title := chat.Title()
	if title == "" {
		title = visible.Line(strings.TrimSuffix(filepath.Base(name), ".chat.md"))
	}
	if matches(title, query) {
		list = append(list, Symbol{Path: name, Name: title})
	}
	line, from := 0, 0
	for _, turn := range chat.Turns {
		line += strings.Count(text[from:turn.Heading.Start], "\n")
		from = turn.Heading.Start
		if turn.Role != transcript.You {
			continue
		}
		if asked := turn.FirstWords(); asked != "" && asked != title && matches(asked, query) {
			list = append(list, Symbol{Path: name, Name: asked, Chat: title, Line: line})
		}
	}
	return list
}

// ChatSymbols lists the symbols of the chats of a workspace that its .gitignore does not exclude, and of those that New
// chat made, these first and the newest of them before the others; but not of those that skip names. Their paths begin
// with that of the folder, as its user spells it. It is bounded by the context and by how much is read. What cannot be
// read is left out.
func ChatSymbols(
	ctx context.Context, ws *workspace.Workspace, folder, query string, skip func(path string) bool,
) ([]Symbol, error) {
	root, err := os.OpenRoot(ws.Root())
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // only read
	s := chatSearch{
		root: root, folder: folder, query: query, skip: skip, seen: map[string]bool{}, left: maxSearchedBytes,
	}
	made, err := madeChats(root)
	slices.SortFunc(made, func(x, y string) int { return cmp.Compare(y, x) }) // names begin with the day
	s.read(ctx, made)
	walked, unwalked := walkedChats(ctx, ws)
	s.read(ctx, walked)
	return s.list, errors.Join(err, unwalked, s.err, ctx.Err())
}

// chatSearch is one search in the chats of a workspace.
type chatSearch struct {
	root          *os.Root
	folder, query string
	skip          func(path string) bool
	seen          map[string]bool // names from the root
	left          int64           // bytes that may still be read

	list []Symbol
	err  error
}

// read adds the symbols of the chats with these names.
func (s *chatSearch) read(ctx context.Context, names []string) {
	for _, rel := range names {
		if ctx.Err() != nil || s.left <= 0 || len(s.seen) >= maxSearchedChats {
			return
		}
		name := filepath.Join(s.folder, filepath.FromSlash(rel))
		if s.seen[rel] || !transcript.IsChat(rel) {
			continue
		}
		s.seen[rel] = true
		if s.skip(name) {
			continue
		}
		text, _, err := readChat(s.root, rel, min(s.left, maxSearchedChat))
		if err != nil {
			s.err = errors.Join(s.err, err)
			continue
		}
		s.left -= int64(len(text))
		s.list = append(s.list, Symbols(name, transcript.Parse(text), text, s.query)...)
	}
}

// walkedChats are the names of the chats of a workspace that a walk finds in half of the time that is left: the others
// are read in the rest.
func walkedChats(ctx context.Context, ws *workspace.Workspace) (names []string, err error) {
	if end, limited := ctx.Deadline(); limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
	}
	root, err := ws.Resolve("")
	if err != nil {
		return nil, err
	}
	seen := 0
	err = ws.Walk(ctx, root, func(p workspace.Path) error {
		if seen++; seen > maxWalkedNames {
			return fs.SkipAll
		}
		if !p.Dir && transcript.IsChat(p.Rel) {
			names = append(names, p.Rel)
		}
		return nil
	})
	return names, err
}

// matches reports whether a name has the letters of a query in its order.
func matches(name, query string) bool {
	rest := []rune(strings.ToLower(name))
	for _, want := range strings.ToLower(query) {
		at := slices.Index(rest, want)
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
	}
	return true
}
