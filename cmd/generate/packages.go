package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// sourceFolders are the folders at the top that have the source of the project.
var sourceFolders = []string{"agent", "cmd", "docs", "editors", "internal", "lsp", "prompts", "tools"}

// packagesPage is docs/packages.md: what each package is for, by the first sentence of its comment.
func packagesPage(root string) ([]byte, error) {
	comments := map[string]string{}
	err := goFiles(root, func(name string) error {
		mode := parser.PackageClauseOnly | parser.ParseComments
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, name), nil, mode)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		if comments[dir] == "" {
			comments[dir] = purpose(file)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("# Packages\n\n" + notice)
	b.WriteString("What each package is for, from the first sentence of its comment.\n" +
		"[architecture.md](architecture.md) says how they work together,\n" +
		"[architecture_test.go](architecture_test.go) which may import which.\n\n" +
		"| package | |\n|---|---|\n")
	for _, dir := range slices.Sorted(maps.Keys(comments)) {
		if comments[dir] == "" {
			return nil, fmt.Errorf("%s: the package has no comment", dir)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", dir, strings.ReplaceAll(comments[dir], "|", "\\|"))
	}
	return b.Bytes(), nil
}

// purpose is the first sentence of a package's comment without the package's name, or "".
func purpose(file *ast.File) string {
	if file.Doc == nil {
		return ""
	}
	sentence := new(doc.Package).Synopsis(file.Doc.Text())
	words := strings.SplitN(sentence, " ", 3)
	if len(words) == 3 && (words[0] == "Package" || words[0] == "Command") {
		sentence = words[2]
	}
	return sentence
}

// goFiles visits the Go files of the project, by their path below root with slashes, in order.
func goFiles(root string, visit func(name string) error) error {
	return sourceFiles(root, ".go", visit)
}

// sourceFiles does the same for files with another ending, those below testdata included.
func sourceFiles(root, ending string, visit func(name string) error) error {
	for _, folder := range sourceFolders {
		err := fs.WalkDir(os.DirFS(root), folder, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case name == folder && errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil:
				return err
			case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "testdata" && ending == ".go"):
				return fs.SkipDir
			case !entry.IsDir() && strings.HasSuffix(name, ending):
				return visit(name)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
