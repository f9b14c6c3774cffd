package wire

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func opened(uri string, version int32) message {
	return message{method: "textDocument/didOpen", uri: uri, version: version}
}

func changed(uri string, version int32) message {
	return message{method: "textDocument/didChange", uri: uri, version: version}
}

func told(list []message) []string {
	var names []string
	for _, m := range list {
		names = append(names, fmt.Sprint(m.uri, m.version))
	}
	return names
}

func TestSequencer(t *testing.T) {
	other := message{}
	for name, tt := range map[string]struct {
		come     []message
		go1, go2 []string // before and after the wait
	}{
		"in order":           {[]message{opened("a", 0), changed("a", 1), other, changed("a", 2)}, []string{"a0", "a1", "0", "a2"}, nil},
		"swapped":            {[]message{opened("a", 0), changed("a", 2), changed("a", 1)}, []string{"a0", "a1", "a2"}, nil},
		"what follows waits": {[]message{opened("a", 0), changed("a", 2), other, changed("b", 7)}, []string{"a0"}, []string{"a2", "0", "b7"}},
		"a version that never comes": {
			[]message{opened("a", 0), changed("a", 4), changed("a", 3)},
			[]string{"a0"},
			[]string{"a3", "a4"},
		},
		"two documents": {
			[]message{opened("a", 0), opened("b", 0), changed("a", 2), changed("b", 2), changed("b", 1), changed("a", 1)},
			[]string{"a0", "b0", "a1", "a2", "b1", "b2"},
			nil,
		},
		"never opened": {[]message{changed("a", 9), changed("a", 3)}, []string{"a9", "a3"}, nil},
		"opened again": {
			[]message{opened("a", 0), changed("a", 1), {method: "textDocument/didClose", uri: "a"}, opened("a", 0), changed("a", 1)},
			[]string{"a0", "a1", "a0", "a0", "a1"},
			nil,
		},
	} {
		s := newSequencer()
		var ready []message
		for _, m := range tt.come {
			ready = append(ready, s.take(m)...)
		}
		if diff := cmp.Diff(tt.go1, told(ready)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if s.waiting() != (tt.go2 != nil) {
			t.Errorf("%s: waiting is %v", name, s.waiting())
		}
		if diff := cmp.Diff(tt.go2, told(s.release())); diff != "" {
			t.Errorf("%s, after the wait: %s", name, diff)
		}
	}
}

// TestSequencerSorts reorders the changes of a document; whatever else is sent keeps its order and nothing is lost.
func TestSequencerSorts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		s := newSequencer()
		s.take(opened("a", 0))
		const n = 40
		come := make([]message, 0, 2*n)
		for v := range int32(n) {
			come = append(come, changed("a", v+1), message{version: v})
		}
		for i := range come { // near ones change places
			j := min(len(come)-1, i+random.IntN(6))
			if come[i].uri == "a" && come[j].uri == "a" {
				come[i], come[j] = come[j], come[i]
			}
		}
		var versions, others []int32
		for _, m := range come {
			for _, r := range s.take(m) {
				if r.uri == "a" {
					versions = append(versions, r.version)
				} else {
					others = append(others, r.version)
				}
			}
		}
		if len(versions) != n || len(others) != n || !slices.IsSorted(versions) || !slices.IsSorted(others) || s.waiting() {
			t.Fatalf("%v came out as %v and %v", told(come), versions, others)
		}
	}
}

// TestHelixSendsABurst sends what Helix 25.01 sends for keys that come at once; no other client is held up.
func TestHelixSendsABurst(t *testing.T) {
	for client, want := range map[string][]int32{"helix": {1, 2, 3, 5}, "Neovim": {2, 1, 3, 5}} {
		synctest.Test(t, func(t *testing.T) {
			var got []int32
			var last time.Duration
			began := time.Now()
			e := serveWire(t, Handlers{Rows: []Row{
				Notification("textDocument/didOpen", func(context.Context, None) error { return nil }),
				Notification("textDocument/didChange", func(_ context.Context, p DidChangeParams) error {
					got, last = append(got, p.TextDocument.Version), time.Since(began)
					return nil
				}),
			}})
			e.read()
			e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"capabilities":{},"clientInfo":{"name":%q}}}`, client))
			synctest.Wait()
			e.send(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a","languageId":"markdown","version":0,"text":""}}}`)
			for _, v := range []int{2, 1, 3, 5} {
				e.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a","version":%d},"contentChanges":[]}}`, v))
			}
			<-time.After(time.Second)
			synctest.Wait()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", client, diff)
			}
			held := time.Duration(0)
			if client == "helix" {
				held = sequenceWindow
			}
			if last != held {
				t.Errorf("%s: the last change was served after %v", client, last)
			}
			e.close()
		})
	}
}
