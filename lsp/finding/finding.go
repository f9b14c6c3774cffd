// Package finding finds the user's chats for one editor, by what was said in them.
package finding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/session/history"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/folders"
	"github.com/assent-ls/assent/lsp/tasks"
)

const (
	lookPause  = 30 * time.Second // between two looks for chats that other programs changed
	lookTime   = 2 * time.Second  // that a search waits for the first look
	leastQuery = 3                // characters of a query of symbols for which turns are looked for
)

// Options are what a finder works with.
type Options struct {
	History *history.History
	Context context.Context //nolint:containedctx // the life of what goes on in the background
	Tasks   *tasks.Group    // of what does
	Folders *folders.Folders
	Log     *slog.Logger
	// Show shows a page in the editor; its name tells it from others.
	Show func(ctx context.Context, name, text string) error
	// File finds the file of a document: the root of its workspace, and its path there. The error is a sentence.
	File func(uri string) (root, rel string, err error)
	// IsOpen reports whether a chat is open, so that it may say something else than its file.
	IsOpen func(uri string) bool
}

// Finder searches for one editor. Its methods may be called concurrently.
type Finder struct {
	Options

	mu     sync.Mutex
	looked time.Time // guarded by mu: when chats were last looked for that changed
}

// New makes a finder. It reads nothing.
func New(o Options) *Finder { return &Finder{Options: o} }

// Saved has searches find what was saved in a chat.
func (f *Finder) Saved(path string) {
	root := f.Folders.Holding(path)
	f.Tasks.Go(func() {
		if err := f.History.Saved(f.Context, root, path); err != nil {
			f.Log.Info("a chat was not indexed", "error", err)
		}
	})
}

// Pin pins a chat, or takes its pin away.
func (f *Finder) Pin(path string, on bool) error {
	_, err := f.History.Pin(path, on)
	return err
}

// Pinned reports whether a chat is pinned, and whether it can be: it has a file.
func (f *Finder) Pinned(path string) (on, can bool) {
	if _, err := os.Stat(path); err != nil {
		return false, false
	}
	pins, err := f.History.Pins()
	return pins.Has(path), err == nil
}

// turns searches the user's chats. The first time it waits a little for what is not indexed yet.
func (f *Finder) turns(ctx context.Context, q history.Query) ([]history.Hit, error) {
	first := !f.History.Opened()
	if done := f.look(); done != nil && first {
		wait, cancel := context.WithTimeout(ctx, lookTime)
		defer cancel()
		select {
		case <-done:
		case <-wait.Done():
		}
	}
	hits, err := f.History.Search(ctx, q)
	for i := range hits {
		hits[i].Path = f.asOpened(hits[i].Path)
	}
	return hits, err
}

// look looks for chats that changed, in the background; nil: it did so just now.
func (f *Finder) look() (done chan struct{}) {
	now := time.Now()
	f.mu.Lock()
	due := f.looked.IsZero() || now.Sub(f.looked) > lookPause
	if due {
		f.looked = now
	}
	f.mu.Unlock()
	if !due {
		return nil
	}
	var here []string
	for _, at := range f.Folders.All() {
		here = append(here, at.Folder)
	}
	done = make(chan struct{})
	if !f.Tasks.Go(func() {
		defer close(done)
		problems, err := f.History.Refresh(f.Context, here...)
		if err != nil || len(problems) > 0 {
			f.Log.Info("not all chats are indexed", "error", err, "problems", problems)
		}
		f.Tasks.Go(func() { // while the model server is idle; the next look goes on
			if err := f.History.Learn(f.Context); err != nil {
				f.Log.Info("not all chats are found by meaning", "error", err)
			}
		})
	}) {
		close(done) // the server ends
	}
	return done
}

// asOpened is a path as the user of the editor spells it: by another name an editor would open a chat twice.
func (f *Finder) asOpened(path string) string {
	for _, at := range f.Folders.All() {
		if at.Workspace == nil {
			continue
		}
		if rel, err := filepath.Rel(at.Workspace.Root(), path); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(at.Folder, rel)
		}
	}
	return path
}

// touching is a query of the turns whose calls named the file of a document.
func (f *Finder) touching(uri string) (history.Query, error) {
	root, rel, err := f.File(uri)
	return history.Query{Workspace: root, File: rel}, err
}

// Find serves assent/chats/find.
func (f *Finder) Find(ctx context.Context, wanted ext.ChatsWanted) (ext.FoundTurns, error) {
	q := history.Query{}
	if wanted.URI != "" {
		var err error
		if q, err = f.touching(wanted.URI); err != nil {
			return ext.FoundTurns{}, err
		}
	}
	q.Text, q.Limit = wanted.Query, wanted.Limit
	hits, err := f.turns(ctx, q)
	found := ext.FoundTurns{Turns: []ext.FoundTurn{}}
	for _, h := range hits {
		found.Turns = append(found.Turns, ext.FoundTurn{
			URI: documents.URIOf(h.Path), Line: h.Line, Title: titleOf(h), Role: h.Role.Name(), Excerpt: h.Excerpt,
			Day: h.Written.Format(time.DateOnly), Pinned: h.Pinned,
		})
	}
	return found, err
}

func titleOf(h history.Hit) string { return cmp.Or(h.Title, "(nothing asked yet)") }

// Search shows what a search finds as a page, for editors that show no list of their own.
func (f *Finder) Search(ctx context.Context, search ext.Search) (err error) {
	q, about := history.Query{Text: search.Query}, visible.CodeSpan(search.Query)
	switch {
	case search.File:
		if q, err = f.touching(search.URI); err != nil {
			return err
		}
		about = visible.CodeSpan(q.File)
	case strings.TrimSpace(search.Query) == "":
		return errors.New("say what was said in the chat: give a query, or use the symbols of the workspace")
	}
	hits, err := f.turns(ctx, q)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Chats about %s\n\n", about)
	for _, h := range hits {
		pinned := ""
		if h.Pinned {
			pinned = ", pinned"
		}
		fmt.Fprintf(
			&b, "- %s, %s%s: %s\n  <%s#L%d>\n", h.Written.Format(time.DateOnly), visible.CodeSpan(titleOf(h)), pinned,
			visible.CodeSpan(h.Role.Name()+": "+h.Excerpt), documents.URIOf(h.Path), h.Line+1,
		)
	}
	if len(hits) == 0 {
		b.WriteString("No chat that you may read has this.\n")
	}
	text := b.String()
	return f.Show(ctx, documents.PageName("chats-", text), text)
}

// Symbols are the turns of chats in the open folders in which a query was said, but not those of open chats, nor those
// that are known.
func (f *Finder) Symbols(ctx context.Context, query string, known []session.Symbol) (list []session.Symbol) {
	if utf8.RuneCountInString(strings.TrimSpace(query)) < leastQuery {
		return nil
	}
	for _, at := range f.Folders.All() {
		if at.Workspace == nil {
			continue
		}
		hits, err := f.turns(ctx, history.Query{Text: query, Workspace: at.Folder})
		if err != nil {
			f.Log.Info("what was said in chats was not searched", "error", err)
		}
		for _, h := range hits {
			same := func(k session.Symbol) bool { return k.Line == h.Line && k.Path == h.Path }
			if h.AllWords && !f.IsOpen(documents.URIOf(h.Path)) && !slices.ContainsFunc(known, same) {
				list = append(list, session.Symbol{Path: h.Path, Name: h.Excerpt, Chat: titleOf(h), Line: h.Line})
			}
		}
	}
	return list
}
