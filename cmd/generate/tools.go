package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/session/recall"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/background"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/editor"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/web"
	"github.com/assent-ls/assent/tools/workspace"
)

// toolsPage is docs/tools.md: what each tool says about itself.
func toolsPage([]byte) ([]byte, error) {
	dir, err := os.MkdirTemp("", "assent-generate-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is empty
	ws, err := workspace.Open(dir, workspace.NoBuffers{})
	if err != nil {
		return nil, err
	}
	defer ws.Close() //nolint:errcheck // nothing was written through it
	var b bytes.Buffer
	b.WriteString("# Tools\n\n" + notice)
	b.WriteString("The tools that are built in, as they describe themselves to a model. " +
		"`assent tools` shows those of a workspace, those of other\n" +
		"sources too, with how their calls ended, as **Show tools** does in an editor; " +
		"`assent tools off TOOL` switches\n" +
		"one off; `assent tools run TOOL ARGUMENTS` calls one by hand, and is asked about like a model. " +
		"Those of the web are\n" +
		"there where you switch them on, `recall` after your first search for a chat, the last six where the\n" +
		"extension of your editor answers them.\n\n" +
		picture("neovim-tools-80", ".svg", "Neovim: the page of tools, which are on, and their calls"))
	on := web.New(web.Options{
		Fetch: func() bool { return true }, Endpoint: func() string { return "http://127.0.0.1" },
		Private: func() []string { return nil },
	})
	run := runcommand.New(ws, runcommand.Options{Background: true})
	for _, tool := range slices.Concat(
		builtin.Tools(ws, builtin.Options{}), background.New(background.Options{Run: run}).List(), on.List(),
		[]tools.Tool{recall.New(nil, ws).Tool()}, editor.New(knowsAll{}, ws).List(),
	) {
		if err := toolSection(&b, tool.Spec()); err != nil {
			return nil, fmt.Errorf("%s: %w", tool.Spec().Name, err)
		}
	}
	return append(bytes.TrimRight(b.Bytes(), "\n"), '\n'), nil
}

// knowsAll is an editor that could answer everything; nobody asks it here.
type knowsAll struct{ editor.Editor }

func (knowsAll) Knows() []string {
	return []string{
		editor.Diagnostics, editor.Documents, editor.Definition, editor.References, editor.Symbols, editor.Format,
	}
}

// toolSection describes one tool.
func toolSection(b *bytes.Buffer, s tools.Spec) error {
	fmt.Fprintf(b, "## %s\n\n%s\n\n", s.Name, s.Description)
	asks := "asks you first, unless a rule of yours allows it"
	if s.Effect.Free() {
		asks = "runs without a question, but for protected files"
	}
	fmt.Fprintf(b, "- %s: %s %s.\n", s.Effect, s.Effect.Reason(), capital(asks))
	fmt.Fprintf(b, "- limits: %s, %d calls a minute.\n", timeLimit(s), s.CallsPerMinute())
	var schema struct {
		Properties map[string]struct {
			Type string `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(s.Parameters, &schema); err != nil {
		return err
	}
	names := slices.SortedFunc(maps.Keys(schema.Properties), func(a, b string) int {
		return cmp.Compare(
			strings.Index(string(s.Parameters), `"`+a+`"`), strings.Index(string(s.Parameters), `"`+b+`"`),
		)
	})
	for _, name := range names {
		must := ""
		if !slices.Contains(schema.Required, name) {
			must = ", may be left out"
		}
		fmt.Fprintf(b, "- `%s`: %s%s\n", name, cmp.Or(schema.Properties[name].Type, "any"), must)
	}
	for _, example := range s.Examples {
		fmt.Fprintf(b, "- example: `%s`\n", example)
	}
	b.WriteByte('\n')
	return nil
}

func timeLimit(s tools.Spec) string {
	if limit, ok := s.TimeLimit(); ok {
		return fmt.Sprintf("%d seconds for a call", int(limit/time.Second))
	}
	return "its own time limit"
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
