package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/model"
)

// play runs a task of a project with a model that gives fixed replies.
func play(t *testing.T, name string, replies ...agenttest.Reply) (outcome, task, *agenttest.Scripted) {
	t.Helper()
	chosen, err := named(slices.Concat(projectTasks(), moreTasks(), freshTasks()), []string{name}, "")
	if err != nil {
		t.Fatal(err)
	}
	profiles, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	backend := &agenttest.Scripted{Replies: replies}
	r := runner{backend: backend, profiles: profiles, model: "scripted", mode: "native", limit: time.Minute}
	return r.run(t.Context(), chosen[0]), chosen[0], backend
}

// TestSeveralMessagesAndUnsavedText: the second message goes into the same chat, and what is read and edited is the
// editor's text.
func TestSeveralMessagesAndUnsavedText(t *testing.T) {
	t.Parallel()
	o, task, backend := play(t, "harbour-postgres",
		agenttest.CallTool("read_file", `{"path": "compose.yaml"}`), agenttest.Say("We start postgres:15.6."),
		agenttest.CallTool("edit_file", `{"path": "compose.yaml", "old_text": "postgres:15.6", "new_text": "postgres:16.2"}`), agenttest.Say("Changed."))
	if err := o.problem(t.Context(), task); err != nil {
		t.Errorf("%v\n%s", err, o.chat)
	}
	if len(o.turns) != 2 || len(o.turns[0].calls) != 1 || len(o.turns[1].calls) != 1 || o.turns[0].answer != "We start postgres:15.6." || o.answer != "Changed." {
		t.Errorf("turns: %+v", o.turns)
	}
	requests := backend.Requests()
	last := requests[len(requests)-1].Messages
	var all strings.Builder
	for _, m := range last {
		all.WriteString(m.Text + "\n")
	}
	for _, part := range []string{"Which postgres do we start?", "postgres:15.6", "We start postgres:15.6.", "Go to 16.2, please."} {
		if !strings.Contains(all.String(), part) {
			t.Errorf("the last request lacks %q", part)
		}
	}
	if strings.Contains(all.String(), "15.4") {
		t.Error("the model saw what is on disk instead of what is in the editor")
	}
}

// TestWhatIsWrittenBehindTheEditorIsNotTaken: the text on disk has not what the user typed.
func TestWhatIsWrittenBehindTheEditorIsNotTaken(t *testing.T) {
	t.Parallel()
	b := newBuffers("/w", map[string]string{"a": "saved", "b": "b"}, map[string]string{"a": "typed", "b": "b"})
	first := map[string]string{"a": "saved", "b": "b"}
	for disk, want := range map[string]string{"saved": "typed", "changed": "changed"} {
		if got := b.over(map[string]string{"a": disk, "b": "b"}, first)["a"]; got != want {
			t.Errorf("%s on disk: got %s, want %s", disk, got, want)
		}
	}
	if got := b.over(map[string]string{"b": "b"}, first); len(got) != 1 {
		t.Errorf("a deleted file is there: %v", got)
	}
	if len(b.Unsaved()) != 1 {
		t.Errorf("open are %q", b.Unsaved())
	}
}

// TestAFileThatIsNotMeantIsSeen also where it is put back later, and whatever the kind.
func TestAFileThatIsNotMeantIsSeen(t *testing.T) {
	t.Parallel()
	o, task, backend := play(t, "tally-leap-year",
		agenttest.CallTool("write_file", `{"path": "leap.txt", "content": "366"}`), agenttest.Say("It has 366 days."),
		agenttest.CallTool("delete_file", `{"path": "leap.txt"}`), agenttest.Say("365"))
	if err := o.problem(t.Context(), task); err == nil || err.Error() != "touched leap.txt" {
		t.Errorf("got %v\n%s", err, o.chat)
	}
	for _, m := range backend.Requests()[0].Messages {
		if strings.Contains(m.Text, "pirate") || strings.Contains(m.Text, ".assent") {
			t.Errorf("a prompt of the project, which nobody trusts, is used: %s", m.Text)
		}
	}
	var s scores
	s.add(0, task, o, o.problem(t.Context(), task))
	if s.toolless != (count{0, 1}) || s.disturbed != (count{1, 1}) || s.misplaced != (count{}) || *s.kinds[talk] != (count{0, 1}) || *s.classes[several] != (count{0, 1}) {
		t.Errorf("counted: %+v", s)
	}
}

// TestABrokenTurnEndsTheTask: what would have been said next makes no sense after it.
func TestABrokenTurnEndsTheTask(t *testing.T) {
	t.Parallel()
	o, task, backend := play(t, "harbour-replicas", agenttest.Reply{Err: &model.Error{Sentence: "the model server is gone"}})
	if err := o.problem(t.Context(), task); err == nil || len(o.turns) != 0 || len(backend.Requests()) != 1 {
		t.Errorf("%v, %d turns, %d requests", err, len(o.turns), len(backend.Requests()))
	}
	o, task, _ = play(t, "tally-zero", agenttest.Reply{Err: &model.Error{Sentence: "the model server is gone"}})
	var s scores
	s.add(0, task, o, o.problem(t.Context(), task))
	if s.toolless != (count{0, 1}) {
		t.Errorf("no answer counts as one without a tool: %v", s.toolless)
	}
}

// TestTranscriptsAreKept with all turns in one chat.
func TestTranscriptsAreKept(t *testing.T) {
	t.Parallel()
	chosen, err := named(projectTasks(), []string{"rainfall-french"}, "")
	if err != nil {
		t.Fatal(err)
	}
	profiles, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	r := runner{
		backend: &agenttest.Scripted{Replies: []agenttest.Reply{agenttest.Say("la pluie"), agenttest.Say("la neige")}}, profiles: profiles,
		model: "scripted", mode: "native", limit: time.Minute, keep: dir,
	}
	s := measure(t.Context(), r, chosen, 1, false)
	if s.all != (count{1, 1}) || s.toolless != (count{1, 1}) {
		t.Errorf("counted: %+v", s)
	}
	files, err := readFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	chat := files["rainfall-french.scripted.native.chat.md"]
	if strings.Count(chat, "\n## You\n")+strings.Count(chat, "## You\n") < 2 || !strings.Contains(chat, "la pluie") || !strings.Contains(chat, "la neige") {
		t.Errorf("%s has\n%s", filepath.Join(dir), chat)
	}
}

// TestEveryTaskCanBeSolved plays a right outcome of each task through the product's own tools.
func TestEveryTaskCanBeSolved(t *testing.T) {
	t.Parallel()
	for _, p := range slices.Concat(projects(), moreProjects(), freshProjects()) {
		for name, j := range outcomes()[p.name] {
			t.Run(p.name+"-"+name, func(t *testing.T) {
				t.Parallel()
				chosen, err := named(tasksOf([]project{p}), []string{p.name + "-" + name}, "")
				if err != nil {
					t.Fatal(err)
				}
				want := j.right[0].outcome(t, chosen[0])
				var replies []agenttest.Reply
				now := want.before
				for _, turn := range want.turns {
					replies = append(replies, toolCalls(now, turn.after)...)
					replies, now = append(replies, agenttest.Say(turn.answer)), turn.after
				}
				o, task, _ := play(t, p.name+"-"+name, replies...)
				if err := o.problem(t.Context(), task); err != nil {
					t.Errorf("%v\n%s", err, o.chat)
				}
			})
		}
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
	for _, name := range differing(before, after) {
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
