package tasks_test

import (
	"encoding/json"
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

// toolCalls read, write and delete files until they are as wanted.
func toolCalls(before, after map[string]string) []agenttest.Reply {
	var replies []agenttest.Reply
	call := func(tool string, arguments map[string]string) {
		text, err := json.Marshal(arguments)
		if err != nil {
			panic(err) // strings can be marshalled
		}
		replies = append(replies, agenttest.CallTool(tool, string(text)))
	}
	for _, name := range tasks.Differing(before, after) {
		if _, there := before[name]; there {
			call("read_file", map[string]string{"path": name})
		}
		if text, stays := after[name]; stays {
			call("write_file", map[string]string{"path": name, "content": text})
		} else {
			call("delete_file", map[string]string{"path": name})
		}
	}
	return replies
}
