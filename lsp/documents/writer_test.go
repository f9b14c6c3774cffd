package documents

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// clients are the kinds of editors that the writer must get right.
var clients = map[string]struct {
	habits habits
	opts   Options
}{
	"honest":       {habits{strict: true, polite: true}, Options{Versioned: true}},
	"slow":         {habits{strict: true, polite: true, latency: 20 * time.Millisecond}, Options{Versioned: true}},
	"neovim":       {habits{strict: true, debounce: 150 * time.Millisecond, latency: time.Millisecond}, Options{Versioned: true}},
	"neovim dos":   {habits{strict: true, debounce: 150 * time.Millisecond, latency: time.Millisecond, dos: true}, Options{Versioned: true}},
	"emacs":        {habits{strict: true, polite: true, debounce: 500 * time.Millisecond, idle: true, parts: true}, Options{Versioned: true, Patience: time.Hour}},
	"late":         {habits{strict: true, polite: true, late: 300 * time.Millisecond}, Options{Versioned: true}},
	"mute":         {habits{strict: true, mute: true, latency: time.Millisecond}, Options{Versioned: true}},
	"full":         {habits{strict: true, polite: true, full: true, debounce: 20 * time.Millisecond}, Options{Versioned: true, Patience: time.Hour}},
	"full dos":     {habits{strict: true, full: true, dos: true, debounce: 20 * time.Millisecond}, Options{Versioned: true}},
	"vim with ale": {habits{mute: true, full: true, debounce: 200 * time.Millisecond}, Options{}},
	"no versions":  {habits{debounce: 30 * time.Millisecond}, Options{}},
}

const initial = "top: \nanchor\n\n## You\nbelow: \n"

// TestTyping is the property that the writer exists for: whatever is typed while a reply streams, the reply is in the
// document once, whole, in order and at its place, and so is what was typed.
// Promise 10. Invariant 11.
func TestTyping(t *testing.T) {
	t.Parallel()
	for name, client := range clients {
		for _, every := range []time.Duration{time.Millisecond, 7 * time.Millisecond, 30 * time.Millisecond, 120 * time.Millisecond} {
			t.Run(fmt.Sprint(name, " ", every), func(t *testing.T) {
				t.Parallel()
				for seed := range uint64(12) {
					synctest.Test(t, func(t *testing.T) {
						rng := rand.New(rand.NewPCG(seed, 7))
						stream(t, client.habits, client.opts, every, func(n int) int { return rng.IntN(n) })
					})
				}
			})
		}
	}
}

// FuzzTyping lets the fuzzer choose the client, the speed and the interleaving.
// Promise 10. Invariant 11.
func FuzzTyping(f *testing.F) {
	f.Add([]byte("neovim types quickly"))
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	names := []string{"honest", "slow", "neovim", "neovim dos", "emacs", "late", "mute", "full", "full dos", "vim with ale", "no versions"}
	f.Fuzz(func(t *testing.T, data []byte) {
		choose := func(n int) int {
			if len(data) == 0 {
				return 0
			}
			b := data[0]
			data = data[1:]
			return int(b) % n
		}
		client := clients[names[choose(len(names))]]
		every := time.Duration(1+choose(120)) * time.Millisecond
		synctest.Test(t, func(t *testing.T) { stream(t, client.habits, client.opts, every, choose) })
	})
}

