package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/assent-ls/assent/agent/model"
)

// scriptedServer answers each request with its messages, and counts them.
type scriptedServer struct {
	model.Backend
	asked *int
	fails bool
}

func (c scriptedServer) Chat(_ context.Context, req model.Request, each func(model.Chunk) error) error {
	*c.asked++
	if err := each(model.Chunk{Text: req.Messages[0].Text}); err != nil || c.fails {
		return errors.Join(err, context.DeadlineExceeded)
	}
	return each(model.Chunk{Done: &model.Done{Reason: "stop", PromptTokens: 7}})
}

// A request that was answered once is not asked again; another one is, and so is one whose reply broke off.
func TestRepliesAreKept(t *testing.T) {
	asked := 0
	folder := t.TempDir()
	say := func(text, build string, fails bool) (got []model.Chunk) {
		r := replies{scriptedServer{nil, &asked, fails}, folder, build}
		err := r.Chat(t.Context(), model.Request{Messages: []model.Message{{Text: text}}}, func(c model.Chunk) error {
			got = append(got, c)
			return nil
		})
		if (err != nil) != fails {
			t.Fatal(err)
		}
		return got
	}
	first := say("a", "1", false)
	if again := say("a", "1", false); asked != 1 || !reflect.DeepEqual(again, first) || len(again) != 2 {
		t.Errorf("asked %d times; first %v, then %v", asked, first, again)
	}
	say("b", "1", false)
	say("a", "2", false)
	say("c", "1", true)
	if say("c", "1", false); asked != 5 {
		t.Errorf("asked %d times, not 5", asked)
	}
}

// A run with an empty folder draws every reply itself; one with kept replies, or with more than one round, does not.
func TestOnlyAnEmptyFolderDrawsNothing(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "replies")
	for _, c := range []struct {
		name  string
		runs  int
		drawn bool
	}{{"empty", 1, false}, {"two rounds", 2, true}, {"kept", 1, true}} {
		if c.name == "kept" {
			if err := os.WriteFile(filepath.Join(folder, "a.json"), []byte("[]"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		drawn, err := options{replies: folder, runs: c.runs}.drawsReplies()
		if err != nil || drawn != c.drawn {
			t.Errorf("%s: %v, %v, want %v", c.name, drawn, err, c.drawn)
		}
	}
}
