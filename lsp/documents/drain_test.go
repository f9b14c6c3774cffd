package documents

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Who types faster than a slow editor takes edits keeps a reply out. It comes in as soon as there is a pause, however
// long that took: an editor whose document changes is alive.
// Invariant 11.
func TestDrainWaitsForWhoTypes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s := begin(t, habits{strict: true, polite: true, latency: 30 * time.Millisecond}, Options{Versioned: true}, "Question")
		letters := strings.Repeat("x", 500)
		go func() {
			for range letters {
				e.key(e.behind("Question"), "x")
				<-time.After(40 * time.Millisecond)
			}
		}()
		synctest.Wait()
		s.Append("the last words")
		if err := s.Drain(t.Context(), 8*time.Second, 0); err != nil {
			t.Errorf("drain: %v", err)
		}
		<-time.After(time.Minute)
		if got := e.all(); strings.Count(got, "the last words") != 1 || strings.Count(got, "x") != len(letters) {
			t.Errorf("the document is %q", got)
		}
	})
}

// An editor that answers nothing is given up after the limit for busy ones.
func TestDrainGivesUpASilentEditor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := begin(t, habits{mute: true, hidden: true}, Options{}, "")
		s.Append("x")
		started := time.Now()
		if err := s.Drain(t.Context(), 8*time.Second, 2*time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("drain: %v", err)
		}
		if took := time.Since(started); took != 2*time.Minute {
			t.Errorf("it took %v of the bubble's time", took)
		}
	})
}

// An editor that answers, and shows nothing of it, is given up after the limit of silence.
func TestDrainGivesUpAnEditorThatShowsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, s := begin(t, habits{hidden: true}, Options{}, "")
		s.Append("words")
		started := time.Now()
		if err := s.Drain(t.Context(), 8*time.Second, 2*time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("drain: %v", err)
		}
		if took := time.Since(started); took != 8*time.Second {
			t.Errorf("it took %v of the bubble's time", took)
		}
	})
}

// An editor that waits for a key, as Neovim does below a long message, answers when a person presses it.
func TestDrainWaitsForAnEditorThatWaitsForAKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, s := begin(t, habits{strict: true}, Options{Versioned: true}, "Question")
		synctest.Wait() // nobody reads it now
		e.latency = 45 * time.Second
		s.Append("the last words")
		if err := s.Drain(t.Context(), 8*time.Second, 2*time.Minute); err != nil {
			t.Errorf("drain: %v", err)
		}
		<-time.After(time.Minute)
		if got := e.all(); strings.Count(got, "the last words") != 1 {
			t.Errorf("the document is %q", got)
		}
	})
}
