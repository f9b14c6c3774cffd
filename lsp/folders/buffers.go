package folders

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/convert"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/wire"
	"github.com/assent-ls/assent/tools/workspace"
)

// Buffers are the editor's open documents, each with its one writer. It implements workspace.Buffers.
type Buffers struct {
	store    *documents.Store
	client   *wire.Client
	removed  func(uri string)               // a person took out something that was written
	notTaken func(uri string, reason error) // the editor does not take what is written

	mu      sync.Mutex
	writers map[string]*documents.Writer // guarded by mu, by documents.Key
	changed map[string]bool              // guarded by mu: changed by Assent and not saved since
	// guarded by mu: an edit was sent of which nothing is known, and nothing was heard since
	frozen map[string]bool
	linked map[string]string // guarded by mu, by documents.Key: the files of documents whose names lead through links
}

func NewBuffers(
	store *documents.Store, client *wire.Client, removed func(uri string), notTaken func(uri string, reason error),
) *Buffers {
	return &Buffers{
		store: store, client: client, removed: removed, notTaken: notTaken,
		writers: map[string]*documents.Writer{}, changed: map[string]bool{}, frozen: map[string]bool{},
		linked: map[string]string{},
	}
}

// Writer returns the writer of an open document.
func (b *Buffers) Writer(uri string) (*documents.Writer, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w, ok := b.writers[documents.Key(uri)]
	return w, ok
}

func (b *Buffers) Opened(uri string, version int32, text string) {
	snapshot := b.store.Open(uri, version, text)
	b.mu.Lock()
	w, ok := b.writers[documents.Key(uri)]
	if !ok {
		w = documents.NewWriter(b.client.Life(), snapshot, editorClient{b.client}, documents.Options{
			Encoding: b.store.Encoding(), Versioned: b.client.Versioned(), AnswerTimeout: b.client.AnswerTime(),
			OnTrouble: func(reason error) { b.notTaken(uri, reason) },
			OnRemoved: func(string) { b.removed(uri) },
		})
		b.writers[documents.Key(uri)] = w
	}
	b.forget(uri)
	b.mu.Unlock()
	if ok {
		w.Opened(snapshot)
	}
	b.followLinks(uri)
}

// followLinks notes where the name of an open document leads: once, since every name that a model or a person writes is
// looked up among the open documents.
func (b *Buffers) followLinks(uri string) {
	key := documents.Key(uri)
	name, err := documents.PathOf(uri)
	if err != nil {
		return // no file
	}
	real := BehindLinks(name)
	b.mu.Lock()
	defer b.mu.Unlock()
	if delete(b.linked, key); real != name {
		b.linked[key] = real
	}
}

// BehindLinks is the file that a name leads to; one that is not there yet is in the folder that its own leads to.
func BehindLinks(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	if _, err := os.Lstat(name); err == nil {
		return name // a link that leads nowhere
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(name)); err == nil {
		return filepath.Join(folder, filepath.Base(name))
	}
	return name
}

// Change applies the editor's changes.
func (b *Buffers) Change(uri string, version int32, changes []documents.Change) error {
	snapshot, err := b.store.Change(uri, version, changes)
	if errors.Is(err, documents.ErrNotOpen) {
		return err // there is no text that the writer could follow
	}
	if w, ok := b.Writer(uri); ok {
		w.Changed(snapshot)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.frozen, documents.Key(uri))
	return err
}

// forget drops what was noted of a document, which the editor showed anew; mu is held.
func (b *Buffers) forget(uri string) {
	delete(b.changed, documents.Key(uri))
	delete(b.frozen, documents.Key(uri))
}

// End stops all writers: nothing is written any more.
func (b *Buffers) End() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.writers {
		w.End()
	}
}

func (b *Buffers) Saved(uri string) {
	if _, err := b.store.Save(uri); err != nil {
		return
	}
	b.followLinks(uri) // the file may be new, or another one
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget(uri)
}

func (b *Buffers) Close(uri string) {
	b.mu.Lock()
	w := b.writers[documents.Key(uri)] // kept: ":e!" closes a document and opens it again
	b.forget(uri)
	delete(b.linked, documents.Key(uri))
	b.mu.Unlock()
	if w != nil {
		w.Closed()
	}
	_ = b.store.Close(uri) // it may never have been open
}

