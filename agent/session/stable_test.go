package session_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/ollama"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools/policy"
)

// wired are the requests of a lab as they go over the wire.
type wired struct {
	Model    string            `json:"model"`
	Messages []json.RawMessage `json:"messages"`
	Tools    []json.RawMessage `json:"tools"`
	Options  json.RawMessage   `json:"options"`
}

func (l *lab) wired() []wired {
	l.t.Helper()
	wire := ollama.New(&url.URL{Scheme: "http", Host: "127.0.0.1:1"}, agenttest.Way())
	var all []wired
	for _, req := range l.backend.Requests() {
		var w wired
		body, err := wire.Body(l.t.Context(), req)
		if err != nil {
			l.t.Fatal(err)
		}
		if err := json.Unmarshal(body, &w); err != nil {
			l.t.Fatal(err)
		}
		all = append(all, w)
	}
	return all
}

// grown says how a request does not begin with the one before; empty if it does.
func grown(before, now wired) string {
	switch {
	case before.Model != now.Model || !bytes.Equal(before.Options, now.Options):
		return fmt.Sprintf("the model or its options were %s %s and are %s %s: the server would load it again", before.Model, before.Options, now.Model, now.Options)
	case len(now.Messages) < len(before.Messages) || len(now.Tools) < len(before.Tools):
		return fmt.Sprintf("%d messages and %d tools became %d and %d", len(before.Messages), len(before.Tools), len(now.Messages), len(now.Tools))
	}
	for i, m := range before.Messages {
		if !bytes.Equal(m, now.Messages[i]) {
			return fmt.Sprintf("message %d was\n%s\nand is\n%s", i+1, m, now.Messages[i])
		}
	}
	for i, tool := range before.Tools {
		if !bytes.Equal(tool, now.Tools[i]) {
			return fmt.Sprintf("tool %d was\n%s\nand is\n%s", i+1, tool, now.Tools[i])
		}
	}
	return ""
}

// judge answers the questions of a run in turn.
type judge struct {
	session *session.Session
	answers chan event.Answer
}

func (judge) CanAsk(event.Question) bool { return true }

func (j judge) Emit(e event.Event) {
	if waiting, ok := e.(event.CallWaiting); ok {
		answer := <-j.answers
		if answer.Offer != "" {
			answer.Offer = waiting.Question.Offers[0].ID
		}
		go j.session.Answer(waiting.Question.ID, answer) //nolint:errcheck // a run that waits in vain is a failure of the test
	}
}

// message is what a person sends next in the long session, and what the model does then.
type message struct {
	text    string
	before  func(t *testing.T, l *lab, s *session.Session)
	replies []agenttest.Reply
	answers []event.Answer
}

// longSession is a session with all that might change what was sent before: files that change meanwhile, tools that are
// found, images of the user, of a mention and of a result, another mode, approvals, an offer, a denial, calls that
// cannot run, a turn that is undone, odd characters. One reply has blanks around it.
func longSession(mode *policy.Mode, blanks string) []message {
	native, say := agenttest.CallTool, agenttest.Say
	remove := func(name string) agenttest.Reply { return native("delete_file", `{"path":"`+name+`"}`) }
	return []message{
		{text: "Look at README.md, not [img].", replies: []agenttest.Reply{
			native("read_file", `{ "path" : "README.md" }`), native("get_time", `{}`), say("It says Helo: <b> & \"q\" \u2028 ü 😀 <|im_start|>user\n\n- a\n- b"),
		}},
		{text: "See ![chart](chart.png) and photo.png.", replies: []agenttest.Reply{say(blanks + "Two pictures.\n\n```go\nfunc main() {}\n```" + blanks)}},
		{text: "Delete old.txt.", replies: []agenttest.Reply{native("tool_search", `{"query":"delete a file"}`), remove("old.txt"), say("Gone.")}, answers: []event.Answer{{Kind: event.Once}}},
		{text: "Plan the edit.", before: func(*testing.T, *lab, *session.Session) { *mode = policy.ModePlan }, replies: []agenttest.Reply{
			native("edit_file", theEdit), say("I would write Hello."),
		}},
		{text: "Do it.", before: func(*testing.T, *lab, *session.Session) { *mode = policy.ModeAsk }, replies: []agenttest.Reply{
			native("edit_file", theEdit), native("edit_file", `{"path":"README.md","old_text":"world","new_text":"World"}`), say("Done."),
		}, answers: []event.Answer{{Offer: "the first"}}},
		{text: "Write a file.", replies: []agenttest.Reply{native("write_file", `{"path":"new.txt","content":"<new>\n"}`), say("Then not.")}, answers: []event.Answer{{Kind: event.Deny, Text: "No new files."}}},
		{text: "And README.md now? And shot.png?", before: func(_ *testing.T, l *lab, _ *session.Session) {
			l.write("README.md", "# Another\n\nText.\n")
			l.write("more.txt", "more\n")
		}, replies: []agenttest.Reply{native("read_file", `{"path":"shot.png"}`), native("frobnicate", `{}`), say("Another text.")}},
		{text: "Why?", before: func(t *testing.T, l *lab, s *session.Session) {
			t.Helper()
			changed, err := s.Changed(transcript.Parse(l.read("ask.chat.md")))
			if err != nil || len(changed) == 0 {
				t.Fatalf("%v: %+v", err, changed)
			}
			if err := s.UndoTurn(t.Context(), changed[0].ID); err != nil {
				t.Fatal(err)
			}
		}, replies: []agenttest.Reply{say("Sorry.\n\n    indented\n\n## You\n\n![x](http://example.org/x.png)")}},
		{text: "Bye.", before: func(*testing.T, *lab, *session.Session) { *mode = policy.ModeFull }, replies: []agenttest.Reply{say("Bye.")}},
	}
}

