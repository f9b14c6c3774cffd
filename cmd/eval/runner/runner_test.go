package runner

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/cmd/eval/tasks"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/shell"
)

// play runs one of the ninety tasks with a model that gives fixed replies.
func play(t *testing.T, name string, replies ...agenttest.Reply) (Outcome, tasks.Task, *agenttest.Scripted) {
	t.Helper()
	work, _, err := tasks.Set(tasks.WorkSet)
	if err != nil {
		t.Fatal(err)
	}
	kept, _, err := tasks.Set(tasks.KeptSet)
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := tasks.Named(slices.Concat(work, kept), []string{name})
	if err != nil {
		t.Fatal(err)
	}
	profiles, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	backend := &agenttest.Scripted{Replies: replies}
	r := Runner{Backend: backend, Profiles: profiles, Model: "scripted", Mode: "native", Limit: time.Minute}
	return r.Run(t.Context(), chosen[0]), chosen[0], backend
}

// TestSeveralMessagesAndUnsavedText: the second message goes into the same chat, and what is read and edited is the
// editor's text.
func TestSeveralMessagesAndUnsavedText(t *testing.T) {
	t.Parallel()
	o, task, backend := play(t, "harbour-postgres",
		agenttest.CallTool("read_file", `{"path": "compose.yaml"}`), agenttest.Say("We start postgres:15.6."),
		agenttest.CallTool("edit_file", `{"path": "compose.yaml", "old_text": "postgres:15.6", "new_text": "postgres:16.2"}`), agenttest.Say("Changed."))
	if err := o.Problem(t.Context(), task, shell.Shell{}); err != nil {
		t.Errorf("%v\n%s", err, o.Chat)
	}
	if len(o.Turns) != 2 || len(o.Turns[0].Calls) != 1 || len(o.Turns[1].Calls) != 1 || o.Turns[0].Answer != "We start postgres:15.6." || o.Answer != "Changed." {
		t.Errorf("turns: %+v", o.Turns)
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
	if err := o.Problem(t.Context(), task, shell.Shell{}); err == nil || err.Error() != "touched leap.txt" {
		t.Errorf("got %v\n%s", err, o.Chat)
	}
	for _, m := range backend.Requests()[0].Messages {
		if strings.Contains(m.Text, "pirate") || strings.Contains(m.Text, ".assent") {
			t.Errorf("a prompt of the project, which nobody trusts, is used: %s", m.Text)
		}
	}
}

// TestABrokenTurnEndsTheTask: what would have been said next makes no sense after it.
func TestABrokenTurnEndsTheTask(t *testing.T) {
	t.Parallel()
	o, task, backend := play(t, "harbour-replicas", agenttest.Reply{Err: &model.Error{Sentence: "the model server is gone"}})
	if err := o.Problem(t.Context(), task, shell.Shell{}); err == nil || len(o.Turns) != 0 || len(backend.Requests()) != 1 {
		t.Errorf("%v, %d turns, %d requests", err, len(o.Turns), len(backend.Requests()))
	}
}

func TestUnsafeCommandsAreDenied(t *testing.T) {
	for command, denied := range map[string]bool{
		"sh check.sh": false, "mv draft.txt final.txt": false, "wc -l events.log": false, "cat a/b.txt | sort": false,
		"rm -rf /": true, "rm -rf ~": true, "cat ../x": true, "cat /etc/passwd": true, "pip install x": true, "echo $HOME": true, "curl example.org": true,
	} {
		for e, can := range map[effect.Effect]bool{effect.Runs: true, effect.Calls: true, "sings": true, effect.Edits: false} {
			kind := answerFor(event.Question{AskedCall: event.AskedCall{Effect: e, Target: command}}).Kind
			if (kind == event.Deny) != (denied && can) {
				t.Errorf("%s %s: denied %v", e, command, kind == event.Deny)
			}
		}
	}
}
