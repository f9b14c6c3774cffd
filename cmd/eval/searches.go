package main

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/session/meaning"
	"github.com/assent-ls/assent/cmd/eval/runner"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/sql"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

const searchSet = "search"

// The queries were written by somebody who knew the two hundred tools and the sixty tables, and nothing of how they are
// searched.
//
//go:embed testdata/searches/*.tsv
var queries embed.FS

// query is a search, and the names of which one should be found.
type query struct {
	text  string
	right []string
}

// searched is one of the two tools that search, and what it is tried with.
type searched struct {
	what, tool, file string
	names            func(result string) []string // what a result describes, in its order
}

func searches() []searched {
	return []searched{
		{"200 tools", "tool_search", "tools.tsv", tools.FoundIn},
		{"60 tables", sql.SchemaSearch, "tables.tsv", tablesIn},
	}
}

// tablesIn are the tables that a result of schema_search describes: each is in front of its columns.
func tablesIn(result string) (names []string) {
	for line := range strings.Lines(result) {
		if name, _, ok := strings.Cut(line, ": "); ok && !strings.ContainsAny(name, " ,[") {
			names = append(names, name)
		}
	}
	return names
}

// readQueries reads one of the files of queries.
func readQueries(name string) (list []query, err error) {
	lines, err := readCells(queries, "testdata/searches/"+name, 2)
	for _, cells := range lines {
		list = append(list, query{cells[0], strings.Split(cells[1], "|")})
	}
	return list, err
}

// listener is a ranking that keeps the last order it gave.
type listener struct {
	*meaning.Ranking
	order []string // the names of what was ranked
}

// Near is that of the ranking.
func (l *listener) Near(ctx context.Context, query string, texts []string) []int {
	places := l.Ranking.Near(ctx, query, texts)
	l.order = nil
	for _, p := range places {
		first, _, _ := strings.Cut(texts[p], ":")
		l.order = append(l.order, strings.ReplaceAll(strings.TrimPrefix(first, "table "), " ", "_"))
	}
	return places
}

// searchAll compares, for each model that gives vectors, searches by words with those by words and meaning.
func searchAll(ctx context.Context, o options, backend model.Backend, profiles *model.Profiles) error {
	shared := &runner.Databases{}
	defer shared.Close()
	for _, name := range o.models {
		s := &searcher{a: agent.New(backend, profiles), model: name, databases: shared}
		for _, what := range searches() {
			found, err := s.compare(ctx, what)
			if err != nil {
				return fmt.Errorf("%s: %w", what.what, err)
			}
			for _, f := range found {
				cells := append(
					row{what.what, f.by, time.Now().Format(time.DateOnly), o.engine, fmt.Sprint(f.asked)},
					f.cells()...,
				)
				if err := show(o.out, foundResults(), cells); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// finds are how often the right one was first, among the first three and the first five.
type finds struct {
	by    string
	asked int
	at    [3]int
}

// best are the bounds of finds.at.
func best() [3]int { return [3]int{1, 3, 5} }

func (f *finds) add(right, names []string) {
	f.asked++
	place := slices.IndexFunc(names, func(n string) bool { return slices.Contains(right, n) })
	for i, most := range best() {
		if place >= 0 && place < most {
			f.at[i]++
		}
	}
}

func (f *finds) cells() (list []string) {
	for _, n := range f.at {
		list = append(list, percent(n, f.asked))
	}
	return list
}

// searcher makes the tools that are searched.
type searcher struct {
	a         *agent.Agent
	model     string
	databases *runner.Databases
}

// compare asks all queries of a file, by words and with vectors.
func (s *searcher) compare(ctx context.Context, what searched) ([]finds, error) {
	list, err := readQueries(what.file)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "searches-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	b, err := s.open(ctx, dir, what.tool)
	if err != nil {
		return nil, err
	}
	defer func() { _ = b.ws.Close() }()
	defer tools.NewSources(nil, b.source).Close()
	var told []string
	heard := &listener{Ranking: meaning.New(meaning.Options{
		Agent: s.a, Model: s.model, State: b.state, Run: engine.Options{
			UserModels: []string{s.model}, KeepAlive: 5 * time.Minute,
		},
		Tell: func(sentence string) { told = append(told, sentence) },
	})}
	by := []finds{{by: "words"}, {by: s.model}, {by: "words and " + s.model}}
	for _, q := range list {
		words, err := b.ask(ctx, what, q, nil)
		if err != nil {
			return nil, err
		}
		var both []string
		heard.order = nil
		for tries := 0; len(heard.order) == 0; tries++ { // what took too long goes on with the next search
			if both, err = b.ask(ctx, what, q, heard); err != nil {
				return nil, err
			}
			if tries == maxTries || len(told) > 0 {
				return nil, fmt.Errorf("no vectors: %s", strings.Join(told, " "))
			}
		}
		for i, names := range [][]string{words, heard.order, both} {
			by[i].add(q.right, names)
		}
		fmt.Fprintf(
			os.Stderr, "  %-50q %-30s words %v, both %v\n", q.text, strings.Join(q.right, "|"), first(words),
			first(both),
		)
	}
	return by, nil
}

// maxTries is how many searches a model may take to read all that is searched.
const maxTries = 100

func first(names []string) []string { return names[:min(3, len(names))] }

// bench is where a tool searches.
type bench struct {
	source tools.Source
	ws     *workspace.Workspace
	state  *userstate.State
}

// open makes the source in which a tool searches.
func (s *searcher) open(ctx context.Context, dir, tool string) (b bench, err error) {
	root, states := filepath.Join(dir, "work"), filepath.Join(dir, "state")
	if err := errors.Join(os.MkdirAll(root, 0o700), os.MkdirAll(states, 0o700)); err != nil {
		return b, err
	}
	if b.ws, err = workspace.Open(root, workspace.NoBuffers{}); err != nil {
		return b, err
	}
	if b.state, err = userstate.OpenState(states); err != nil {
		return b, err
	}
	place := runner.Place{Workspace: b.ws, State: b.state, Dir: states, Programs: itself()}
	if tool == sql.SchemaSearch {
		b.source, err = s.databases.Source(ctx, sql.Postgres, place)
	} else {
		b.source, _, err = runner.Served(place)
	}
	return b, err
}

// ask searches once, as in a new workspace, and gives the names that it found; m is nil for a search by words alone.
func (b bench) ask(ctx context.Context, what searched, q query, m *listener) ([]string, error) {
	sources := tools.NewSources(builtin.Tools(b.ws, builtin.Options{}), b.source)
	if m != nil {
		sources.RankBy(m)
	}
	registry, err := sources.Now(ctx)
	if err != nil {
		return nil, err
	}
	arguments, err := json.Marshal(map[string]string{"query": q.text})
	if err != nil {
		return nil, err
	}
	p := policy.New(b.state)
	defer p.Flush()
	d := tools.NewDispatcher(registry, p, b.ws)
	call := d.Prepare(ctx, tools.Call{Name: what.tool, Arguments: arguments, Chat: "search", Caller: policy.Model})
	result, err := d.Execute(ctx, call.Approved(), nil)
	if err != nil || result.Failed {
		return nil, cmp.Or(err, errors.New(content.Plain(result.Parts)))
	}
	return what.names(content.Plain(result.Parts)), nil
}
