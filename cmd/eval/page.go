package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// row is one line of a table of the page.
type row []string

// table is one table of the page, found by its head. The first keys cells of a row identify it.
type table struct {
	head string
	keys int
}

func (r row) markdown() string { return "| " + strings.Join(r, " | ") + " |" }

func results() table {
	return table{keys: 3, head: "| set | model | mode | date | engine | runs | solved | worst to best run | tokens/s written | seconds per task | not solved |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|\n"}
}

func picks() table {
	return table{keys: 1, head: "| model | date | engine | seconds | points by mode | picked | best in the suite | picked the best |\n" +
		"|---|---|---|---|---|---|---|---|\n"}
}

// workResults is the table of the tasks to work with, whose rows are replaced.
func workResults() table {
	return table{keys: 3, head: "| set | model | mode | date | engine | runs | solved | talk | read | change | talk without a tool | talk or reading that changed a file | " +
		"change that touched a wrong file | seconds per task | not solved |\n" + "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"}
}

// keptTable is the table of a set of thirty tasks that are kept apart: a row for each time that they were run, by its
// number.
func keptTable(set string) table {
	return table{keys: 1, head: "| run of the " + set + " set | model | mode | date | engine | runs | solved | talk | read | change | talk without a tool | talk or reading that changed a file | " +
		"change that touched a wrong file | seconds per task |\n" + "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"}
}

// largeResults is the table of files found in Go's standard library.
func largeResults() table {
	return table{
		keys: 2,
		head: "| messages | model | date | engine | asked | attached, among three | found, among three | either |\n" +
			"|---|---|---|---|---|---|---|---|\n",
	}
}

// foundResults is the table of searches.
func foundResults() table {
	return table{
		keys: 2,
		head: "| searched | by | date | engine | queries | the right one first | among three | among five |\n|---|---|---|---|---|---|---|---|\n",
	}
}

// show prints a row, and puts it into a table of the page; an empty path: there is no page.
func show(path string, t table, r row) error {
	fmt.Println(r.markdown())
	if path == "" {
		return nil
	}
	return putRow(path, t, r)
}

// putRow puts a row into a table of the page: in place of the row with the same keys, else after the last. The rest of
// the page stays as it is; a missing table is added at its end.
func putRow(path string, t table, r row) error {
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = []byte("# Small models\n"), nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(t.with(string(old), r)), 0o644) //nolint:gosec // a page of the repository
}

// with is the page with a row in it.
func (t table) with(page string, r row) string {
	before, lines := t.lines(page)
	if before == page {
		before += "\n"
	}
	key := "| " + strings.Join(r[:t.keys], " | ") + " |"
	end := 0
	for i, line := range lines {
		if !strings.HasPrefix(line, "|") {
			break
		}
		if end = i + 1; strings.HasPrefix(line, key) {
			lines[i] = r.markdown() + "\n"
			return before + t.head + strings.Join(lines, "")
		}
	}
	lines = slices.Insert(lines, end, r.markdown()+"\n")
	return before + t.head + strings.Join(lines, "")
}

// lines splits the page at the table: what is before it, and all lines after its head.
func (t table) lines(page string) (before string, after []string) {
	before, rest, _ := strings.Cut(page, t.head)
	return before, strings.SplitAfter(rest, "\n")
}

// rows are the cells of the table's rows.
func (t table) rows(page string) [][]string {
	var out [][]string
	_, lines := t.lines(page)
	for _, line := range lines {
		if !strings.HasPrefix(line, "|") {
			break
		}
		var cells []string
		for cell := range strings.SplitSeq(strings.Trim(line, "|\n"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		out = append(out, cells)
	}
	return out
}
