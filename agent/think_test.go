package agent_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
)

const thinkingProfile = `
[[profile]]
name = "ponder"
names = ["ponder*"]
formats = ["native"]
sampling = { think = "low" }
`

// How much a model thinks is what the chat says, else the settings, else the model's profile; nothing of it is sent to
// one that cannot.
func TestThinkOfChatSettingsAndProfile(t *testing.T) {
	ponder := []string{"completion", "tools", "thinking"}
	for _, test := range []struct {
		name, model, front string
		can                []string
		setting            model.Think
		format             string
		want               model.Think // as it is sent
		said               string      // in the document
	}{
		{"nobody says", "other:1b", "", ponder, "", "native", "", ""},
		{"the profile", "ponder:1b", "", ponder, "", "native", model.ThinkLow, ""},
		{"a setting over the profile", "ponder:1b", "", ponder, model.ThinkHigh, "native", model.ThinkHigh, ""},
		{"the chat over both", "ponder:1b", "think: false\n", ponder, model.ThinkHigh, "native", model.ThinkOff, ""},
		{"the chat, on", "ponder:1b", "think: true\n", ponder, model.ThinkOff, "native", model.ThinkOn, ""},
		{"the chat, a level", "other:1b", "think: medium\n", ponder, "", "native", model.ThinkMedium, ""},
		{"a model that cannot", "other:1b", "think: high\n", ponder[:2], "", "native", "", "other:1b cannot think before it answers"},
		{"a model of which nothing is known", "other:1b", "think: high\n", nil, "", "native", "", "other:1b cannot think before it answers"},
		{"a model that cannot and need not", "other:1b", "think: false\n", ponder[:2], "", "native", "", ""},
		{"guided", "ponder:1b", "", ponder, "", "guided", model.ThinkOff, "are written without thinking"},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := newLab(t, agenttest.Say(`{"do":"talk","answer":"Hi."}`))
			l.backend.Installed = []model.Info{{Name: test.model, Capabilities: test.can, ContextLimit: 8192}}
			profiles, err := model.LoadProfiles([]byte(thinkingProfile))
			if err != nil {
				t.Fatal(err)
			}
			l.agent = agent.New(l.backend, profiles)
			job := l.job("---\nmodel: " + test.model + "\n" + test.front + "---\n\n## You\n\nHi.\n")
			job.Options.Format, job.Options.Sampling.Think = test.format, test.setting
			shown, err := l.agent.Inspect(t.Context(), job)
			if err != nil {
				t.Fatal(err)
			}
			if end := l.end(l.agent.Start(t.Context(), job)); end.Outcome != event.Completed {
				t.Fatalf("%+v", end)
			}
			sent := func(r model.Request) model.Think {
				if r.Think != "" {
					return r.Think
				}
				return r.Sampling.Think
			}
			if got := sent(l.backend.Requests()[0]); got != test.want || sent(shown.Request) != test.want {
				t.Errorf("sent %q, shown %q", got, sent(shown.Request))
			}
			notes := func(all []event.ContextAdded) (said []string) {
				for _, e := range all {
					if e.NotSent && e.Name == "think" {
						said = append(said, e.Text())
					}
				}
				return said
			}
			for what, said := range map[string][]string{"written": notes(agenttest.Of[event.ContextAdded](l.events)), "shown": notes(shown.Attached)} {
				if told := slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, test.said) }); told != (test.said != "") || len(said) > 1 {
					t.Errorf("%s: %q", what, said)
				}
			}
		})
	}
}

// A thought that no prompt opens is none: what a model says whose thinking is off is its answer from the first word.
func TestWithoutThinkingNoThoughtIsOpen(t *testing.T) {
	for front, thinks := range map[string]bool{"": true, "think: false\n": false} {
		l := newLab(t, agenttest.Say("Good day."))
		l.backend.Installed = []model.Info{{Name: "opens:1b", Capabilities: []string{"completion", "thinking"}, ContextLimit: 8192}}
		profiles, err := model.LoadProfiles([]byte("[[profile]]\nname = \"opens\"\nnames = [\"opens*\"]\nformats = [\"hermes\"]\nconstraint = \"never\"\nthinking = \"think\"\nopened = true\n"))
		if err != nil {
			t.Fatal(err)
		}
		l.agent = agent.New(l.backend, profiles)
		job := l.job("---\nmodel: opens:1b\n" + front + "---\n\n## You\n\nHi.\n")
		job.Options.Format = ""
		l.end(l.agent.Start(t.Context(), job))
		if got := len(agenttest.Of[event.ThinkingDelta](l.events)) > 0; got != thinks {
			t.Errorf("%q: it is taken for a thought: %v", front, got)
		}
	}
}