// stream types and streams at the same time and checks the property.
func stream(t *testing.T, h habits, opts Options, every time.Duration, choose func(n int) int) {
	t.Helper()
	e := newEditor(t.Context(), h, initial, opts)
	defer e.quit()
	s, err := e.stream(strings.Index(e.all(), "anchor") + len("anchor"))
	if err != nil {
		t.Fatal(err)
	}
	var reply, typed strings.Builder
	place := choose(4)
	if !h.strict && place == 3 {
		place = 0 // without versions nothing can keep an edit from the wrong line
	}
	next := time.Now().Add(every)
	for i := range 40 {
		piece := []string{fmt.Sprintf("<%d>", i), "Z", "\n", "word ", "é😀", "- item\n\n  ", "\r\n"}[choose(7)]
		reply.WriteString(piece)
		s.Append(piece)
		until := time.Now().Add(time.Duration(1+choose(25)) * time.Millisecond)
		for next.Before(until) {
			<-time.After(time.Until(next))
			key := []string{"a", "b", "c", "ü", "😎"}[choose(5)]
			switch place {
			case 0:
				e.key(e.behind("top: "), key)
			case 1: // at the place where the reply goes: the cursor moves with what is inserted before it
				if typed.Len() == 0 {
					key = "|" + key
					e.key(e.lastOurs, key)
				} else {
					e.key(e.behind("|"), key)
				}
			case 2:
				e.key(e.behind("below: "), key)
			case 3:
				key += "\n"
				e.key(e.behind("top: "), key)
			}
			typed.WriteString(key)
			next = next.Add(every)
		}
		<-time.After(time.Until(until))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	if err := s.Flush(ctx); err != nil {
		t.Fatalf("flush: %v; trouble %v\n%q", err, e.told().trouble, e.all())
	}
	<-time.After(2 * time.Second)
	synctest.Wait()
	got, whole := e.ours()
	if want := normal(reply.String()); got != want || !whole {
		t.Errorf("reply, in one run: %v\n got %q\nwant %q\n all %q", whole, got, want, e.all())
	}
	if n := len(e.users()); n != len(initial)+typed.Len() {
		t.Errorf("%d bytes of the user's, want %d: %q", n, len(initial)+typed.Len(), e.users())
	}
	checkMirror(t, e)
	if got := normal(e.all()[s.Start():s.Point()]); got != normal(reply.String()) {
		t.Errorf("start and point hold %q, want %q", got, normal(reply.String()))
	}
	if want := "anchor" + normal(reply.String()); !strings.Contains(normal(e.all()), want) {
		t.Errorf("the reply is not behind its anchor: %q", e.all())
	}
	if len(e.told().trouble) > 0 || len(e.told().removed) > 0 {
		t.Errorf("trouble %v, removed %q", e.told().trouble, e.told().removed)
	}
}

// lastOurs is a cursor behind the reply, or behind the anchor as long as there is none.
func (e *editor) lastOurs() int {
	at := e.find("anchor")
	for i, g := range e.text {
		if g.ours {
			at = i + 1
		}
	}
	return at
}

func checkMirror(t *testing.T, e *editor) {
	t.Helper()
	snap, _ := e.store.Get(fakeURI)
	if got := snap.Text.String(); got != e.all() {
		t.Errorf("the mirror differs:\n got %q\nwant %q", got, e.all())
	}
}

func flush(t *testing.T, s *Stream, wait time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	return s.Flush(ctx)
}

// begin opens an editor and writes a first piece.
func begin(t *testing.T, h habits, opts Options, piece string) (*editor, *Stream) {
	t.Helper()
	e := newEditor(t.Context(), h, initial, opts)
	t.Cleanup(e.quit)
	s, err := e.stream(strings.Index(e.all(), "anchor") + len("anchor"))
	if err != nil {
		t.Fatal(err)
	}
	if piece != "" {
		s.Append(piece)
		if err := flush(t, s, 10*time.Second); err != nil {
			t.Fatal(err)
		}
	}
	return e, s
}

func TestEditorRefusesAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s := begin(t, habits{never: true, polite: true}, Options{Versioned: true}, "")
		s.Append("kept")
		err := flush(t, s, time.Hour)
		var unwritten *UnwrittenError
		if !errors.As(err, &unwritten) || unwritten.Text != "kept" || !errors.Is(err, ErrRefused) {
			t.Errorf("flush: %v, want ErrRefused and the text", err)
		}
		if len(e.told().trouble) != 1 || s.Unwritten() != "kept" {
			t.Errorf("trouble %v, unwritten %q", e.told().trouble, s.Unwritten())
		}
		if e.told().asked > 40 {
			t.Errorf("asked %d times in 15 s", e.told().asked)
		}
	})
}

