package agent_test

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
)

// Every chat of the editor's scenarios, in contexts that are too small for many of them, and on servers that refuse,
// cut, have less than they say or do not count: no run hangs, and no reply is taken from a prompt that was cut without
// its being said.
func TestNoChatOfTheScenariosIsCutSilently(t *testing.T) {
	paths, err := filepath.Glob("../lsp/testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal(err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.Files {
			text := string(file.Data)
			if !strings.Contains(text, "## Assistant") || strings.HasPrefix(file.Name, "model") {
				continue
			}
			for _, server := range []struct {
				overflow     agenttest.Overflow
				window, size int
			}{{agenttest.OverflowRefuse, 0, 1800}, {agenttest.OverflowCut, 0, 900}, {agenttest.OverflowCut, 700, 0}, {"", 0, 1800}} {
				l := newLab(t)
				l.backend.Counts, l.backend.Window = server.overflow, server.window
				l.backend.Installed = []model.Info{{Name: "scripted", Capabilities: []string{"completion", "tools"}, ContextLimit: 3000}}
				l.backend.Then = func(model.Request) agenttest.Reply { return agenttest.Say("So be it.") }
				job := l.job(strings.TrimRight(text, "\n") + "\n\n## You\n\nAnd then?\n")
				job.Document.Front.Model, job.Options.ContextSize = "", server.size
				end := l.end(l.agent.Start(t.Context(), job))
				real := 3000
				for _, n := range []int{server.size, server.window} {
					if n > 0 {
						real = min(real, n)
					}
				}
				requests := l.backend.Requests()
				cut := server.overflow != "" && len(requests) > 0 && agenttest.Tokens(requests[len(requests)-1]) > real
				if cut && end.Outcome == event.Completed && len(l.notes(agent.CutBlock)) == 0 {
					t.Errorf("%s %s, %+v, context %d: %d tokens were sent, and nothing is said", path, file.Name, server, server.size, agenttest.Tokens(requests[len(requests)-1]))
				}
				if end.Outcome != event.Completed && end.Sentence == "" {
					t.Errorf("%s %s: %+v", path, file.Name, end)
				}
			}
		}
	}
}
