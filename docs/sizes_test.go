package docs_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The largest package and type there may be.
const (
	mostLines   = 4_600
	mostMethods = 60
)

// smaller are packages that grew too large once.
var smaller = map[string]int{"agent": 3_800, "lsp": 3_800, "lsp/chats": 3_800, "tools": 3_800}

// No package and no type grows without end. Tests and generated files do not count.
func TestPackagesAndTypesStaySmall(t *testing.T) {
	lines, methods, tokens := map[string]int{}, map[string]int{}, 0
	walk(t, func(name string) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "testdata/") {
			return
		}
		text := read(t, name)
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if ast.IsGenerated(file) {
			return
		}
		dir := filepath.ToSlash(filepath.Dir(name))
		lines[dir] += strings.Count(text, "\n")
		tokens += countTokens(text)
		for _, declared := range file.Decls {
			if f, ok := declared.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[dir+"."+receiver(f.Recv.List[0].Type)]++
			}
		}
	})
	t.Logf("%d tokens of code", tokens)
	for what, limit := range map[string]struct {
		counts map[string]int
		most   int
	}{"lines in": {lines, mostLines}, "methods of": {methods, mostMethods}} {
		names := slices.SortedFunc(maps.Keys(limit.counts), func(a, b string) int { return limit.counts[b] - limit.counts[a] })
		for _, name := range names[:8] {
			t.Logf("%5d %s %s", limit.counts[name], what, name)
			if limit.counts[name] > min(limit.most, cmp.Or(smaller[name], limit.most)) {
				t.Errorf("%d %s %s, more than %d", limit.counts[name], what, name, limit.most)
			}
		}
	}
}

// countTokens counts what the compiler reads of a file: no comments, blank lines or ends of lines.
func countTokens(text string) (n int) {
	fset := token.NewFileSet()
	var s scanner.Scanner
	s.Init(fset.AddFile("", fset.Base(), len(text)), []byte(text), nil, 0)
	for {
		_, kind, literal := s.Scan()
		if kind == token.EOF {
			return n
		}
		if kind != token.SEMICOLON || literal != "\n" {
			n++
		}
	}
}

// receiver is the name of the type of a method.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return "?"
}