// Invariant 11.
func TestEditorSaysYesAndDoesNothing(t *testing.T) {
	for _, versioned := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			e, s := begin(t, habits{silent: true}, Options{Versioned: versioned}, "")
			s.Append("kept")
			if err := flush(t, s, time.Minute); !errors.Is(err, ErrUnknown) {
				t.Errorf("flush: %v, want ErrUnknown", err)
			}
			if e.told().asked != 1 {
				t.Errorf("asked %d times without evidence, want once", e.told().asked)
			}
			for range 10 {
				e.edit(0, 0, "x")
				<-time.After(time.Second)
			}
			if s.Unwritten() != "kept" {
				t.Errorf("unwritten %q", s.Unwritten())
			}
			if !versioned && (len(e.told().trouble) != 1 || e.told().asked != 2) {
				t.Errorf("trouble %v after %d tries, want it after 2", e.told().trouble, e.told().asked)
			}
		})
	}
}

func TestEditorChangesWhatItInserts(t *testing.T) {
	for name, mangle := range map[string]func(string) string{
		"a little":    func(s string) string { return strings.ReplaceAll(s, "\t", "    ") },
		"to anything": func(s string) string { return strings.Repeat("#", len(s)) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, s := begin(t, habits{mangle: mangle}, Options{Versioned: true}, "")
				s.Append("some\ttext that comes back otherwise")
				err := flush(t, s, time.Minute)
				if name == "a little" && err != nil {
					t.Errorf("flush: %v", err)
				}
				if name != "a little" && !errors.Is(err, ErrDoubled) {
					t.Errorf("flush: %v, want ErrDoubled", err)
				}
				if e.told().asked > 2 {
					t.Errorf("asked %d times", e.told().asked)
				}
			})
		})
	}
}

func TestEditorAppliesLate(t *testing.T) {
	// It claims to check versions, applies every edit all the same, and reports a person's change first.
	synctest.Test(t, func(t *testing.T) {
		e, s := begin(t, habits{}, Options{Versioned: true}, "")
		e.latency = 10 * time.Millisecond
		s.Append("once only")
		<-time.After(time.Millisecond)
		e.edit(0, 0, "x")
		if err := flush(t, s, time.Minute); err != nil && !errors.Is(err, ErrDoubled) {
			t.Errorf("flush: %v", err)
		}
		<-time.After(time.Second)
		if n := strings.Count(e.all(), "once only"); n > 1 && len(e.told().trouble) == 0 {
			t.Errorf("%d times in the document, and nobody was told", n)
		}
		if e.told().asked > 2 {
			t.Errorf("asked %d times", e.told().asked)
		}
	})
}

func TestEditorMisplaces(t *testing.T) {
	// Without versions an edit goes to the wrong line when somebody began a line above: it is told, and nothing is
	// doubled.
	synctest.Test(t, func(t *testing.T) {
		e, s := begin(t, habits{mute: true, full: true, debounce: 200 * time.Millisecond}, Options{}, "a reply")
		e.edit(0, 0, "a new line\n")
		s.Append(" that goes on")
		if err := flush(t, s, time.Minute); !errors.Is(err, ErrMisplaced) {
			t.Errorf("flush: %v, want ErrMisplaced", err)
		}
		<-time.After(time.Minute)
		if n := strings.Count(e.all(), " that goes on"); n != 1 || len(e.told().trouble) != 1 || s.Unwritten() != "" {
			t.Errorf("%d times in %q, trouble %v, unwritten %q", n, e.all(), e.told().trouble, s.Unwritten())
		}
	})
}

func TestEditorWithAnotherDocument(t *testing.T) {
	// An editor that checks versions and did not report a line puts every edit at another place: it is told, and does
	// not go on for ever.
	synctest.Test(t, func(t *testing.T) {
		e, s := begin(t, habits{strict: true}, Options{Versioned: true}, "a reply")
		e.mu.Lock()
		e.text = append(e.glyphs("\n", false), e.text...)
		e.mu.Unlock()
		s.Append(" that goes on")
		if err := flush(t, s, time.Minute); !errors.Is(err, ErrMisplaced) {
			t.Errorf("flush: %v, want ErrMisplaced", err)
		}
		<-time.After(time.Minute)
		if n := strings.Count(e.all(), " that goes on"); n != 2 || len(e.told().trouble) != 1 {
			t.Errorf("%d times in %q, trouble %v", n, e.all(), e.told().trouble)
		}
	})
}

func TestHiddenBuffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s := begin(t, habits{hidden: true, strict: true}, Options{Versioned: true}, "")
		s.Append("first")
		<-time.After(time.Second)
		s.Append(" second")
		if err := flush(t, s, time.Minute); !errors.Is(err, ErrUnknown) {
			t.Errorf("flush: %v, want ErrUnknown", err)
		}
		e.mu.Lock()
		e.hidden = false
		e.report()
		e.mu.Unlock()
		if err := flush(t, s, time.Minute); err != nil {
			t.Errorf("flush: %v", err)
		}
		if got, _ := e.ours(); got != "first second" {
			t.Errorf("got %q", got)
		}
	})
}

func TestUndoOfHalf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s := begin(t, habits{strict: true}, Options{Versioned: true}, "one two ")
		s.Append("three four")
		if err := flush(t, s, time.Second); err != nil {
			t.Fatal(err)
		}
		e.edit(e.find("one two "), len("three four"), "")
		s.Append(" five")
		err := flush(t, s, time.Second)
		if !errors.Is(err, ErrRemoved) || s.Unwritten() != " five" {
			t.Errorf("flush: %v, unwritten %q", err, s.Unwritten())
		}
		if strings.Join(e.told().removed, "") != "three four" {
			t.Errorf("removed %q", e.told().removed)
		}
		if !strings.Contains(e.all(), "anchorone two \n") {
			t.Errorf("something was inserted by itself: %q", e.all())
		}
	})
}

func TestHalt(t *testing.T) {
	for name, client := range clients {
		for _, typed := range []bool{false, true} { // who types makes the editor drop what is under way
			t.Run(fmt.Sprint(name, " typed: ", typed), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					e, s := begin(t, client.habits, client.opts, "one")
					<-time.After(time.Second) // then the next piece goes out at once
					if typed {
						e.edit(0, 0, "x")
					}
					s.Append(" two")
					s.Append(" three")
					s.Halt()
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					e.w.Rest(ctx)
					if !typed && client.opts.Versioned && !strings.Contains(e.all(), "anchorone two") {
						t.Errorf("Rest did not wait: %q", e.all())
					}
					if err := s.Flush(ctx); err != nil {
						t.Fatal(err)
					}
					halted, before := s.Halted(), s.Before()
					if h := client.habits; typed && h.strict && h.latency+h.debounce > 0 && halted != " two three" {
						t.Errorf("given up is %q: what was dropped was sent again", halted)
					}
					if got := strings.TrimPrefix(before[strings.Index(before, "anchor"):], "anchor") + halted; got != "one two three" {
						t.Errorf("in the document and given up: %q", got)
					}
					s.Append("|")
					if err := s.Flush(ctx); err != nil {
						t.Fatal(err)
					}
					<-time.After(time.Minute)
					if !strings.Contains(e.all(), before+"|") || strings.Contains(e.all(), "three") {
						t.Errorf("before %q, then %q", before, e.all())
					}
					checkMirror(t, e)
				})
			})
		}
	}
}

func TestRemovedFromTheMiddle(t *testing.T) {
	for name, client := range clients {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, s := begin(t, client.habits, client.opts, "one two three four")
				e.edit(e.find("one "), len("two three "), "")
				s.Append(" five")
				if err := flush(t, s, time.Minute); err != nil {
					t.Fatal(err)
				}
				<-time.After(time.Second)
				if !strings.Contains(e.all(), "anchorone four five") || strings.Join(e.told().removed, "") != "two three " {
					t.Errorf("got %q, removed %q", e.all(), e.told().removed)
				}
				checkMirror(t, e)
			})
		})
	}
}

func TestTrimOnSave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s := begin(t, habits{strict: true, debounce: 150 * time.Millisecond}, Options{Versioned: true}, "")
		var want strings.Builder
		for i := range 200 {
			piece := fmt.Sprintf("word%d ", i)
			want.WriteString(piece)
			s.Append(piece)
			<-time.After(5 * time.Millisecond)
			if i%7 == 0 {
				e.trim()
			}
		}
		if err := flush(t, s, time.Minute); err != nil {
			t.Fatal(err)
		}
		if got, _ := e.ours(); got != want.String() {
			t.Errorf("\n got %q\nwant %q", got, want.String())
		}
		e.trim()
		<-time.After(time.Second)
		checkMirror(t, e)
		if len(e.told().removed) > 0 || s.Err() != nil {
			t.Errorf("blanks count as removed: %q, %v", e.told().removed, s.Err())
		}
	})
}

