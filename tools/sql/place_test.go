package sql_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/sql"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

func TestMain(m *testing.M) {
	if fake, ok := fakes[filepath.Base(os.Args[0])]; ok {
		fake()
		return
	}
	shelltest.Main(m)
}

// place is a workspace in which databases are declared.
type place struct {
	*testing.T
	file, state string
	options     sql.Options
	source      *sql.Source
	policy      *policy.Policy
	ws          *workspace.Workspace
	sources     *tools.Sources
}

// newPlace declares databases; toolbox is the program that asks them.
func newPlace(t *testing.T, toolbox string, databases map[string]any) *place {
	t.Helper()
	p := &place{T: t, state: t.TempDir(), file: filepath.Join(t.TempDir(), sql.File)}
	p.declares(databases)
	state, err := userstate.OpenState(p.state)
	if err != nil {
		t.Fatal(err)
	}
	if p.ws, err = workspace.Open(t.TempDir(), workspace.NoBuffers{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.ws.Close() })
	p.policy = policy.New(state)
	t.Cleanup(p.policy.Flush)
	p.options = sql.Options{File: p.file, Toolbox: func() string { return toolbox }, Folder: p.ws.Root(), State: state, Shell: shelltest.New(), Version: "test"}
	p.open()
	return p
}

func (p *place) open() {
	p.source = sql.New(p.options)
	p.Cleanup(func() { _ = p.source.Close() })
	p.sources = tools.NewSources(builtin.Tools(p.ws, builtin.Options{}), p.source)
}

// naming is the place with a setting that names databases.
func (p *place) naming(t *testing.T, only func() ([]string, bool)) *place {
	t.Helper()
	other := *p
	other.T, other.options.Only = t, only
	other.open()
	return &other
}

func (p *place) declares(databases map[string]any) {
	p.Helper()
	data, err := json.Marshal(map[string]any{"databases": databases})
	if err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(p.file, data, 0o600); err != nil {
		p.Fatal(err)
	}
}

func (p *place) dispatcher() *tools.Dispatcher {
	p.Helper()
	r, err := p.sources.Now(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	return tools.NewDispatcher(r, p.policy, p.ws)
}

// prepare is a call as it is asked about.
func (p *place) prepare(tool string, arguments map[string]any) (*tools.Dispatcher, tools.Prepared) {
	p.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		p.Fatal(err)
	}
	d := p.dispatcher()
	return d, d.Prepare(p.Context(), tools.Call{ID: "1", Name: tool, Arguments: raw, Chat: "chat", Caller: policy.Model})
}

// call makes a call that a person says yes to, and gives what a model reads.
func (p *place) call(tool string, arguments map[string]any) string {
	p.Helper()
	d, prepared := p.prepare(tool, arguments)
	if prepared.Answered != nil || prepared.Decision.Verdict != policy.Ask {
		p.Errorf("%s %v is not asked about: %+v", tool, arguments, prepared.Answered)
	}
	return text(d.Execute(context.WithoutCancel(p.Context()), prepared.Approved(), nil))
}

// refused is what a model reads of a call that no one is asked about, since it is wrong or denied.
func (p *place) refused(tool string, arguments map[string]any) string {
	p.Helper()
	d, prepared := p.prepare(tool, arguments)
	if prepared.Answered == nil {
		p.Errorf("%s %v is not refused", tool, arguments)
	}
	return text(d.Execute(p.Context(), prepared, nil))
}

func text(r tools.Result, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	if r.Failed {
		return "failed: " + r.Text()
	}
	return r.Text()
}

// query puts a query to a database.
func (p *place) query(source, query string) string {
	p.Helper()
	return p.call(sql.Select, map[string]any{"source": source, "query": query})
}

// refusedQuery is what a model reads of a statement that is refused by its text.
func (p *place) refusedQuery(source, query string) string {
	p.Helper()
	return p.refused(sql.Select, map[string]any{"source": source, "query": query})
}

// says checks that a text has all of some words.
func (p *place) says(what, text string, words ...string) {
	p.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			p.Errorf("%s: %q is not in\n%s", what, word, text)
		}
	}
}

// rows are the lines of a table in a result.
func rows(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "| ") {
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list[min(1, len(list)):]
}

// tool is the real Toolbox.
func realToolbox(t *testing.T) string {
	t.Helper()
	path := os.Getenv("TOOLBOX")
	if path == "" {
		t.Skip("NOT TESTED: databases through the real MCP Toolbox; TOOLBOX names none (.ci/databases sets it)")
	}
	return path
}

func account(port int, kind, user string) map[string]any {
	return map[string]any{"kind": kind, "port": port, "database": "company", "user": user, "password": "${env:DATABASE_PASSWORD}"}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
