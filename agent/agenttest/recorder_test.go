package agenttest

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

type (
	word string
	end  struct{}
)

func TestRecorder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Recorder[any]
		if err := EndsWithOne[end](&r); err == nil {
			t.Error("no events are accepted")
		}
		go func() {
			time.Sleep(time.Hour) // fake time
			r.Emit(word("a"))
			r.Emit(word("b"))
			r.Emit(end{})
		}()
		got, err := WaitFor(t.Context(), &r, func(w word) bool { return w == "b" })
		if got != "b" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
		if _, err := WaitFor[end](t.Context(), &r, nil); err != nil {
			t.Error(err)
		}
		if got := Of[word](&r); len(got) != 2 {
			t.Errorf("got %v", got)
		}
		if err := EndsWithOne[end](&r); err != nil {
			t.Error(err)
		}
		r.Emit(word("late"))
		if err := EndsWithOne[end](&r); err == nil {
			t.Error("an event after the end is accepted")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := WaitFor[int](ctx, &r, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}