// trim removes blanks before line ends, as an editor does on save.
func (e *editor) trim() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, g := range slices.Backward(e.text) {
		if g.s == " " && (i+1 == len(e.text) || strings.HasSuffix(e.text[i+1].s, "\n")) {
			e.replace(i, i+1, nil)
		}
	}
	e.report()
}

func TestFormatOnSave(t *testing.T) {
	// A formatter replaces the whole text by one change; the reply goes on at its place.
	synctest.Test(t, func(t *testing.T) {
		e, s := begin(t, habits{strict: true}, Options{Versioned: true}, "* one\n* two\n* three")
		e.mu.Lock()
		e.replace(0, len(e.text), e.glyphs(strings.ReplaceAll(strings.Replace(e.string(), "top: ", "# top", 1), "* ", "- "), false))
		e.report()
		e.mu.Unlock()
		s.Append("\n- four")
		if err := flush(t, s, time.Second); err != nil {
			t.Fatal(err)
		}
		if want := "# top\nanchor- one\n- two\n- three\n- four\n\n## You\nbelow: \n"; e.all() != want {
			t.Errorf("\n got %q\nwant %q", e.all(), want)
		}
		checkMirror(t, e)
	})
}

func TestReload(t *testing.T) {
	for _, full := range []bool{false, true} {
		t.Run(fmt.Sprint("as a full change: ", full), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, s := begin(t, habits{strict: true}, Options{Versioned: true}, "some of the reply")
				if full {
					e.mu.Lock()
					e.replace(0, len(e.text), e.glyphs(e.disk, false))
					e.report()
					e.mu.Unlock()
				} else {
					e.reload(e.disk)
				}
				s.Append(", the rest")
				if err := flush(t, s, time.Minute); !errors.Is(err, ErrRemoved) {
					t.Errorf("flush: %v, want ErrRemoved", err)
				}
				if e.all() != initial {
					t.Errorf("something was inserted by itself: %q", e.all())
				}
				if len(e.told().removed) != 1 || e.told().removed[0] != "some of the reply" || s.Unwritten() != ", the rest" {
					t.Errorf("removed %q, unwritten %q", e.told().removed, s.Unwritten())
				}
			})
		})
	}
}

func TestNothingGoesIntoAReloadedBuffer(t *testing.T) {
	// Neovim tells its last changes together with didClose, and checks no version of a buffer that it has let go.
	synctest.Test(t, func(t *testing.T) {
		e, s := begin(t, habits{strict: true, debounce: 150 * time.Millisecond}, Options{Versioned: true}, "some of the reply")
		s.Append(", more of it")
		<-time.After(50 * time.Millisecond)
		e.mu.Lock()
		e.flush()
		e.strict = false
		e.mu.Unlock()
		e.reload(e.disk)
		s.Append(", the rest")
		if err := flush(t, s, time.Minute); !errors.Is(err, ErrRemoved) {
			t.Errorf("flush: %v, want ErrRemoved", err)
		}
		if e.all() != initial {
			t.Errorf("something was inserted by itself: %q", e.all())
		}
	})
}

// An edit that is under way while the document is read again lands in the new text, since Neovim checks no version of a
// document that it has just read: it is taken out.
func TestAnEditThatCrossesAReloadIsTakenOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s := begin(t, habits{strict: true, latency: 30 * time.Millisecond}, Options{Versioned: true}, "some of the reply")
		s.Append(", the rest")
		<-time.After(15 * time.Millisecond) // it is on its way
		e.mu.Lock()
		e.strict = false
		e.mu.Unlock()
		e.reload(e.disk)
		<-time.After(25 * time.Millisecond)
		if e.all() == initial {
			t.Fatal("the edit did not cross the reload")
		}
		e.mu.Lock()
		e.strict = true
		e.mu.Unlock()
		<-time.After(time.Minute)
		if e.all() != initial {
			t.Errorf("something came back by itself: %q", e.all())
		}
	})
}

