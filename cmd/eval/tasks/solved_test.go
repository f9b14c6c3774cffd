package tasks_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/cmd/eval/runner"
	"github.com/assent-ls/assent/cmd/eval/tasks"
	"github.com/assent-ls/assent/tools/shell"
)

// TestEveryTaskCanBeSolved plays a right outcome of each task through the product's own tools.
func TestEveryTaskCanBeSolved(t *testing.T) {
	t.Parallel()
	profiles, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	programs := runner.Programs{Shell: shell.New(tasks.KeepWord, tasks.LineWord)}
	for _, want := range tasks.EachSolved(t) {
		t.Run(want.Task.Name(), func(t *testing.T) {
			t.Parallel()
			var replies []agenttest.Reply
			now := want.Outcome.Before
			for _, turn := range want.Outcome.Turns {
				replies = append(replies, toolCalls(now, turn.After)...)
				replies, now = append(replies, agenttest.Say(turn.Answer)), turn.After
			}
			r := runner.Runner{
				Backend: &agenttest.Scripted{Replies: replies}, Profiles: profiles, Model: "scripted", Mode: "native",
				Limit: time.Minute, Programs: programs,
			}
			o := r.Run(t.Context(), want.Task)
			if err := o.Problem(t.Context(), want.Task, programs.Shell); err != nil {
				t.Errorf("%v\n%s", err, o.Chat)
			}
		})
	}
}

// toolCalls read, and then write and delete files until they are as wanted: all that is read at once, and all that is
// changed, since a run has a limited number of steps. A write that leaves few lines of a file is made twice, as the tool
// wants it.
func toolCalls(before, after map[string]string) []agenttest.Reply {
	var reads, changes, again []model.Call
	call := func(tool string, arguments map[string]string) model.Call {
		text, err := json.Marshal(arguments)
		if err != nil {
			panic(err) // strings can be marshalled
		}
		return model.Call{Name: tool, Arguments: text}
	}
	for _, name := range tasks.Differing(before, after) {
		if _, there := before[name]; there {
			reads = append(reads, call("read_file", map[string]string{"path": name}))
		}
		if text, stays := after[name]; stays {
			write := call("write_file", map[string]string{"path": name, "content": text})
			if changes = append(changes, write); losesMost(before[name], text) {
				again = append(again, write)
			}
		} else {
			changes = append(changes, call("delete_file", map[string]string{"path": name}))
		}
	}
	var replies []agenttest.Reply
	for _, calls := range [][]model.Call{reads, changes, again} {
		if len(calls) > 0 {
			replies = append(replies, agenttest.Reply{Chunks: []model.Chunk{{Calls: calls}}})
		}
	}
	return replies
}

// losesMost reports whether less than half of a file's lines stay.
func losesMost(before, after string) bool {
	stay, all := 0, 0
	for line := range strings.Lines(before) {
		if all++; strings.Contains(after, line) {
			stay++
		}
	}
	return 2*stay < all
}
