package main

import (
	"context"
	"errors"
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