func TestReloadAfterSave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s := begin(t, habits{strict: true}, Options{Versioned: true}, "saved")
		e.reload(e.all())
		s.Append(" and more")
		if err := flush(t, s, time.Minute); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(e.all(), "anchorsaved and more\n") || len(e.told().removed) > 0 {
			t.Errorf("got %q, removed %q", e.all(), e.told().removed)
		}
	})
}

func TestCloseEndsFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s := begin(t, habits{strict: true, hidden: true}, Options{Versioned: true}, "")
		s.Append("x")
		e.w.Closed()
		if err := flush(t, s, time.Hour); !errors.Is(err, ErrClosed) {
			t.Errorf("flush: %v, want ErrClosed", err)
		}
	})
}

func TestReplace(t *testing.T) {
	for name, client := range clients {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEditor(t.Context(), client.habits, "first\nHelo world\nHelo again\nlast\n", client.opts)
				defer e.quit()
				for range 20 { // somebody types above meanwhile
					e.edit(0, 0, "x")
					<-time.After(3 * time.Millisecond)
				}
				<-time.After(time.Second)
				text := e.all()
				at := strings.Index(text, "Helo world")
				e.edit(0, 0, "y")
				err := e.replaceIn(t.Context(), Span{at, at + len("Helo world")}, "Helo world", "Hello\nworld")
				if err != nil {
					t.Fatal(err)
				}
				<-time.After(time.Second)
				if want := "y" + strings.Repeat("x", 20) + "first\nHello\nworld\nHelo again\nlast\n"; normal(e.all()) != want {
					t.Errorf("got %q, want %q", e.all(), want)
				}
				if got, _ := e.ours(); len(got) > len("lo\n") {
					t.Errorf("the edit is not minimal: %q", got)
				}
				checkMirror(t, e)
			})
		})
	}
}

func TestPlacesOfAnOlderSnapshot(t *testing.T) {
	for _, typed := range []int{3, 3 * maxHistory} { // followed exactly, and told from the difference
		synctest.Test(t, func(t *testing.T) {
			e := newEditor(t.Context(), habits{strict: true}, "top\nanchor\nHelo\n", Options{Versioned: true})
			defer e.quit()
			old, _ := e.store.Get(fakeURI)
			for range typed {
				e.edit(0, 0, "x")
				synctest.Wait()
			}
			s, err := e.w.StreamIn(old, strings.Index(old.Text.String(), "anchor")+len("anchor"))
			if err != nil {
				t.Fatal(err)
			}
			s.Append(" reply")
			at := strings.Index(old.Text.String(), "Helo")
			if err := e.w.ReplaceIn(t.Context(), old, Span{at, at + 4}, "Helo", "Hello"); err != nil {
				t.Error(err)
			}
			if err := flush(t, s, time.Minute); err != nil {
				t.Error(err)
			}
			if want := strings.Repeat("x", typed) + "top\nanchor reply\nHello\n"; e.all() != want {
				t.Errorf("got %q, want %q", e.all(), want)
			}
		})
	}
}

func TestReplaceErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEditor(t.Context(), habits{strict: true, polite: true}, "one two three", Options{Versioned: true})
		defer e.quit()
		if err := e.replaceIn(t.Context(), Span{4, 7}, "twO", "2"); !errors.Is(err, ErrChanged) {
			t.Errorf("other text: %v, want ErrChanged", err)
		}
		if err := e.replaceIn(t.Context(), Span{4, 70}, "two", "2"); !errors.Is(err, ErrNotApplied) {
			t.Errorf("past the end: %v, want ErrNotApplied", err)
		}
		over, end := context.WithCancel(t.Context())
		end()
		if err := e.replaceIn(over, Span{4, 7}, "two", "2"); !errors.Is(err, ErrNotApplied) {
			t.Errorf("too late: %v, want ErrNotApplied", err)
		}
		if err := e.replaceIn(t.Context(), Span{4, 7}, "two", "two"); err != nil {
			t.Errorf("nothing to do: %v", err)
		}
		if e.told().asked != 0 {
			t.Errorf("the editor was asked %d times for nothing", e.told().asked)
		}
		e.mu.Lock()
		e.never = true
		e.mu.Unlock()
		if err := e.replaceIn(t.Context(), Span{4, 7}, "two", "2"); !errors.Is(err, ErrNotApplied) {
			t.Errorf("refused: %v, want ErrNotApplied", err)
		}
		e.mu.Lock()
		e.never, e.hidden = false, true
		e.mu.Unlock()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := e.replaceIn(ctx, Span{4, 7}, "two", "2"); !errors.Is(err, ErrUnknown) {
			t.Errorf("not shown: %v, want ErrUnknown", err)
		}
		if len(e.told().trouble) > 0 {
			t.Errorf("trouble %v", e.told().trouble)
		}
	})
}

