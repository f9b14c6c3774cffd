package main

import (
	"testing"

	"github.com/assent-ls/assent/agent/model"
)

func TestRereads(t *testing.T) {
	said := func(texts ...string) (r model.Request) {
		for _, text := range texts {
			r.Messages = append(r.Messages, model.Message{Role: model.RoleUser, Text: text})
		}
		return r
	}
	told := func(prompt, output, cached int) model.Done {
		return model.Done{PromptTokens: prompt, OutputTokens: output, CachedTokens: cached, CacheKnown: true}
	}
	var r rereads
	r.add(said("a"), told(100, 10, 0))
	r.add(said("a", "b", "c"), told(130, 5, 109))          // 21 read, 20 of them new, and one is in no cache
	r.add(said("a", "b", "c", "d", "e"), told(150, 5, 30)) // 120 read, 15 of them new
	r.add(said("summary"), told(80, 5, 20))                // begins anew
	r.add(said("a", "x"), model.Done{PromptTokens: 200})   // not told
	if got, want := r.String(), "37.14 % (104 of 280); 2 began anew and read 160"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if r.silent != 1 {
		t.Errorf("%d silent replies", r.silent)
	}
	if got := (&rereads{silent: 2}).String(); got != "not told (2 replies)" {
		t.Error(got)
	}
}
