package session_test

import (
	"path/filepath"
	"testing"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/tools/userstate"
)

// TestAQueueIsAsWideAsItsServer: so many requests have a turn at once, of one process or of several, and no more.
func TestAQueueIsAsWideAsItsServer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	shared := func() engine.Queue {
		state, err := userstate.OpenState(dir)
		if err != nil {
			t.Fatal(err)
		}
		return session.Queue(state, "a server", 2, func(err error) { t.Error(err) })
	}
	own := engine.NewQueue(2)
	for name, queues := range map[string][2]engine.Queue{"one process": {own, own}, "two processes": {shared(), shared()}} {
		first, ok := queues[0].Try(engine.Requester{})
		second, also := queues[1].Try(engine.Requester{})
		if !ok || !also {
			t.Fatalf("%s: no two turns: %v, %v", name, ok, also)
		}
		if _, third := queues[0].Try(engine.Requester{}); third {
			t.Errorf("%s: three turns", name)
		}
		second()
		again, err := queues[1].Wait(t.Context(), engine.Requester{}, func(first string) { t.Errorf("%s: waits for %s", name, first) })
		if err != nil {
			t.Fatal(err)
		}
		if _, third := queues[0].Try(engine.Requester{}); third {
			t.Errorf("%s: three turns again", name)
		}
		first()
		again()
		if queues[0].Wanted() || queues[1].Wanted() {
			t.Errorf("%s: somebody still waits", name)
		}
	}
}
