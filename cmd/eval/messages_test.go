package main

import (
	"os"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/guidance/intent"
	"github.com/assent-ls/assent/agent/guidance/relevant"
	"github.com/assent-ls/assent/cmd/eval/tasks"
	"github.com/assent-ls/assent/tools/workspace"
)

// TestWhatMessagesWant judges 220 messages about the six projects, which were written without knowing how they are
// judged. A wrong guess takes no tool away (TestARequestForAChangeKeepsTheEditingTools in agent/session), but a
// question that is taken for a change must be followed by a call, and plain talk gets no files.
func TestWhatMessagesWant(t *testing.T) {
	places := map[string]*workspace.Workspace{}
	for name, task := range ninety(t) {
		project, _, _ := strings.Cut(name, "-")
		if places[project] != nil {
			continue
		}
		root := t.TempDir()
		if err := tasks.WriteFiles(root, task.Files()); err != nil {
			t.Fatal(err)
		}
		ws, err := workspace.Open(root, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = ws.Close() })
		places[project] = ws
	}
	text, err := os.ReadFile("testdata/messages.tsv")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSpace(line), "\t", 3)
		message := strings.ReplaceAll(fields[2], `\n`, "\n")
		about := (&relevant.Words{}).Look(t.Context(), places[fields[0]], message, relevant.ForAQuestion())
		got := intent.Of(message).String()
		if intent.IsTalk(message, about.Named, about.Covers) {
			got = "talk"
		}
		count[fields[1]+" as "+got]++
		count[fields[1]]++
		switch fields[1] + " as " + got {
		case "read as talk", "read as change", "change as talk":
			t.Errorf("%s: taken for %s", message, got)
		}
	}
	t.Log(count)
	if n := count["talk as talk"]; 100*n < 70*count["talk"] {
		t.Errorf("%d of %d messages of plain talk are recognized", n, count["talk"])
	}
	if n := count["read as question"]; 100*n < 95*count["read"] {
		t.Errorf("%d of %d questions are recognized", n, count["read"])
	}
	if n := count["change as change"]; 100*n < 60*count["change"] {
		t.Errorf("%d of %d changes are recognized", n, count["change"])
	}
	if n := count["change as question"]; 100*n > 5*count["change"] {
		t.Errorf("%d of %d changes are taken for questions", n, count["change"])
	}
}
