package prompts

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/assent-ls/assent/internal/visible"
)

// Variable is a word that stands for something else in a prompt, written {{.Name}}.
type Variable struct {
	Name string
	Doc  string // one sentence
}

// Variables lists what prompts may use. None changes in the course of a chat, since the whole prompt would be read
// again then.
func Variables() []Variable {
	return []Variable{
		{"Model", "The name of the model that answers, such as qwen2.5-coder:1.5b."},
		{
			"Family",
			"The name of the model's family, such as qwen2.5-coder or gemma3; unknown if Assent does not know it.",
		},
		{
			"Workspace",
			"The name of the workspace folder, without the folders above it; empty in a chat that is in none.",
		},
		{"OS", "The operating system that Assent runs on: linux, darwin or windows."},
	}
}

// maxValue is the most of a value that reaches a prompt, in characters.
const maxValue = 200

// Values are what the variables stand for.
func Values(o Options) map[string]string {
	values := map[string]string{"Model": o.Model, "Family": o.Family, "OS": runtime.GOOS, "Workspace": ""}
	if o.Workspace != nil {
		values["Workspace"] = o.Workspace.Name()
	}
	for name, value := range values { // others chose them: the name of a folder, or of a model in a chat
		value = visible.Line(value)
		if runes := []rune(value); len(runes) > maxValue {
			value = string(runes[:maxValue]) + "…"
		}
		values[name] = value
	}
	return values
}

// Problem is something that is wrong in the text of a prompt.
type Problem struct {
	Offset, Length int    // in bytes
	Reason         string // no capital letter, no full stop
	Warning        bool   // the prompt is used all the same
}

// expand puts the values of variables into a text.
func expand(text string, values map[string]string) (string, error) {
	tree, problems := parseTemplate(text)
	if len(problems) > 0 {
		p := problems[0]
		return "", fmt.Errorf("line %d of its text: %s", 1+strings.Count(text[:p.Offset], "\n"), p.Reason)
	}
	t, err := template.New("prompt").Option("missingkey=error").AddParseTree("prompt", tree)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := t.Execute(&b, values); err != nil {
		return "", err
	}
	return b.String(), nil
}

// functions are those that a template may call. None makes text, so that a prompt is never much longer than its file.
var functions = map[string]any{"eq": 0, "ne": 0, "and": 0, "or": 0, "not": 0}

// parseTemplate reads a text with variables, conditions and comments. All else that templates know is a problem: a
// prompt that includes others, or repeats something, could have no end.
func parseTemplate(text string) (*parse.Tree, []Problem) {
	tree := parse.New("prompt")
	all := map[string]*parse.Tree{}
	if _, err := tree.Parse(text, "", "", all, functions); err != nil {
		return nil, []Problem{parseProblem(text, err)}
	}
	w := walker{text: text}
	w.list(tree.Root)
	for name, t := range all {
		if name != "prompt" && t.Root != nil {
			at := strings.LastIndex(text[:t.Root.Position()], "{{")
			w.refuse(max(at, 0), len("{{"), "a prompt defines no others")
		}
	}
	slices.SortFunc(w.problems, func(a, b Problem) int { return a.Offset - b.Offset })
	return tree, w.problems
}

// parseProblem finds the line of an error of the parser, which gives nothing more precise.
func parseProblem(text string, err error) Problem {
	m := regexp.MustCompile(`^template: prompt:(\d+):(?:\d+:)? ?(.*)`).FindStringSubmatch(err.Error())
	if m == nil {
		return Problem{Length: firstLine(text), Reason: "it cannot be read as a template: " + visible.Line(err.Error())}
	}
	line, _ := strconv.Atoi(m[1])
	offset := 0
	for ; line > 1; line-- {
		next := strings.IndexByte(text[offset:], '\n')
		if next < 0 {
			break
		}
		offset += next + 1
	}
	length := len(text) - offset
	if end := strings.IndexByte(text[offset:], '\n'); end >= 0 {
		length = end
	}
	return Problem{
		Offset: offset, Length: length,
		Reason: visible.Line(m[2]) + `; write {{"{{"}} for two braces that mean nothing`,
	}
}

// walker looks for what a prompt may not hold.
type walker struct {
	text     string
	problems []Problem
}

func (w *walker) refuse(offset, length int, reason string) {
	length = min(length, len(w.text)-offset) // a node is written in another way than it was there
	w.problems = append(w.problems, Problem{Offset: offset, Length: length, Reason: reason})
}

func (w *walker) refuseNode(n parse.Node, reason string) {
	at := int(n.Position())
	if field, ok := n.(*parse.FieldNode); ok && len(field.Ident) > 1 { // the parser gives the place of the second word
		at -= len(".") + len(field.Ident[0])
	}
	w.refuse(max(at, 0), len(n.String()), reason)
}

const allowed = "a prompt may have variables, {{if}} with eq, ne, and, or, not, and comments, and nothing else"

func (w *walker) list(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.TextNode, *parse.CommentNode:
		case *parse.ActionNode:
			w.pipe(n.Pipe)
		case *parse.IfNode:
			w.pipe(n.Pipe)
			w.list(n.List)
			w.list(n.ElseList)
		default:
			w.refuse(int(n.Position()), len("{{"), allowed)
		}
	}
}

func (w *walker) pipe(p *parse.PipeNode) {
	if len(p.Decl) > 0 || len(p.Cmds) != 1 {
		w.refuseNode(p, allowed)
		return
	}
	args := p.Cmds[0].Args
	called, ok := args[0].(*parse.IdentifierNode)
	if !ok {
		if len(args) > 1 {
			w.refuseNode(p, allowed)
			return
		}
		w.value(args[0], true)
		return
	}
	compares := called.Ident == "eq" || called.Ident == "ne"
	if n := len(args) - 1; n == 0 || compares && n < 2 || called.Ident == "not" && n > 1 ||
		called.Ident == "ne" && n > 2 {
		w.refuseNode(p, called.Ident+" has too few or too many words behind it")
		return
	}
	for _, arg := range args[1:] {
		w.value(arg, !compares)
	}
}

// value looks at what stands for a text, or, with nested, for a condition.
func (w *walker) value(n parse.Node, nested bool) {
	switch n := n.(type) {
	case *parse.StringNode:
	case *parse.FieldNode:
		name := n.Ident[0]
		if len(n.Ident) > 1 || !slices.ContainsFunc(Variables(), func(v Variable) bool { return v.Name == name }) {
			w.refuseNode(n, fmt.Sprintf("there is no variable %s; there are %s", n, variableNames()))
		}
	case *parse.PipeNode:
		if !nested {
			w.refuseNode(n, "eq and ne compare variables and texts in quotes")
			return
		}
		w.pipe(n)
	default:
		w.refuseNode(n, allowed)
	}
}

func variableNames() string {
	var names []string
	for _, v := range Variables() {
		names = append(names, "."+v.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
