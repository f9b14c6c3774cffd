package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/session/history"
	"github.com/assent-ls/assent/agent/session/meaning"
	"github.com/assent-ls/assent/tools/userstate"
)

// pastResults is the table of searches over generated chats on docs/history.md.
func pastResults() table {
	return table{
		keys: 3, head: "| queries | in | by | asked | date | among the first five |\n|---|---|---|---|---|---|\n",
	}
}

// searchPast searches the generated chats: by words, and with each model that gives vectors.
func searchPast(ctx context.Context, o options, backend model.Backend, profiles *model.Profiles) error {
	p, err := newPast()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "past-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	root := filepath.Join(dir, "work")
	if err := p.write(root); err != nil {
		return err
	}
	state, err := userstate.OpenState(filepath.Join(dir, "state"))
	if err != nil {
		return err
	}
	for _, name := range append([]string{""}, o.models...) {
		h := history.New(state, nil)
		by := "words"
		if name != "" {
			by = "words and " + name
			h.ByMeaning(meaning.New(meaning.Options{
				Agent: agent.New(backend, profiles), Model: name, State: state, Tell: func(string) {},
				Run: engine.Options{UserModels: []string{name}, KeepAlive: 5 * time.Minute},
			}))
		}
		err := p.searchBy(ctx, o, h, root, by)
		if err := errors.Join(err, h.Close()); err != nil {
			return err
		}
	}
	return nil
}

// searchBy asks all queries, and prints how many of each kind found their chat.
func (p *past) searchBy(ctx context.Context, o options, h *history.History, root, by string) error {
	if _, err := h.Refresh(ctx, root); err != nil {
		return err
	}
	begin := time.Now()
	for err := h.Learn(ctx); err != nil; err = h.Learn(ctx) {
		if ctx.Err() != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, "  again:", err)
		time.Sleep(time.Second)
	}
	fmt.Fprintf(os.Stderr, "  vectors: %s\n", time.Since(begin).Round(time.Second))
	for _, l := range pastLanguages() {
		for _, other := range []bool{false, true} {
			found, asked := 0, 0
			for _, q := range p.queries {
				if q.language != l.file || q.other != other {
					continue
				}
				right, err := p.finds(ctx, h, q)
				if err != nil {
					return err
				}
				if asked++; right {
					found++
				}
			}
			kind := "words that were said"
			if other {
				kind = "other words"
			}
			if err := show(o.out, pastResults(), row{
				kind, l.name, by, strconv.Itoa(asked), time.Now().Format(time.DateOnly), percent(found, asked),
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// finds reports whether a query has its chat among the first five turns that are found.
func (p *past) finds(ctx context.Context, h *history.History, q pastQuery) (bool, error) {
	hits, err := h.Search(ctx, history.Query{Text: q.text, Limit: 5})
	var names []string
	for _, hit := range hits {
		names = append(names, strings.TrimSuffix(filepath.Base(hit.Path), ".chat.md"))
	}
	right := slices.Contains(names, strconv.Itoa(q.right))
	if !right {
		fmt.Fprintf(os.Stderr, "  %s %q: %d is not among %v\n", q.language, q.text, q.right, names)
	}
	return right, err
}
