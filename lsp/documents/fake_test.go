package documents

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

// habits say how a fake editor behaves.
type habits struct {
	strict   bool          // drops an edit that names another version
	polite   bool          // answers false when it drops one (else true, as Neovim does)
	debounce time.Duration // between a change and the report of it
	idle     bool          // the debounce begins anew with every change (Emacs)
	mute     bool          // never answers
	late     time.Duration // between applying and answering
	latency  time.Duration // of each way
	full     bool          // reports the whole text
	dos      bool          // its lines end with CRLF
	never    bool          // refuses everything
	hidden   bool          // reports nothing until show is called
	silent   bool          // answers true and does nothing
	mangle   func(string) string
	parts    bool // reports an edit as one change per character
}

// glyph is a character of the fake editor and where it came from.
type glyph struct {
	s    string
	ours bool
}

// editor is a fake editor with one document, joined to a Store and a Writer.
type editor struct {
	habits
	store *Store
	w     *Writer

	mu      sync.Mutex
	text    []glyph // guarded by mu
	version int32   // guarded by mu
	pending []Change
	timer   *time.Timer
	asked   int
	disk    string
	wire    chan func() // to the server, in order
	done    chan struct{}
	trouble []error
	removed []string
}

const fakeURI = "file:///tmp/ask.chat.md"

// newEditor opens a document. The caller closes it with quit.
func newEditor(ctx context.Context, h habits, text string, opts Options) *editor {
	e := &editor{habits: h, store: NewStore(UTF16, false), version: 1, wire: make(chan func(), 1<<16), done: make(chan struct{})}
	e.text = e.glyphs(text, false)
	e.disk = e.string()
	opts.Encoding = UTF16
	opts.OnTrouble = func(err error) { e.mu.Lock(); e.trouble = append(e.trouble, err); e.mu.Unlock() }
	opts.OnRemoved = func(s string) { e.mu.Lock(); e.removed = append(e.removed, s); e.mu.Unlock() }
	e.w = NewWriter(ctx, e.store.Open(fakeURI, 1, e.string()), e, opts)
	go func() {
		for {
			select {
			case f := <-e.wire:
				<-time.After(e.latency)
				f()
			case <-e.done:
				return
			}
		}
	}()
	return e
}

func (e *editor) quit() {
	e.w.End()
	close(e.done)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.timer != nil {
		e.timer.Stop()
	}
}

// glyphs cuts text into characters with the editor's own line ends.
func (e *editor) glyphs(text string, ours bool) []glyph {
	var all []glyph
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		s := string(r)
		if r == '\n' && e.dos {
			s = "\r\n"
		}
		all = append(all, glyph{s, ours})
	}
	return all
}

// string returns the text. The lock is held or nobody else uses e.
func (e *editor) string() string {
	var b strings.Builder
	for _, g := range e.text {
		b.WriteString(g.s)
	}
	return b.String()
}

func (e *editor) position(i int) Position {
	var p Position
	for _, g := range e.text[:i] {
		switch {
		case strings.HasSuffix(g.s, "\n"):
			p = Position{p.Line + 1, 0}
		default:
			r, _ := utf8.DecodeRuneInString(g.s)
			p.Character++
			if r > 0xFFFF {
				p.Character++
			}
		}
	}
	return p
}

// index is the inverse of position, lenient as editors are.
func (e *editor) index(p Position) int {
	for i := range e.text {
		if q := e.position(i); q.Line > p.Line {
			return i - 1
		} else if q.Line == p.Line && q.Character >= p.Character {
			return i
		}
	}
	return len(e.text)
}

// replace changes glyphs i to j. The lock is held.
func (e *editor) replace(i, j int, text []glyph) {
	r := Range{e.position(i), e.position(j)}
	var b strings.Builder
	for _, g := range text {
		b.WriteString(g.s)
	}
	e.text = append(append(e.text[:i:i], text...), e.text[j:]...)
	e.version++
	e.pending = append(e.pending, Change{&r, b.String()})
}

// report arranges for the pending changes to be told. The lock is held.
func (e *editor) report() {
	if e.hidden || len(e.pending) == 0 {
		return
	}
	if e.debounce == 0 {
		e.flush()
		return
	}
	if e.timer != nil {
		if !e.idle {
			return
		}
		e.timer.Stop()
	}
	e.timer = time.AfterFunc(e.debounce, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.timer = nil
		e.flush()
	})
}

