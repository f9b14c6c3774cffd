//go:build unix

package shell

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// S16: a process is killed before those that it started, whatever their numbers: it does not go on because they died.
// Promise 4.
func TestParentsAreKilledFirst(t *testing.T) {
	table := []process{
		{pid: 10, parent: 9},
		{pid: 11, parent: 99},
		{pid: 12, parent: 13, dead: true},
		{pid: 13, parent: 1, session: 7},
		{pid: 9, parent: 100},
		{pid: 99, parent: 1, session: 7},
		{pid: 100, parent: 99},
		{pid: 5, parent: 1},
		{pid: 20, parent: 10, session: 7},
	}
	var pids []int
	for _, p := range family(table, func(p process) bool { return p.session == 7 }) {
		pids = append(pids, p.pid)
	}
	if diff := cmp.Diff([]int{13, 99, 11, 100, 9, 10, 20}, pids); diff != "" {
		t.Error(diff)
	}
}

// A table that is read row by row can miss a chain of processes that move on. Where nothing confirms the end, it is not
// reported as one.
// Promise 4.
func TestAnEndThatNothingConfirmsIsNoEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := func() []process { return nil }
		never := func([]process) bool { return false }
		if found, left := killAll(seen, func(process) {}, never); found != 1 || left != 1 {
			t.Errorf("%d found, %d left", found, left)
		}
		if found, left := killAll(seen, func(process) {}, none); found != 0 || left != 0 {
			t.Errorf("%d found, %d left where none is", found, left)
		}
	})
}
