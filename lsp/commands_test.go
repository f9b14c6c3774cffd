package lsp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// Invariant 17.
func TestCommandsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Commands() {
		if !strings.HasPrefix(c.Name, "assent.") || c.Title == "" || !strings.HasSuffix(c.Doc, ".") {
			t.Errorf("%+v", c)
		}
		if seen[c.Name] || seen[c.Title] {
			t.Errorf("%s (%s) is there twice", c.Name, c.Title)
		}
		seen[c.Name], seen[c.Title] = true, true
		if reflect.TypeOf(c.Args).Kind() != reflect.Struct {
			t.Errorf("%s takes %T", c.Name, c.Args)
		}
	}
}

// TestMenusNameCommands holds the constants that code actions use to the table.
func TestMenusNameCommands(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "ext/ext.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	ast.Inspect(file, func(n ast.Node) bool {
		constant, ok := n.(*ast.ValueSpec)
		if !ok || constant.Values == nil {
			return true
		}
		names++
		name, err := strconv.Unquote(constant.Values[0].(*ast.BasicLit).Value)
		if _, found := commandNamed(name); err != nil || !found {
			t.Errorf("no row has the command %s = %q", constant.Names[0], name)
		}
		return true
	})
	if names == 0 {
		t.Error("no constant was found")
	}
}