// Find returns the open document of a file: the same file may be open under a link's name.
func (b *Buffers) Find(abs string) (documents.Snapshot, bool) {
	if s, ok := b.store.Get(documents.URIOf(abs)); ok {
		return s, true
	}
	for _, key := range b.leadingTo(abs) {
		name, err := documents.PathOf(key)
		if err != nil || BehindLinks(name) != abs { // a link may lead elsewhere by now
			continue
		}
		if s, ok := b.store.Get(key); ok {
			return s, true
		}
	}
	return documents.Snapshot{}, false
}

// leadingTo lists the documents whose names led to a file through links.
func (b *Buffers) leadingTo(abs string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var keys []string
	for key, real := range b.linked {
		if real == abs {
			keys = append(keys, key)
		}
	}
	return keys
}

// Text implements workspace.Buffers.
func (b *Buffers) Text(abs string) (string, bool) {
	s, ok := b.Find(abs)
	if !ok {
		return "", false
	}
	return s.Text.String(), true
}

var errNotOpen = errors.New("the document is not open any more")

// editLimit is how long an edit of a document is waited for: longer than the writer's own patience.
const editLimit = 20 * time.Second

// Replace implements workspace.Buffers: it changes the smallest part that differs.
func (b *Buffers) Replace(ctx context.Context, abs, before, after string) error {
	s, ok := b.Find(abs)
	if !ok {
		return errNotOpen
	}
	if s.Stale != nil {
		return s.Stale
	}
	if b.Frozen(abs) {
		return errors.New("it is not known what became of the edit before this one")
	}
	if s.Text.String() != before {
		return fmt.Errorf("%s: %w", filepath.Base(abs), workspace.ErrChanged)
	}
	w, ok := b.Writer(s.URI)
	if !ok {
		return errNotOpen
	}
	span, text := s.Text.Difference(after)
	ctx, cancel := context.WithTimeout(ctx, editLimit)
	defer cancel()
	if err := w.ReplaceIn(ctx, s, span, before[span.Start:span.End], text); err != nil {
		switch {
		case errors.Is(err, documents.ErrChanged):
			return fmt.Errorf("%w: %w", workspace.ErrChanged, err)
		case errors.Is(err, documents.ErrUnknown):
			return b.unknown(s.URI, err)
		}
		return fmt.Errorf("%w: %w", workspace.ErrNotApplied, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changed[documents.Key(s.URI)] = true
	return nil
}

// unknown keeps in mind that nothing is known of an edit: no command may run beside it, and nothing else be done to the
// document, before the user has looked at it.
func (b *Buffers) unknown(uri string, err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.changed[documents.Key(uri)], b.frozen[documents.Key(uri)] = true, true
	name := uri
	if path, err := documents.PathOf(uri); err == nil {
		name = filepath.Base(path)
	}
	return &unknownError{name, err}
}

// Frozen implements workspace.Buffers.
func (b *Buffers) Frozen(abs string) bool {
	s, ok := b.Find(abs)
	b.mu.Lock()
	defer b.mu.Unlock()
	return ok && b.frozen[documents.Key(s.URI)]
}

// unknownError is the error of an edit whose outcome is unknown.
type unknownError struct {
	name string
	err  error
}

func (e *unknownError) Error() string {
	return fmt.Sprintf("it is not known whether the edit of %q arrived, so look at the file before you go on", e.name)
}

// Is lets the workspace hand the sentence on as it is.
func (e *unknownError) Is(target error) bool { return target == workspace.ErrUnknown }

func (e *unknownError) Unwrap() error { return e.err }

// Open implements workspace.Buffers.
func (b *Buffers) Open() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for key := range b.writers {
		if path, err := documents.PathOf(key); err == nil {
			out = append(out, path)
		}
	}
	return out
}

// Unsaved implements workspace.Buffers.
func (b *Buffers) Unsaved() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for key := range b.changed {
		if s, ok := b.store.Get(key); ok && (!s.Saved || b.frozen[key]) {
			if path, err := documents.PathOf(key); err == nil {
				out = append(out, path)
			}
		}
	}
	return out
}

// editorClient sends a writer's edits.
type editorClient struct{ *wire.Client }

// ApplyEdit implements documents.Client.
func (c editorClient) ApplyEdit(
	ctx context.Context, uri string, version int32, at documents.Range, text string,
) (bool, error) {
	answer, err := c.Client.ApplyEdit(
		ctx, protocol.DocumentURI(uri), version, protocol.TextEdit{Range: convert.ToRange(at), NewText: text},
	)
	if errors.Is(err, wire.ErrUnsupported) {
		return false, nil // nothing was sent: that is known
	}
	return answer.Applied, err
}