func TestReplaceThatIsNotShown(t *testing.T) {
	other := func(s string) string { return strings.ToUpper(s) + "!" } // what no one recognises
	over := func(e *editor) { e.edit(4, 3, "typed") }                  // into the very place
	beside := func(e *editor) {
		e.edit(0, 0, "x")
		time.AfterFunc(time.Second, func() { e.edit(0, 0, "y") })
	}
	end := func(e *editor) { e.w.End() }
	slow := 20 * time.Millisecond
	tests := map[string]struct {
		habits    habits
		meanwhile func(e *editor)
		want      error
	}{
		"applied otherwise":               {habits{strict: true, mangle: other}, nil, ErrUnknown},
		"applied otherwise, never said":   {habits{strict: true, mangle: other, mute: true}, nil, ErrUnknown},
		"dropped with a yes, and typed":   {habits{strict: true, latency: slow}, over, ErrUnknown},
		"dropped with a no, and typed":    {habits{strict: true, latency: slow, polite: true}, over, ErrChanged},
		"the no comes late":               {habits{strict: true, latency: slow, polite: true, late: time.Second}, over, ErrChanged},
		"a yes, and no change":            {habits{silent: true}, nil, ErrUnknown},
		"a yes, and the writer ends":      {habits{silent: true}, end, ErrUnknown},
		"without versions, a yes, typing": {habits{silent: true, latency: slow}, over, ErrUnknown},
		"without versions, other changes": {habits{silent: true}, beside, ErrUnknown},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEditor(t.Context(), test.habits, "one two three four", Options{Versioned: test.habits.strict})
				defer e.quit()
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				if test.meanwhile != nil {
					time.AfterFunc(10*time.Millisecond, func() { test.meanwhile(e) })
				}
				err := e.replaceIn(ctx, Span{4, 7}, "two", "second and third")
				if !errors.Is(err, test.want) || errors.Is(err, ErrChanged) != errors.Is(test.want, ErrChanged) || errors.Is(err, ErrNotApplied) {
					t.Errorf("%v, want %v alone", err, test.want)
				}
				if got, _ := e.ours(); err == nil || errors.Is(test.want, ErrChanged) && got != "" {
					t.Errorf("%v, and the document has %q", err, got)
				}
			})
		})
	}
}

func TestReplaceThatNeverBegan(t *testing.T) {
	// What was not sent is not applied, whatever becomes of the reply beside it.
	synctest.Test(t, func(t *testing.T) {
		e, s := begin(t, habits{mute: true, full: true, debounce: 200 * time.Millisecond}, Options{}, "a reply")
		e.edit(0, 0, "a new line\n")
		s.Append(" that goes on")
		if err := e.replaceIn(t.Context(), Span{0, 3}, "top", "head"); !errors.Is(err, ErrNotApplied) || !errors.Is(err, ErrMisplaced) {
			t.Errorf("%v, want ErrNotApplied since the reply was misplaced", err)
		}
	})
}

func TestReplaceWhileStreaming(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s := begin(t, habits{strict: true, debounce: 150 * time.Millisecond}, Options{Versioned: true}, "a reply")
		s.Append(" that goes on")
		at := strings.Index(initial, "top: ")
		if err := e.replaceIn(t.Context(), Span{at, at + 5}, "top: ", "head: "); err != nil {
			t.Fatal(err)
		}
		if err := flush(t, s, time.Second); err != nil {
			t.Fatal(err)
		}
		if want := "head: \nanchora reply that goes on\n"; !strings.HasPrefix(e.all(), want) {
			t.Errorf("got %q", e.all())
		}
	})
}
