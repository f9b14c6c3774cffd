package main

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var writeQueries = flag.Bool("write-queries", false, "write the queries of the set history")

// TestTheQueriesAreThoseThatWereDrawn: they were kept before anything was searched, each for one of 5,000 chats that has
// at least ten others that share three of its parts, and none that has all that is asked for.
func TestTheQueriesAreThoseThatWereDrawn(t *testing.T) {
	p, err := newPast()
	if err != nil {
		t.Fatal(err)
	}
	const kept = "testdata/pastchats/queries.txt"
	if *writeQueries {
		if err := os.WriteFile(kept, []byte(p.list()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(kept)
	if err != nil || p.list() != string(want) {
		t.Errorf("%v: other queries are drawn than are kept", err)
	}
	if len(p.chats) != pastChats || len(p.queries) != 200 {
		t.Errorf("%d chats, %d queries", len(p.chats), len(p.queries))
	}
	for _, q := range p.queries {
		near, all := 0, 0
		for i, c := range p.chats {
			shared := 0
			for part := range parts {
				if i != q.right && p.of[i] == q.language && c[part] == p.chats[q.right][part] {
					shared++
				}
			}
			if shared >= 3 {
				near++
			}
			if text := p.text(i); i != q.right && !q.other && p.of[i] == q.language && hasAll(text, q.text) {
				all++
			}
		}
		if near < 10 || all > 0 {
			t.Errorf("%q: %d near neighbours, %d other right answers", q.text, near, all)
		}
	}
}

func hasAll(text, words string) bool {
	for word := range strings.FieldsSeq(words) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
