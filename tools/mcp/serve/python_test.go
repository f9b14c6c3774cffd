package serve_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/python"
	"github.com/assent-ls/assent/tools/python/interpreter"
)

// writes is an interpreter whose only program writes a.txt.
type writes struct{ t *testing.T }

func (w writes) Run(ctx context.Context, _ interpreter.Program, h interpreter.Host) (interpreter.Result, error) {
	arguments, err := json.Marshal(map[string]string{"path": "a.txt", "content": "written\n"})
	if err != nil {
		w.t.Error(err)
	}
	if a := h.Call(ctx, []interpreter.Call{{Tool: "write_file", Arguments: arguments}}); a[0].Error != "" {
		w.t.Error(a[0].Error)
	}
	return interpreter.Result{Output: "done"}, nil
}

// A program of a client is asked about before it runs, and what it changed when it has ended.
// Promise 1.
func TestAProgramOverMCP(t *testing.T) {
	for _, version := range generations {
		for name, c := range map[string]struct {
			answers []map[string]any
			holds   string
			asked   int
		}{
			"kept":      {[]map[string]any{{"answer": "Approve once"}, {"answer": "Keep all"}}, "written\n", 2},
			"discarded": {[]map[string]any{{"answer": "Approve once"}, {"answer": "Discard", "why": "no"}}, "one\ntwo\n", 2},
			"denied":    {[]map[string]any{{"answer": "Deny"}}, "one\ntwo\n", 1},
		} {
			w := newWorld(t)
			w.more.set(python.New(python.Options{
				Workspace: w.ws, Files: builtin.Files, On: func() bool { return true },
				Interpreter: func() (python.Interpreter, error) { return writes{t}, nil },
			}).Tool())
			client := w.connect(version, answers(c.answers...))
			_, text, err := client.try(python.Name, map[string]any{"program": "write_file('a.txt', 'written')"})
			if err != nil || w.holds("a.txt") != c.holds || len(client.asked) != c.asked {
				t.Errorf("%s, %s: %v, a.txt holds %q, asked %d times: %s", version, name, err, w.holds("a.txt"), len(client.asked), text)
				continue
			}
			if first := <-client.asked; !strings.Contains(first.Message, "write_file('a.txt', 'written')") {
				t.Errorf("the first question is %s", first.Message)
			}
		}
	}
}
