package session_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/session/chatfile"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

func TestMain(m *testing.M) { shelltest.Main(m) }

// lab is a workspace with a scripted model.
type lab struct {
	t       *testing.T
	root    string
	backend *agenttest.Scripted
	agent   *agent.Agent
	env     session.Environment
	events  *agenttest.Recorder[event.Event]
}

func newLab(t *testing.T, replies ...agenttest.Reply) *lab {
	t.Helper()
	root := t.TempDir()
	ws, err := workspace.Open(root, workspace.NoBuffers{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	state, err := userstate.OpenState(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	profiles, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t: t, root: root, backend: &agenttest.Scripted{Replies: replies}, events: &agenttest.Recorder[event.Event]{}}
	l.agent = agent.New(l.backend, profiles)
	l.env = session.Environment{
		Agent: l.agent, Options: engine.Options{Format: "native"}, Workspace: ws, State: state, Policy: policy.New(state), Config: t.TempDir(), Tools: tools.NewSources(builtin.Tools(ws, builtin.Options{Shell: shelltest.New()})),
	}
	l.env.Ledger = ledger.Open(state, ws)
	t.Cleanup(func() { l.env.Policy.Flush() }) // it keeps beside the run which rules matched
	l.write("README.md", "# Title\n\nHelo world\n")
	return l
}

func (l *lab) write(name, text string) {
	l.t.Helper()
	if err := os.WriteFile(filepath.Join(l.root, name), []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) read(name string) string {
	l.t.Helper()
	text, err := os.ReadFile(filepath.Join(l.root, name))
	if err != nil {
		l.t.Fatal(err)
	}
	return string(text)
}

// chat is the session of a chat file of this name and text.
func (l *lab) chat(name, text string) *session.Session {
	l.t.Helper()
	l.write(name, text)
	return session.New(l.t.Context(), chatfile.New(filepath.Join(l.root, name), l.env.State.Recovered), l.env.Now)
}

// job is a run of a document in native format; somebody answers.
func (l *lab) job(document string) agent.Job {
	l.t.Helper()
	job := agent.Job{
		Chat: "chat", Document: transcript.Parse(document), Sink: l.events, Options: engine.Options{Format: "native"},
		CanAsk: func(event.Question) bool { return true },
	}
	if err := l.env.Configure(l.t.Context(), &job, tools.NewReadSet()); err != nil {
		l.t.Fatal(err)
	}
	return job
}

const (
	ask     = "## You\n\nIn README.md Helo is misspelled. Change it to Hello.\n"
	theEdit = `{"path":"README.md","old_text":"Helo","new_text":"Hello"}`
)
