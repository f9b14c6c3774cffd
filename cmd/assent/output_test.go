package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/userstate"
)

// hostile clears the screen, colours, hides and turns round what is around it, and begins a line of its own. It can
// be a part of a file's name.
const hostile = "\x1b[2J\u009b31m\u202eevil\u202c\u200b\u3164\u17b4\r\x7f\nforged line"

// theGrant puts a grant with hostile names into the user's state.
func theGrant(s *user) {
	state, err := userstate.OpenState("")
	if err != nil {
		s.t.Fatal(err)
	}
	p := policy.New(state)
	request := policy.Request{Tool: "edit_file" + hostile, Effect: effect.Edits, Caller: policy.Model, Workspace: hostile}
	if _, err := p.Accept(p.Decide(request).Offers[0], hostile); err != nil {
		s.t.Fatal(err)
	}
}

func theFile(s *user, path, text string) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// TestNothingHostileIsPrinted gives each command hostile words from each place that it prints from.
// Promise 1.
func TestNothingHostileIsPrinted(t *testing.T) {
	oneWord := strings.NewReplacer("\r", "", "\n", "", " ", "").Replace(hostile)
	quoted := strconv.Quote(hostile)
	answers := "turn repeat\nsplit 1\nthink " + quoted + "\nsay " + quoted + "\n"
	model := "model evil" + oneWord + ":1b family=\x1b[31mqwen2\u202e\n"
	call := "turn\ncall read_file {\"path\":" + jsonOf(hostile) + "}\ncall evil" + oneWord + " {}\nerror-line " + quoted + "\n"
	tests := map[string]struct {
		script  string
		prepare func(*user)
		input   string
		args    []string
	}{
		"unknown command":    {args: []string{hostile}},
		"unknown flag":       {args: []string{"run", "--" + hostile, "x"}},
		"wrong value":        {args: []string{"run", "--max-steps", hostile, "x"}},
		"too many arguments": {args: []string{"doctor", hostile}},
		"settings": {prepare: func(s *user) {
			theFile(s, filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent/settings.json"), "{"+jsonOf(hostile)+":1}")
		}, args: []string{"grants"}},
		"grants":                {prepare: theGrant, args: []string{"grants"}},
		"revoke":                {args: []string{"grants", "--revoke", hostile}},
		"trust":                 {prepare: func(s *user) { theFile(s, s.root+"/"+hostile+"/.assent/prompts/system.md", "x") }, args: []string{"trust", hostile}},
		"trust of a file":       {prepare: func(s *user) { theFile(s, s.root+"/.assent/tools/"+oneWord+".json", hostile) }, args: []string{"trust"}},
		"trust of all files":    {prepare: func(s *user) { theFile(s, s.root+"/.assent/permissions.json", hostile) }, args: []string{"trust", "--yes"}},
		"trust of nothing":      {args: []string{"trust", "missing" + hostile}},
		"revoke trust":          {prepare: func(s *user) { theFile(s, s.root+"/"+hostile+"/x", "x") }, args: []string{"trust", "--revoke", hostile}},
		"doctor":                {script: model, args: []string{"doctor"}},
		"doctor without server": {args: []string{"doctor", "--ollama-host", oneWord}},
		"models":                {script: model, args: []string{"models"}},
		"probe":                 {script: model + answers, args: []string{"doctor", "--probe", "evil" + oneWord + ":1b"}},
		"probe of nothing":      {args: []string{"doctor", "--probe", hostile}},
		"decode":                {input: "<think>" + hostile + "</think>" + hostile, args: []string{"decode", "--format", "text"}},
		"decode a call":         {input: `<tool_call>{"name":"x","arguments":{"a":` + jsonOf(hostile) + `}}</tool_call>`, args: []string{"decode", "--format", "hermes"}},
		"decode as JSON":        {input: hostile, args: []string{"decode", "--format", "text", "--json"}},
		"decode a batch":        {input: `{"id":` + jsonOf(hostile) + `,"format":"text","text":` + jsonOf(strings.Repeat(hostile, 500)) + `}`, args: []string{"decode", "--batch"}},
		"decode as nothing":     {args: []string{"decode", "--format", hostile}},
		"tools of nothing":      {args: []string{"decode", "--format", "text", "--tools", hostile}},
		"run":                   {script: answers, args: []string{"run", "x"}},
		"run with calls":        {script: call, args: []string{"run", "--tool-format", "native", "x"}},
		"run as JSON":           {script: answers, args: []string{"run", "--json", "x"}},
		"run calls as JSON":     {script: call, args: []string{"run", "--json", "--tool-format", "native", "x"}},
		"run in a folder":       {args: []string{"run", "--folder", "missing" + hostile, "x"}},
		"send":                  {args: []string{"send", hostile + ".chat.md"}},
		"send no chat":          {args: []string{"send", hostile}},
		"approve":               {args: []string{"run", "--approve", hostile, "x"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newUser(t, test.script)
			s.input = test.input
			t.Chdir(s.root)
			if test.prepare != nil {
				test.prepare(s)
			}
			out, notes, _ := s.run(test.args...)
			if all := out + notes; visible.Text(all) != all || !strings.Contains(all, "evil") {
				t.Errorf("printed:\n%q\n%q", out, notes)
			}
			if body := name == "run"; !body && strings.Contains("\n"+out+"\n"+notes, "\nforged") {
				t.Errorf("a line was forged:\n%s\n%s", out, notes)
			}
			if !slices.Contains(test.args, "--json") && !slices.Contains(test.args, "--batch") {
				return
			}
			for line := range strings.Lines(out) {
				if !json.Valid([]byte(line)) || strings.Contains(line, "<U+") {
					t.Errorf("this is not the JSON that was meant: %s", line)
				}
			}
		})
	}
}

func jsonOf(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// TestNothingIsPrintedPastTheWriter finds every way to the standard streams in the code of the program.
// Promise 1. Invariant 19.
func TestNothingIsPrintedPastTheWriter(t *testing.T) {
	list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", `{{if .Module}}{{if .Module.Main}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}{{"\n"}}{{end}}{{end}}{{end}}`, ".")
	files, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for path := range strings.FieldsSeq(string(files)) {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		for _, way := range waysOut(file) {
			found = append(found, filepath.ToSlash(name)+" "+way)
		}
	}
	slices.Sort(found)
	want := []string{
		"cmd/assent/keep.go os.Stderr",                                 // why a process of a command did not start, through the table of visible characters
		"cmd/assent/main.go os.Stderr", "cmd/assent/main.go os.Stdout", // handed to the writers
		"cmd/assent/mcp_serve.go os.Stdout",                                              // the protocol of an MCP server
		"cmd/assent/prompt_change.go os.Stderr", "cmd/assent/prompt_change.go os.Stdout", // those of the editor that the user named in $EDITOR
		"lsp/wire/conn.go os.Stdout", "lsp/wire/conn.go os.Stdout", // the language server's protocol
		"tools/changes/copy_linux.go os.NewFile", "tools/changes/tree_linux.go os.NewFile", "tools/changes/tree_linux.go os.NewFile", // files of a workspace, opened by their folders
		"tools/command/runner/program.go os.Stderr", "tools/command/runner/program.go os.Stdout", // those of a command, which its shell reads
		"tools/python/interpreter/help.go fmt.Println", "tools/python/interpreter/help.go fmt.Println", // the pipe of a helper
		"tools/python/interpreter/help.go os.Stdout", "tools/python/interpreter/help.go os.Stdout", // the same
		"tools/sandbox/inside_linux.go os.Stderr",                                      // the same
		"tools/sandbox/listener_linux.go os.NewFile",                                   // the listener of a command's proxy, as it was received
		"tools/sandbox/probe/probe_linux.go os.Stdout",                                 // what the self-test reports to this program
		"tools/shell/keep_linux.go os.NewFile", "tools/shell/keep_linux.go os.NewFile", // the two pipes of a keeper, 3 and 4
		"tools/shell/keep_linux.go os.Stderr", // why what a command did cannot be kept, for whoever reads its output
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
}

// waysOut lists what prints by itself in a file.
func waysOut(file *ast.File) []string {
	packages := map[string][]string{
		"os": {"Stdout", "Stderr", "NewFile"}, "syscall": {"Stdout", "Stderr", "Write"}, "unix": {"Stdout", "Stderr", "Write"},
		"fmt": {"Print", "Printf", "Println"}, "slog": {"Debug", "Info", "Warn", "Error", "Log", "Default"},
	}
	var found []string
	for _, i := range file.Imports {
		if i.Path.Value == `"log"` {
			found = append(found, "log")
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok && slices.Contains(packages[of.Name], n.Sel.Name) {
				found = append(found, of.Name+"."+n.Sel.Name)
			}
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.Ident); ok && (f.Name == "print" || f.Name == "println") {
				found = append(found, f.Name)
			}
		}
		return true
	})
	return found
}

func TestWaysOutAreFound(t *testing.T) {
	const text = `package x
import "log"
func f() { fmt.Println(1); println(2); os.Stdout.Write(nil); slog.Info("3") }`
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(waysOut(file)); got != "[log fmt.Println println os.Stdout slog.Info]" {
		t.Error(got)
	}
}
