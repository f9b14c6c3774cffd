package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// scores are the outcomes of one model in one mode.
type scores struct {
	solved  []int          // per run
	tasks   int            // per run
	failed  map[string]int // task to how many runs did not solve it
	order   []string
	format  string
	tokens  int
	writing time.Duration
	took    time.Duration
	count   int
}

func (s *scores) add(run int, name string, o outcome, problem error) {
	for len(s.solved) <= run {
		s.solved = append(s.solved, 0)
	}
	if run == 0 {
		s.tasks++
	}
	if o.format != "" {
		s.format = o.format
	}
	s.count++
	s.tokens, s.writing, s.took = s.tokens+o.tokens, s.writing+o.writing, s.took+o.took
	if problem == nil {
		s.solved[run]++
		return
	}
	if s.failed == nil {
		s.failed = map[string]int{}
	}
	if s.failed[name] == 0 {
		s.order = append(s.order, name)
	}
	s.failed[name]++
}

// row is one line of a table of the page.
type row struct{ cells []string }

// table is one table of the page, found by its head. The first keys cells of a row identify it.
type table struct {
	head string
	keys int
}

func (s *scores) row(o options, name, mode string) row {
	if mode == "default" {
		mode += " (" + s.format + ")"
	}
	runs := len(s.solved)
	sum := 0
	for _, n := range s.solved {
		sum += n
	}
	var unsolved []string
	for _, task := range s.order {
		if s.failed[task] == runs {
			unsolved = append(unsolved, task)
		} else {
			unsolved = append(unsolved, fmt.Sprintf("%s (%d of %d)", task, s.failed[task], runs))
		}
	}
	speed := 0.0
	if s.writing > 0 {
		speed = float64(s.tokens) / s.writing.Seconds()
	}
	return row{[]string{
		o.set, name, mode, time.Now().Format(time.DateOnly), o.engine, fmt.Sprint(runs),
		fmt.Sprintf("%.1f of %d (%.0f %%)", float64(sum)/float64(max(1, runs)), s.tasks, 100*float64(sum)/float64(max(1, runs*s.tasks))),
		fmt.Sprintf("%d to %d", slices.Min(s.solved), slices.Max(s.solved)),
		fmt.Sprintf("%.1f", speed), fmt.Sprintf("%.0f", s.took.Seconds()/float64(max(1, s.count))), strings.Join(unsolved, ", "),
	}}
}

func (r row) markdown() string { return "| " + strings.Join(r.cells, " | ") + " |" }

func results() table {
	return table{keys: 3, head: "| set | model | mode | date | engine | runs | solved | worst to best run | tokens/s written | seconds per task | not solved |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|\n"}
}

func picks() table {
	return table{keys: 1, head: "| model | date | engine | seconds | points by mode | picked | best in the suite | picked the best |\n" +
		"|---|---|---|---|---|---|---|---|\n"}
}

// putRow puts a row into a table of the page: in place of the row with the same keys, else after the last. The rest of the page
// stays as it is; a missing table is added at its end.
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
	key := "| " + strings.Join(r.cells[:t.keys], " | ") + " |"
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

// lines splits the page at the table: what stands before it, and all lines after its head.
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
