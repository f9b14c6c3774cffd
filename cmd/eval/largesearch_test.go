package main

import (
	"testing"

	"github.com/assent-ls/assent/cmd/eval/runner"
)

// Only the first three files count, of what is attached and of each result by itself.
func TestLargeFinds(t *testing.T) {
	one := largeSearch{"question", "Where?", []string{"net/dial.go", "net/ip.go"}}
	var f largeFinds
	f.add(one, runner.Looked{Attached: []string{"a.go", "b.go", "net/ip.go"}})
	f.add(one, runner.Looked{Attached: []string{"a.go", "b.go", "c.go", "net/ip.go"}, Found: [][]string{{"a.go"}, {"net/dial.go"}}})
	f.add(one, runner.Looked{Found: [][]string{{"a.go", "b.go", "c.go", "net/dial.go"}}})
	if want := (largeFinds{asked: 3, attached: 1, found: 1, either: 2}); f != want {
		t.Errorf("%+v, want %+v", f, want)
	}
}