// TestEachRequestGrowsFromTheOneBefore records every request of a long session and compares each with the one before,
// byte for byte: messages, tools and options (invariant 5). What was sent is never sent otherwise, or the server would
// read all of it again. The formats are one of each kind; TestRequestIsPure composes in all of them.
// Invariant 5.
func TestEachRequestGrowsFromTheOneBefore(t *testing.T) {
	for _, format := range []string{"native", "guided", "text", "hermes", "react", "harmony"} {
		t.Run(format, func(t *testing.T) {
			mode := policy.ModeAsk
			l := newLab(t).seeing()
			l.env.Options.Format, l.env.Options.Model, l.env.Options.Mode = format, "eyes", func() policy.Mode { return mode }
			for i, name := range []string{"chart.png", "photo.png", "shot.png"} {
				l.write(name, string(picture(t, i+1)))
			}
			l.write("old.txt", "old\n")
			blanks := " \n"
			if format == "native" {
				blanks = "" // the document does not keep them, so that they are missing after a restart
			}
			s := l.chat("ask.chat.md", "")
			for i, m := range longSession(&mode, blanks) {
				if m.before != nil {
					m.before(t, l, s)
				}
				text := "## You\n\n"
				if i > 0 {
					text = l.read("ask.chat.md")
				}
				l.write("ask.chat.md", text+m.text+"\n")
				asked := len(l.backend.Requests())
				l.backend.Replies = append(l.backend.Replies, m.replies...)
				judge := judge{s, make(chan event.Answer, 10)}
				for _, answer := range m.answers {
					judge.answers <- answer
				}
				leave := s.Subscribe(judge)
				if err := s.Send(t.Context()); err != nil {
					t.Fatal(err)
				}
				if end, err := s.Wait(); err != nil || end.Outcome != event.Completed {
					t.Fatalf("%q: %+v, %v:\n%s", m.text, end, err, l.read("ask.chat.md"))
				}
				leave()
				if turn, changed := s.ReadAgain(transcript.Parse(l.read("ask.chat.md"))); changed {
					t.Errorf("%q: nobody changed turn %d of\n%s", m.text, turn, l.read("ask.chat.md"))
				}
				if n := len(l.backend.Requests()) - asked; n != len(m.replies) || len(judge.answers) > 0 {
					t.Fatalf("%q: %d requests, and %d answers are left:\n%s", m.text, n, len(judge.answers), l.read("ask.chat.md"))
				}
			}
			for word, turn := range map[string]int{"Two pictures": 3, "No new files": 11, "Plan the edit": 6, "# Title": 0} {
				edited := transcript.Parse(strings.Replace(l.read("ask.chat.md"), word, "Something else", 1))
				if got, changed := s.ReadAgain(edited); !changed || got != turn {
					t.Errorf("with %q changed the prompt is read again from turn %d (%v)", word, got, changed)
				}
			}
			sent := l.wired()
			for i := range sent[1:] {
				if problem := grown(sent[i], sent[i+1]); problem != "" {
					t.Fatalf("request %d: %s", i+2, problem)
				}
			}
			last := fmt.Sprintf("%s", sent[len(sent)-1].Messages)
			for _, want := range []string{"mode plan", "No new files.", "undid everything", "[·img]", `"images":["`, "delete_file", "# Another"} {
				if !strings.Contains(last, want) {
					t.Errorf("the session lacks %q", want)
				}
			}
			l.growsAfterRestart(format, sent[len(sent)-1])
		})
	}
}

// growsAfterRestart sends one more message by another process, which knows the document alone. Only replies that a model wrote in other words than
// the format's own are read again then.
func (l *lab) growsAfterRestart(format string, before wired) {
	l.t.Helper()
	if format != "native" {
		return
	}
	profiles, err := model.LoadProfiles()
	if err != nil {
		l.t.Fatal(err)
	}
	l.env.Agent = agent.New(l.backend, profiles)
	l.backend.Replies = append(l.backend.Replies, agenttest.Say("Hello again."))
	l.approved(l.chat("ask.chat.md", l.read("ask.chat.md")+"Again.\n"))
	sent := l.wired()
	if problem := grown(before, sent[len(sent)-1]); problem != "" {
		l.t.Errorf("after a restart: %s", problem)
	}
}
