package session_test

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/model"
)

// A question that is asked again is answered in another way where the temperature is that of a profile; where the user
// chose it, or a seed, the chat says that the answer may be the same. The old answer is in the copy.
func TestRetryAsksForAnotherAnswer(t *testing.T) {
	const same = "```context asked again not-sent\nThe answer may be the same, word for word: the chat or your settings say "
	for name, c := range map[string]struct {
		model, head, said string
		own               *float64 // of the settings
		first, again      any      // the temperatures that are sent
	}{
		"a profile at 0":            {model: "qwen2.5-coder:1.5b", first: nil, again: 0.5, said: "With temperature 0.5 this once: at 0, which the profile of qwen2.5-coder:1.5b says, the answer would be the same."},
		"a profile over 0":          {model: "qwen2.5:1.5b"},
		"the chat says 0":           {model: "qwen2.5-coder:1.5b", head: "temperature: 0\n", first: 0.0, again: 0.0, said: same + "temperature 0."},
		"settings say 0":            {model: "qwen2.5:1.5b", own: new(0.0), first: 0.0, again: 0.0, said: same + "temperature 0."},
		"the chat says 1":           {model: "qwen2.5-coder:1.5b", head: "temperature: 1\n", first: 1.0, again: 1.0},
		"a seed":                    {model: "qwen2.5:1.5b", head: "seed: 7\n", said: same + "seed 7."},
		"a profile at 0 and a seed": {model: "qwen2.5-coder:1.5b", head: "seed: 7\n", again: 0.5, said: "With temperature 0.5 this once"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, agenttest.Say("Oneth."), agenttest.Say("Second."), agenttest.Say("Third."), agenttest.Say("Next."))
			l.backend.Installed = []model.Info{{Name: c.model, Capabilities: []string{"completion", "tools"}, ContextLimit: 8192}}
			l.env.Options.Temperature = c.own
			s := l.chat("ask.chat.md", "---\nmodel: "+c.model+"\n"+c.head+"---\n\n## You\n\nWhat?\n")
			if err := s.Send(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Wait(); err != nil {
				t.Fatal(err)
			}
			for range 2 { // a second time nothing is said twice
				kept, err := s.Retry(t.Context(), len(l.read("ask.chat.md")))
				if err != nil || kept == "" {
					t.Fatal(kept, err)
				}
				if _, err := s.Wait(); err != nil {
					t.Fatal(err)
				}
			}
			text := l.read("ask.chat.md")
			if !strings.Contains(text, "Third.") || !strings.Contains(l.read("ask.before-retry-1.chat.md"), "Oneth.") || !strings.Contains(l.read("ask.before-retry-2.chat.md"), "Second.") {
				t.Errorf("an answer is lost:\n%s", text)
			}
			if n := strings.Count(text, "context asked again"); n > 1 || (n == 1) != (c.said != "") || !strings.Contains(text, c.said) {
				t.Errorf("want %q once in\n%s", c.said, text)
			}
			for i, want := range []any{c.first, c.again, c.again} {
				request := l.backend.Requests()[i]
				var got any
				if request.Temperature != nil {
					got = *request.Temperature
				}
				if got != want {
					t.Errorf("request %d has the temperature %v, want %v", i, got, want)
				}
				if strings.Contains(request.Messages[len(request.Messages)-1].Text, "this once") {
					t.Errorf("the model reads what is for people: %q", request.Messages)
				}
			}
		})
	}
}
