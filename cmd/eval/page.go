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

// row is one line of the page. Its first keyCells cells say what it is about.
type row struct{ cells []string }

const keyCells = 3

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

const (
	tableHead = "| set | model | mode | date | engine | runs | solved | worst to best run | tokens/s written | seconds per task | not solved |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|\n"
	newPage = "# Small models\n\n" + tableHead
)

// putRow puts a row into the page's table: over the one with the same set, model and mode, else after the last. What else
// the page says stays as it is.
func putRow(path string, r row) error {
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = []byte(newPage), nil
	}
	if err != nil {
		return err
	}
	text, err := withRow(string(old), r)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(text), 0o644) //nolint:gosec // a page of the repository
}

func withRow(page string, r row) (string, error) {
	before, table, found := strings.Cut(page, tableHead)
	if !found {
		return "", errors.New("the table of results is not there; its head must be as this program writes it")
	}
	lines := strings.SplitAfter(table, "\n")
	key := "| " + strings.Join(r.cells[:keyCells], " | ") + " |"
	end := 0
	for i, line := range lines {
		if !strings.HasPrefix(line, "|") {
			break
		}
		if end = i + 1; strings.HasPrefix(line, key) {
			lines[i] = r.markdown() + "\n"
			return before + tableHead + strings.Join(lines, ""), nil
		}
	}
	lines = slices.Insert(lines, end, r.markdown()+"\n")
	return before + tableHead + strings.Join(lines, ""), nil
}