// flush tells the pending changes. The lock is held.
func (e *editor) flush() {
	changes, version := e.pending, e.version
	e.pending = nil
	if len(changes) == 0 {
		return
	}
	if e.full {
		changes = []Change{{nil, e.string()}}
	}
	e.wire <- func() {
		s, err := e.store.Change(fakeURI, version, changes)
		if err != nil {
			panic(err)
		}
		e.w.Changed(s)
	}
}

// edit is what a person does: it replaces n glyphs at i.
func (e *editor) edit(i, n int, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.replace(i, i+n, e.glyphs(text, false))
	e.report()
}

// document is what the writer knows of the document.
func (e *editor) document() Snapshot {
	e.w.mu.Lock()
	defer e.w.unlock()
	return e.w.doc
}

func (e *editor) stream(at int) (*Stream, error) { return e.w.StreamIn(e.document(), at) }

func (e *editor) replaceIn(ctx context.Context, span Span, before, after string) error {
	return e.w.ReplaceIn(ctx, e.document(), span, before, after)
}

// key is a person's key press: text goes where the cursor is at that moment.
func (e *editor) key(cursor func() int, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	i := cursor()
	e.replace(i, i, e.glyphs(text, false))
	e.report()
}

// behind is a cursor behind the first occurrence of s.
func (e *editor) behind(s string) func() int {
	return func() int { return e.find(s) }
}

// find returns the index of the glyph behind the first occurrence of s. The lock is held or nobody else uses e.
func (e *editor) find(s string) int {
	text := e.string()
	at := strings.Index(text, s) + len(s)
	n := 0
	for i, g := range e.text {
		if n >= at {
			return i
		}
		n += len(g.s)
	}
	return len(e.text)
}

// reload throws the buffer away and opens text, as ":e!" does.
func (e *editor) reload(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.pending = nil
	e.text = e.glyphs(text, false)
	e.version++
	version, full := e.version, e.string()
	e.wire <- func() {
		if err := e.store.Close(fakeURI); err != nil {
			panic(err)
		}
		e.w.Closed()
	}
	e.wire <- func() { e.w.Opened(e.store.Open(fakeURI, version, full)) }
}

// ApplyEdit implements Client.
func (e *editor) ApplyEdit(ctx context.Context, _ string, version int32, at Range, text string) (bool, error) {
	<-time.After(e.latency)
	e.mu.Lock()
	e.asked++
	ok := !e.never && (!e.strict || version == e.version)
	if ok && !e.silent {
		if e.mangle != nil {
			text = e.mangle(text)
		}
		i, j := e.index(at.Start), e.index(at.End)
		if e.parts {
			if i < j {
				e.replace(i, j, nil)
			}
			for _, g := range e.glyphs(text, true) {
				e.replace(i, i, []glyph{g})
				i++
			}
		} else {
			e.replace(i, j, e.glyphs(text, true))
		}
		e.report()
	}
	answer := make(chan bool, 1)
	if !e.mute {
		said := ok || !e.polite && !e.never
		if e.late > 0 {
			time.AfterFunc(e.late, func() { e.wire <- func() { answer <- said } })
		} else {
			e.wire <- func() { answer <- said }
		}
	}
	e.mu.Unlock()
	select {
	case said := <-answer:
		return said, nil
	case <-ctx.Done():
		return false, errors.New("no answer in time")
	}
}

// ours returns what applied edits left in the document, LF line ends, and whether it is in one run.
func (e *editor) ours() (text string, whole bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var b strings.Builder
	runs, in := 0, false
	for _, g := range e.text {
		if g.ours {
			b.WriteString(g.s)
			if !in {
				runs++
			}
		}
		in = g.ours
	}
	return normal(b.String()), runs <= 1
}

// users returns the rest of the document, LF line ends.
func (e *editor) users() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var b strings.Builder
	for _, g := range e.text {
		if !g.ours {
			b.WriteString(g.s)
		}
	}
	return normal(b.String())
}

func (e *editor) all() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.string()
}

// said is what the callbacks said so far, and how often an edit was asked for.
type said struct {
	trouble []error
	removed []string
	asked   int
}

func (e *editor) told() said {
	synctest.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	return said{slices.Clone(e.trouble), slices.Clone(e.removed), e.asked}
}
