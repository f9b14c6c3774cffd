package model_test

import (
	"fmt"
	"testing"

	"github.com/assent-ls/assent/agent/model"
)

func TestWhatMadeTheServerReadAgain(t *testing.T) {
	t.Parallel()
	request := func(system string, tools []string, texts ...string) model.Request {
		req := model.Request{Model: "m", Messages: []model.Message{{Role: model.RoleSystem, Text: system}}}
		for _, text := range texts {
			req.Messages = append(req.Messages, model.Message{Role: model.RoleUser, Text: text})
		}
		for _, name := range tools {
			req.Tools = append(req.Tools, model.Tool{Name: name})
		}
		return req
	}
	one := []string{"read_file"}
	for _, test := range []struct {
		name     string
		req      model.Request
		cached   int
		reloaded bool
		want     string
	}{
		{"it only grew", request("s", one, "a", "b"), 3900, false, ""},
		{"it only grew, and was read again all the same", request("s", one, "a", "b"), 0, false, ""},
		{"the prompt", request("other", one, "a", "b"), 10, false, "3990 because the system prompt changed"},
		{"a tool", request("s", []string{"read_file", "web_fetch"}, "a", "b"), 2000, false, "2000 because the tool web_fetch was added"},
		{"no tool", request("s", nil, "a", "b"), 2000, false, "2000 because the tool read_file was taken away"},
		{"the chat", request("s", one, "changed", "b"), 1000, false, "3000 because something above in the chat changed"},
		{"a little", request("other", one, "a"), 3900, false, ""},
		{"loaded", request("s", one, "a", "b"), 0, true, "4000 because the model was loaded again"},
	} {
		l := model.NewReads()
		lost := func(req model.Request, done model.Done, reloaded bool) string {
			tokens, why := l.Lost("c", req, done, reloaded)
			if why == "" {
				return ""
			}
			return fmt.Sprint(tokens, " because ", why)
		}
		if got := lost(request("s", one, "a"), model.Done{PromptTokens: 4000, CacheKnown: true}, true); got != "" {
			t.Errorf("the first request: %s", got)
		}
		if got := lost(test.req, model.Done{PromptTokens: 4100, CachedTokens: test.cached, CacheKnown: true}, test.reloaded); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		other := test.req
		other.Model = "other"
		if got := lost(other, model.Done{PromptTokens: 4100, CacheKnown: true}, true); got != "" {
			t.Errorf("another model: %s", got)
		}
	}
}
