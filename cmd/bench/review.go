package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/workspace"
)

const (
	reviewFiles = 10_000
	reviewRuns  = 20
	reviewLimit = 100 * time.Millisecond
)

// measureReview times the list of the hunks of many changed files, as after a start: nothing is in memory yet.
func measureReview(_ context.Context, l *setup) (rows []row, err error) {
	dir, state, err := l.state("review")
	if err != nil {
		return nil, err
	}
	root := filepath.Join(dir, "work")
	if err := os.Mkdir(root, 0o700); err != nil {
		return nil, err
	}
	ws, err := workspace.Open(root, nil)
	if err != nil {
		return nil, err
	}
	defer ws.Close() //nolint:errcheck // nothing was written through it
	began := time.Now()
	if err := ledger.Open(state, ws).Record(
		ledger.Turn{Chat: "/ask.chat.md", ID: "1"}, "c1", manyChanges(ws.Root()),
	); err != nil {
		return nil, err
	}
	recorded := time.Since(began)
	took, err := times(reviewRuns, func() error {
		waiting, err := ledger.Open(state, ws).Waiting()
		if err == nil && (len(waiting) != reviewFiles || len(waiting[0].Places) != 2) {
			err = fmt.Errorf("%d files wait", len(waiting))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	p99 := quantile(took, 0.99)
	return []row{
		{
			what: "the hunks of 10,000 changed files, listed", target: "≤ 100 ms at p99", ok: p99 <= reviewLimit,
			got: fmt.Sprintf("%s (median %s)", ms(p99), ms(median(took))),
			how: fmt.Sprintf(
				"Two hunks in each file, kept on disk by one call. %d times with nothing in memory, as after a start.",
				reviewRuns,
			),
		},
		{what: "the same changes, kept", got: ms(recorded), how: "Once: both texts of each file, and the index."},
	}, nil
}

// manyChanges changes two lines in each of many files.
func manyChanges(root string) []ledger.Change {
	var changes []ledger.Change
	for i := range reviewFiles {
		before := strings.Repeat(fmt.Sprintf("a line of file %d\n", i), 3) + "one\n" +
			strings.Repeat("the same line\n", 40) + "two\n"
		after := strings.NewReplacer("one\n", "ONE\n", "two\n", "TWO\n").Replace(before)
		path := filepath.Join(root, fmt.Sprintf("src/folder%d/file%d.go", i%100, i))
		changes = append(changes, ledger.Change{Path: path, Before: &before, After: &after})
	}
	return changes
}
