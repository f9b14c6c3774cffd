// Package signature declares tools as typed Python functions. What a model is told of them in a prompt, what a search
// describes, and what a program can call, all come from the same declarations.
package signature

import (
	"cmp"
	"encoding/json"
	"strings"
)

// What programs are known by.
const (
	Execution = "python_execution" // the tool that runs them
	Program   = "program"          // its one required argument, a text
	Parallel  = "parallel"         // the function of programs that makes several calls at once
)

// Tool is what a function is made of.
type Tool struct {
	Name, Description string
	Parameters        json.RawMessage // JSON schema of type object
	Returns           string          // the type of its value; empty: str
}

// Function is a tool as a Python function.
type Function struct {
	Name       string      // an identifier of Python, no two functions of one list have the same
	Tool       string      // the tool that a call of the function calls
	Parameters []Parameter // the required ones first, else in the order of the schema
	Doc        string      // what it does, and a line "NAME: TEXT" for each parameter that is described
	Returns    string      // the type of its value
}

// Parameter is an argument of a tool as a parameter of its function.
type Parameter struct {
	Name     string // an identifier of Python, no two parameters of a function have the same
	Argument string // the name in the tool's schema
	Type     string // a type of Python: str, list[int], Literal["a", "b"], int | None
	// an optional parameter that is not given, or is None, is not part of the call
	Required bool
}

// Of declares tools as functions, in the order of the tools. A tool whose name is no name for a function gets another
// one: other characters become "_", and "_" follows what Python or a program needs itself (see Reserved).
func Of(list []Tool) []Function {
	names := make([]string, len(list))
	for i, t := range list {
		names[i] = t.Name
	}
	named := identifiers(names, "tool", Reserved)
	functions := make([]Function, len(list))
	for i, t := range list {
		functions[i] = function(named[i], t)
	}
	return functions
}

func function(name string, t Tool) Function {
	f := Function{Name: name, Tool: t.Name, Returns: cmp.Or(t.Returns, "str"), Doc: strings.TrimSpace(t.Description)}
	s := schema{root: t.Parameters}
	properties := s.properties()
	arguments := make([]string, len(properties))
	for i, p := range properties {
		arguments[i] = p.key
	}
	named := identifiers(arguments, "argument", isKeyword)
	for _, wanted := range []bool{true, false} {
		for i, p := range properties {
			required := s.requires(p.key)
			if required != wanted {
				continue
			}
			f.Parameters = append(f.Parameters, Parameter{
				Name: named[i], Argument: p.key, Type: s.typeOf(p.value, 0), Required: required,
			})
			if text := described(p.value); text != "" {
				f.Doc += "\n" + named[i] + ": " + text
			}
		}
	}
	f.Doc = strings.TrimSpace(f.Doc)
	return f
}

// String is the signature: read_file(path: str, first_line: int | None = None) -> str.
func (f Function) String() string {
	parts := make([]string, len(f.Parameters))
	for i, p := range f.Parameters {
		parts[i] = p.String()
	}
	return f.Name + "(" + strings.Join(parts, ", ") + ") -> " + f.Returns
}

// String is the parameter as a signature has it.
func (p Parameter) String() string {
	switch {
	case p.Required:
		return p.Name + ": " + p.Type
	case p.Type == anyType || strings.HasSuffix(p.Type, noneType):
		return p.Name + ": " + p.Type + " = None"
	}
	return p.Name + ": " + p.Type + " | None = None"
}

// Line is the signature with the first sentence of what the function does, as a comment.
func (f Function) Line() string {
	if first := f.firstSentence(); first != "" {
		return f.String() + "  # " + first
	}
	return f.String()
}

func (f Function) firstSentence() string {
	line, _, _ := strings.Cut(f.Doc, "\n")
	if first, _, more := strings.Cut(line, ". "); more {
		line = first + "."
	}
	return strings.Join(strings.Fields(line), " ")
}

// Stub is the function as code, without a body: def, the signature and the docstring.
func (f Function) Stub() string {
	if f.Doc == "" {
		return "def " + f.String() + ": ..."
	}
	doc := strings.ReplaceAll(f.Doc, `\`, `\\`)
	if strings.Contains(doc, `"""`) || strings.HasSuffix(doc, `"`) {
		doc = strings.ReplaceAll(doc, `"`, `\"`)
	}
	return "def " + f.String() + ":\n    \"\"\"" + strings.ReplaceAll(doc, "\n", "\n    ") + `"""`
}

// Stubs is a list of functions as code.
func Stubs(list []Function) string {
	stubs := make([]string, len(list))
	for i, f := range list {
		stubs[i] = f.Stub()
	}
	return strings.Join(stubs, "\n")
}
