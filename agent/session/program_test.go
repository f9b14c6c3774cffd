package session_test

import (
	"context"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/python/signature"
	"github.com/assent-ls/assent/tools/shell/shelltest"
)

// echo takes programs as the tool that runs them does, and gives them back.
func echo() tools.Tool {
	type input struct {
		Program string `json:"program"`
	}
	spec := tools.Spec{Name: signature.Execution, Description: "Runs a program.", Effect: effect.Computes}
	return tools.Define(spec, func(_ context.Context, _ tools.Call, in input) (tools.Plan, error) {
		return tools.Plan{Run: func(context.Context, tools.Reporter) tools.Result { return tools.Text("ran " + in.Program) }}, nil
	})
}

// withPrograms is a lab in which programs run.
func withPrograms(t *testing.T, replies ...string) *lab {
	t.Helper()
	l := newLab(t, says(replies...)...)
	l.env.Tools = tools.NewSources(append(builtin.Tools(l.env.Workspace, builtin.Options{Shell: shelltest.New()}), echo()))
	return l
}

// A guided model writes a program as the one text that the schema of the tool asks for.
func TestAGuidedModelWritesAProgram(t *testing.T) {
	l := withPrograms(t, `{"do":"compute","tool":"python_execution","arguments":{"program":"n = 6\nn * 7"}}`, `{"do":"talk","answer":"It is 42."}`)
	requests, chat := guide(t, l, "What is six times seven? Use a program.")
	if !strings.Contains(chat, "ran n = 6\nn * 7") || !strings.Contains(chat, "It is 42.") {
		t.Errorf("got\n%s", chat)
	}
	if len(requests) < 2 || !strings.Contains(string(requests[0].Format), `"tool":{"const":"python_execution"},"arguments":{"type":"object","properties":{"program":{"type":"string"}},"required":["program"]`) {
		t.Errorf("%d requests, the first held to %s", len(requests), requests[0].Format)
	}
}

// A program at the end of a reply runs, whichever format describes the tools; one that is shown is an answer.
func TestProgramsInReplies(t *testing.T) {
	program := "```tool_code\nlen(read_file(\"README.md\"))\n```"
	for _, format := range []string{"native", "hermes", "text"} {
		l := withPrograms(t, "I count.\n\n"+program, "It has 18.", "Write it so:\n\n"+program+"\n\nThat is all.")
		l.env.Options = engine.Options{Format: format, Programs: true}
		s := l.chat("ask.chat.md", "## You\n\nHow long is README.md?\n")
		for _, want := range []string{"ran len(read_file(\"README.md\"))", "That is all."} {
			if err := s.Send(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Wait(); err != nil {
				t.Fatal(err)
			}
			chat := l.read("ask.chat.md")
			if !strings.Contains(chat, want) || strings.Count(chat, "ran len") != 1 {
				t.Errorf("%s: no %q in\n%s", format, want, chat)
			}
			s = l.chat("ask.chat.md", strings.TrimSpace(chat)+"\n\nAnd how do I write that?\n")
		}
	}
}
