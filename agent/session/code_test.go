package session_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/python"
	"github.com/assent-ls/assent/tools/python/interpreter"
	"github.com/assent-ls/assent/tools/shell/shelltest"
)

// tenReads is an interpreter whose only program reads ten files and edits one.
type tenReads struct{ t *testing.T }

func (p tenReads) Run(ctx context.Context, _ interpreter.Program, h interpreter.Host) (interpreter.Result, error) {
	call := func(tool string, arguments any) {
		text, err := json.Marshal(arguments)
		if err != nil {
			p.t.Error(err)
		}
		if a := h.Call(ctx, []interpreter.Call{{Tool: tool, Arguments: text}}); a[0].Error != "" {
			p.t.Errorf("%s: %s", tool, a[0].Error)
		}
	}
	for i := range 10 {
		call("read_file", map[string]string{"path": fmt.Sprintf("part%d.txt", i)})
	}
	call("edit_file", map[string]string{"path": "README.md", "old_text": "Helo", "new_text": "Hello"})
	return interpreter.Result{Output: "10"}, nil
}

// A task of ten reads and an edit takes two replies in code mode, and twelve without it; the model reads at most a
// third.
func TestOneProgramForElevenCalls(t *testing.T) {
	hermes := func(name, arguments string) string {
		return fmt.Sprintf("<tool_call>\n{\"name\": %q, \"arguments\": %s}\n</tool_call>", name, arguments)
	}
	var calls []string
	for i := range 10 {
		calls = append(calls, hermes("read_file", fmt.Sprintf(`{"path": "part%d.txt"}`, i)))
	}
	calls = append(calls, hermes("edit_file", theEdit), "Done.")
	program := hermes(python.Name, `{"program": "for i in range(10): read_file(f'part{i}.txt')"}`)

	work := func(replies ...string) (requests []model.Request) {
		l := newLab(t, says(replies...)...)
		for i := range 10 {
			l.write(fmt.Sprintf("part%d.txt", i), strings.Repeat(fmt.Sprintf("line of part %d\n", i), 20))
		}
		l.env.Tools = tools.NewSources(
			builtin.Tools(l.env.Workspace, builtin.Options{Shell: shelltest.New()}),
			python.New(python.Options{
				Workspace: l.env.Workspace, Files: builtin.Files, On: func() bool { return true },
				Interpreter: func() (python.Interpreter, error) { return tenReads{t}, nil },
			}),
		)
		l.env.Options = engine.Options{
			Format: "hermes", Programs: true, Mode: func() policy.Mode { return policy.ModeEdits },
		}
		s := l.chat("ask.chat.md", ask)
		if err := s.Send(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Wait(); err != nil {
			t.Fatal(err)
		}
		if got := l.read("README.md"); !strings.Contains(got, "Hello world") {
			t.Errorf("README.md holds %q\n%s", got, l.read("ask.chat.md"))
		}
		return l.backend.Requests()
	}
	with, without := work(program, "Done."), work(calls...)
	if len(with) != 2 || len(without) != 12 {
		t.Fatalf("%d requests with code mode, %d without", len(with), len(without))
	}
	t.Logf("read: %d bytes with code mode, %d without", read(with), read(without))
	if 3*read(with) > read(without) {
		t.Errorf("the model reads %d bytes with code mode, %d without", read(with), read(without))
	}
}

// read counts what a model reads of requests, in bytes.
func read(requests []model.Request) (bytes int) {
	for _, r := range requests {
		for _, m := range r.Messages {
			bytes += len(m.Text)
		}
		for _, tool := range r.Tools {
			bytes += len(tool.Description) + len(tool.Parameters)
		}
	}
	return bytes
}
