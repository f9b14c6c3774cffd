package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
)

// TestWhatMayBeSentToAServer: folders limit it whatever a person named, "anything" asks nobody, and nothing goes to a
// server that nobody declared or approved.
func TestWhatMayBeSentToAServer(t *testing.T) {
	a := newLab(t, agenttest.Say("never")).agent
	for _, test := range []struct {
		name    string
		info    model.Info
		options engine.Options
		refused string // empty: it is permitted
		forbids bool
	}{
		{name: "here", info: model.Info{Name: "box/m"}},
		{name: "elsewhere", info: model.Info{Name: "far/m", RemoteHost: "far"}, refused: "you did not name it yourself"},
		{name: "named", info: model.Info{Name: "far/m", RemoteHost: "far"}, options: engine.Options{UserModels: []string{"far/m"}}},
		{name: "anything", info: model.Info{Name: "far/m", RemoteHost: "far", Send: model.Sending{Unasked: true}}},
		{
			name: "in a folder", info: model.Info{Name: "far/m", RemoteHost: "far", Send: model.Sending{Folders: []string{"/projects"}}},
			options: engine.Options{Folder: "/projects/a"}, refused: "you did not name it yourself",
		},
		{
			name: "in another folder", info: model.Info{Name: "far/m", RemoteHost: "far", Send: model.Sending{Folders: []string{"/projects"}}},
			options: engine.Options{Folder: "/home", UserModels: []string{"far/m"}}, refused: "lets only chats in /projects go there", forbids: true,
		},
		{
			name: "found", info: model.Info{Name: "llamacpp/m", Found: &model.Listener{Address: "127.0.0.1:8080"}},
			options: engine.Options{UserModels: []string{"llamacpp/m"}}, refused: "a server that nobody declared, at 127.0.0.1:8080",
		},
	} {
		err := a.Permit("/projects/x.chat.md", test.options, test.info)
		if (err == nil) != (test.refused == "") || err != nil && !strings.Contains(err.Error(), test.refused) || engine.IsForbidden(err) != test.forbids {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// ports is a backend that counts how often ports are asked.
type ports struct {
	*agenttest.Scripted
	looks int
}

func (p *ports) Discover(context.Context) []model.Info {
	p.looks++
	return nil
}

func (p *ports) Approve(model.Info) error { return nil }

// TestOnlyASendLooksForServers: what an editor does by itself, and what only shows a request, asks no port.
func TestOnlyASendLooksForServers(t *testing.T) {
	l := newLab(t)
	l.backend.Installed = []model.Info{{Name: "vectors:1b", Capabilities: []string{model.CanEmbed}}}
	there := &ports{Scripted: l.backend}
	profiles, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	l.agent = agent.New(there, profiles)
	for _, head := range []string{"", "---\nmodel: none:1b\n---\n\n"} {
		there.looks = 0
		job := l.job(head + ask)
		if err := l.agent.Warm(t.Context(), job.Document, job.Options); err == nil {
			t.Error("a model was loaded")
		}
		if name, err := l.agent.ModelOf(t.Context(), job.Document, job.Options); err == nil && head == "" {
			t.Errorf("the model is %s", name)
		}
		if shown, err := l.agent.Inspect(t.Context(), l.job(head+ask)); err == nil {
			t.Errorf("%+v", shown.Model)
		}
		if there.looks > 0 {
			t.Errorf("%q: %d looks before a Send", head, there.looks)
		}
		if l.agent.Start(t.Context(), l.job(head+ask)).Wait(); there.looks == 0 {
			t.Errorf("%q: a Send did not look", head)
		}
	}
}

// limited is a backend whose user may say something else about its server at any time.
type limited struct {
	*agenttest.Scripted
	send model.Sending
}

func (l *limited) Sending(string) (model.Sending, error) { return l.send, nil }

// sink calls a function for each event.
type sink func(event.Event)

func (s sink) Emit(e event.Event) { s(e) }

// TestATighterSendCountsFromTheNextRequest: in the middle of a run, too.
func TestATighterSendCountsFromTheNextRequest(t *testing.T) {
	for _, test := range []struct {
		name  string
		send  model.Sending
		ends  event.Outcome
		says  string
		chats int
	}{
		{"as it was", model.Sending{Unasked: true}, event.Completed, "", 2},
		{"a folder that is not the chat's", model.Sending{Folders: []string{"/elsewhere"}}, event.Broken, "lets only chats in /elsewhere go there, so nothing was sent", 1},
		{"ask", model.Sending{}, event.Broken, "you did not name it yourself, so nothing was sent", 1},
	} {
		l := newLab(t, agenttest.CallTool("read_file", `{"path":"README.md"}`), agenttest.Say("Done."))
		l.backend.Installed = []model.Info{{
			Name: "box/m", RemoteHost: "box.example", Capabilities: []string{"completion", "tools"}, ContextLimit: 8192, Send: model.Sending{Unasked: true},
		}}
		b := &limited{l.backend, model.Sending{Unasked: true}}
		profiles, err := model.LoadProfiles()
		if err != nil {
			t.Fatal(err)
		}
		job := l.job("---\nmodel: box/m\n---\n\n" + ask)
		job.Sink = sink(func(e event.Event) {
			if _, ok := e.(event.CallEnded); ok {
				b.send = test.send
			}
		})
		end := agent.New(b, profiles).Start(t.Context(), job).Wait()
		if n := len(l.backend.Requests()); end.Outcome != test.ends || !strings.Contains(end.Sentence, test.says) || n != test.chats {
			t.Errorf("%s: %+v after %d requests", test.name, end, n)
		}
	}
}
