package main

import (
	"context"
	"embed"
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/cmd/eval/runner"
)

const (
	// largeSearchSet asks for files of Go's standard library, in words of somebody who did not know how they are
	// ranked.
	largeSearchSet = "large-search"
	amongFirst     = 3
)

//go:embed testdata/fresh/largesearch.tsv
var largeSearches embed.FS

// largeSearch is a message, and the files that belong to it.
type largeSearch struct {
	kind, message string
	right         []string
}

func readLargeSearches() (list []largeSearch, err error) {
	lines, err := readCells(largeSearches, "testdata/fresh/largesearch.tsv", 3)
	for _, cells := range lines {
		list = append(list, largeSearch{cells[0], cells[1], strings.Split(cells[2], "|")})
	}
	return list, err
}

// largeFinds are how often a right file was among the first three.
type largeFinds struct{ asked, attached, found, either int }

// hit reports whether one of the first files is right.
func (l largeSearch) hit(files []string) bool {
	return slices.ContainsFunc(files[:min(amongFirst, len(files))], func(f string) bool {
		return slices.Contains(l.right, f)
	})
}

func (f *largeFinds) add(l largeSearch, shown runner.Looked) {
	f.asked++
	attached, found := l.hit(shown.Attached), slices.ContainsFunc(shown.Found, l.hit)
	if attached {
		f.attached++
	}
	if found {
		f.found++
	}
	if attached || found {
		f.either++
	}
}

func (f *largeFinds) cells() (cells []string) {
	for _, n := range []int{f.attached, f.found, f.either} {
		cells = append(cells, percent(n, f.asked))
	}
	return cells
}

func largeSearchAll(ctx context.Context, o options, backend model.Backend, profiles *model.Profiles) error {
	list, err := readLargeSearches()
	if err != nil {
		return err
	}
	root := filepath.Join(build.Default.GOROOT, "src")
	for _, name := range o.models {
		r := runner.Runner{
			Backend: backend, Profiles: profiles, Model: name, Mode: "default", Limit: o.limit, Without: o.without,
			Programs: itself(),
		}
		all := map[string]*largeFinds{"question": {}, "change": {}}
		for i, one := range list {
			shown, err := r.Look(ctx, root, one.message)
			if err != nil {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			all[one.kind].add(one, shown)
			fmt.Fprintf(
				os.Stderr, "%d/%d %s: attached %v, called %q, found %v\n", i+1, len(list), one.message,
				shown.Attached, shown.Calls, firsts(shown),
			)
		}
		for _, kind := range []string{"question", "change"} {
			cells := append(
				row{kind, name, time.Now().Format(time.DateOnly), o.engine, fmt.Sprint(all[kind].asked)},
				all[kind].cells()...,
			)
			if err := show(o.page(), largeResults(), cells); err != nil {
				return err
			}
		}
	}
	return nil
}

// firsts are the first files of each result.
func firsts(shown runner.Looked) (out [][]string) {
	for _, files := range shown.Found {
		out = append(out, files[:min(amongFirst, len(files))])
	}
	return out
}
