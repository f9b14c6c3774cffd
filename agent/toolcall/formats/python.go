package formats

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/envelope"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/values"
	"github.com/assent-ls/assent/tools/python/signature"
)

// Python is the name of the format in which a model writes programs.
const Python = "python"

// IsPython reports whether a name is that of the format python.
func IsPython(name string) bool { return Finder{}.same(name, Python) }

// pythonProgram is the format of models that write programs, in a fence with an info word: the tools are described as
// functions of Python, and a call is a program, if the tool that runs programs is offered, else calls of functions.
func pythonProgram(fence string) family {
	return family{
		grammar: grammar.New(
			nil, grammar.Accepting(envelope.Programs(fence)...), grammar.Accepting(envelope.PythonList(false)),
			grammar.AcceptingJSON,
		),
		define: func(tools []model.Tool) string { return pythonPrompt(tools, fence) },
		calls:  func(calls []outgoing) string { return programText(calls, fence) },
		result: func(t toolcall.Turn) string { return result(foundFunctions(t)) }, between: "\n",
	}
}

// Fenced is a finder whose format python uses the fence of a profile; empty: the usual one.
func (f Finder) Fenced(fence string) Finder {
	f.fence = fence
	return f
}

// pythonPrompt describes tools as functions, one line each.
func pythonPrompt(tools []model.Tool, fence string) string {
	if len(tools) == 0 {
		return ""
	}
	described, how, inside, brings := "", "To call them", "CALLS", "the results"
	if i := slices.IndexFunc(tools, func(t model.Tool) bool { return t.Name == signature.Execution }); i >= 0 {
		described, how = strings.TrimSpace(tools[i].Description)+"\n", "To run one"
		inside, brings = harmless(tools), "what it printed"
	}
	lines := functionLines(slices.DeleteFunc(slices.Clone(tools), func(t model.Tool) bool {
		return t.Name == signature.Execution || t.Name == signature.Search && strings.Contains(described, t.Name+"(")
	}))
	if lines != "" {
		lines = "Functions:\n" + lines + "\n"
	}
	return described + lines + how + ", write a fence like this and stop; the next message brings " + brings + ":\n" +
		fenced(fence, inside)
}

// harmless is a program for an example: small models run it as it is.
func harmless(tools []model.Tool) string {
	if slices.ContainsFunc(tools, func(t model.Tool) bool { return t.Name == "list_directory" }) {
		return `print(list_directory("."))`
	}
	return "print(1 + 1)"
}

// functionLines declares tools as functions, one line each.
func functionLines(tools []model.Tool) string {
	list := make([]signature.Tool, len(tools))
	for i, t := range tools {
		list[i] = signature.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters, Returns: t.Returns}
	}
	return joinAll(signature.Of(list), "\n", signature.Function.Line)
}

// foundFunctions is the result of a search among tools with functions in the place of definitions.
func foundFunctions(t toolcall.Turn) toolcall.Turn {
	if len(t.Facts.Tools) == 0 {
		return t
	}
	var out strings.Builder
	for line := range strings.Lines(t.Text) {
		var found struct {
			Name, Description string
			Parameters        json.RawMessage
		}
		if !strings.HasPrefix(line, `{"name":`) || json.Unmarshal([]byte(line), &found) != nil {
			out.WriteString(line)
			continue
		}
		out.WriteString(functionLines([]model.Tool{
			{Name: found.Name, Description: found.Description, Parameters: found.Parameters},
		}))
		if strings.HasSuffix(line, "\n") {
			out.WriteByte('\n')
		}
	}
	t.Text = out.String()
	return t
}

// programText writes calls: programs in a fence each, calls of functions in one. What a fence would not give back as
// it is, is written as JSON.
func programText(calls []outgoing, fence string) string {
	var blocks []string
	var lines []string
	flush := func() {
		if len(lines) > 0 {
			blocks = append(blocks, fenced(fence, strings.Join(lines, "\n")))
		}
		lines = nil
	}
	for _, c := range calls {
		if c.Name != signature.Execution {
			lines = append(lines, pythonCallText(c))
			continue
		}
		flush()
		if code, ok := programOf(c); ok && envelope.SameProgram(code) {
			blocks = append(blocks, fenced(fence, code))
		} else {
			blocks = append(blocks, fencedCall(c.Call))
		}
	}
	flush()
	return strings.Join(blocks, "\n")
}

func fenced(fence, code string) string { return "```" + fence + "\n" + code + "\n```" }

// programOf is the program of a call that has nothing else.
func programOf(c outgoing) (string, bool) {
	members := arguments(c)
	if len(members) != 1 || members[0].Key != signature.Program {
		return "", false
	}
	return values.StringValue(members[0].Value)
}
