package tasks

import (
	"go/build"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// libraries are the packages of Go that lie in a large workspace.
var libraries = []string{
	"bufio", "bytes", "compress/flate", "encoding/json", "encoding/xml", "go/ast", "go/parser", "go/printer",
	"html/template", "image/png", "math/big",
	"net/http", "net/url", "os/exec", "regexp", "sort", "strings", "text/template", "time", "unicode/utf8",
}

// inLargeWorkspace puts some 280 other files beside those of each task: the other projects, and packages of Go's own
// library, some of whose files are long. What a small model is given must not depend on a folder that fits into one
// list.
func inLargeWorkspace(tasks []Task) ([]Task, error) {
	crowd, err := libraryFiles()
	if err != nil {
		return nil, err
	}
	for _, p := range projects() {
		for name, text := range p.files() {
			crowd["packages/"+p.name+"/"+name] = text
		}
	}
	all := make([]Task, 0, len(tasks))
	for _, t := range tasks {
		own, _, _ := strings.Cut(t.name, "-")
		files := maps.Clone(t.files)
		for name, text := range crowd {
			if !strings.HasPrefix(name, "packages/"+own+"/") {
				files[name] = text
			}
		}
		t.files = files
		all = append(all, t)
	}
	return all, nil
}

// libraryFiles reads the packages of Go's own library, without their tests.
func libraryFiles() (folder, error) {
	files := folder{}
	for _, library := range libraries {
		folder := filepath.Join(build.Default.GOROOT, "src", filepath.FromSlash(library))
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if name := entry.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
				text, err := os.ReadFile(filepath.Join(folder, name))
				if err != nil {
					return nil, err
				}
				files[path.Join("third_party/go", library, name)] = string(text)
			}
		}
	}
	return files, nil
}
