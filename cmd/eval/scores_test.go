package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/cmd/eval/runner"
	"github.com/assent-ls/assent/cmd/eval/tasks"
)

// ninety are the ninety tasks, by their names.
func ninety(t *testing.T) map[string]tasks.Task {
	t.Helper()
	all := map[string]tasks.Task{}
	for _, name := range []string{tasks.WorkSet, tasks.KeptSet} {
		set, _, err := tasks.Set(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range set {
			all[task.Name()] = task
		}
	}
	return all
}

// TestWhatIsCounted of plain talk that used tools and left a file meanwhile, and of a run that broke off.
func TestWhatIsCounted(t *testing.T) {
	task := ninety(t)["tally-leap-year"]
	o := runner.Outcome{Outcome: tasks.Outcome{
		Before: map[string]string{"a": "1"}, After: map[string]string{"a": "1"}, Calls: make([]toolcall.Call, 2),
		Turns: []tasks.Answered{{After: map[string]string{"a": "1", "b": "2"}}},
		End:   event.Finished{Outcome: event.Completed},
	}}
	var s scores
	s.add(0, task, o, errors.New("touched b"))
	if s.toolless != (count{0, 1}) || s.disturbed != (count{1, 1}) || s.misplaced != (count{}) ||
		*s.kinds[task.Kind()] != (count{0, 1}) || len(s.classes) != 2 || *s.classes["several turns"] != (count{0, 1}) {
		t.Errorf("counted: %+v", s)
	}
	s = scores{}
	o = runner.Outcome{Outcome: tasks.Outcome{End: event.Finished{Outcome: event.Broken}}}
	s.add(0, task, o, errors.New("broken"))
	if s.toolless != (count{0, 1}) {
		t.Errorf("no answer counts as one without a tool: %v", s.toolless)
	}
}

// TestTranscriptsAreKept with all turns in one chat.
func TestTranscriptsAreKept(t *testing.T) {
	t.Parallel()
	chosen, err := choose(options{set: tasks.WorkSet, tasks: []string{"rainfall-french"}})
	if err != nil {
		t.Fatal(err)
	}
	profiles, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := runner.Runner{
		Backend: &agenttest.Scripted{Replies: []agenttest.Reply{agenttest.Say("la pluie"), agenttest.Say("la neige")}}, Profiles: profiles,
		Model: "scripted", Mode: "native", Limit: time.Minute, Keep: dir,
	}
	s := measure(t.Context(), r, chosen, 1, false)
	if s.all != (count{1, 1}) || s.toolless != (count{1, 1}) {
		t.Errorf("counted: %+v", s)
	}
	text, err := os.ReadFile(filepath.Join(dir, "rainfall-french.scripted.native.chat.md"))
	if err != nil {
		t.Fatal(err)
	}
	chat := string(text)
	if strings.Count(chat, "\n## You\n")+strings.Count(chat, "## You\n") < 2 || !strings.Contains(chat, "la pluie") || !strings.Contains(chat, "la neige") {
		t.Errorf("the transcript has\n%s", chat)
	}
}
