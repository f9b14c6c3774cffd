package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/mcp/fakeserver"
	"github.com/assent-ls/assent/tools/trust"
)

// serves gives the lab the MCP server notes.
func (l *lab) serves(server string) {
	l.t.Helper()
	l.env.Servers = mcp.New(mcp.Options{
		Launch: []byte(`{"servers": {"notes": {"url": "https://notes.example.org/"}}}`), Reach: fakeserver.Reach(l.t, []byte(server)),
		Workspace: l.env.Workspace, Trust: trust.New(l.env.State), State: l.env.State, Taken: builtin.Reserved(), Version: "test",
	})
	l.env.Tools = tools.NewSources(builtin.Tools(l.env.Workspace, builtin.Options{}), l.env.Servers)
	l.t.Cleanup(l.env.Tools.Close)
}

// A resource is read when the message is sent, not when the request is looked at; a long one is cut, with a notice, and
// one that a rule forbids is not read.
func TestAResourceIsReadWhenTheMessageIsSent(t *testing.T) {
	l := newLab(t, agenttest.Say("Read."), agenttest.Say("Not read."))
	l.serves(`{"resources": {"note:///long": "` + strings.Repeat("A long line. ", 5000) + `"}}`)
	s := l.chat("ask.chat.md", "## You\n\nRead @notes:note:///long.\n")
	shown, err := s.Inspect(t.Context(), session.RenderNot)
	if len(shown.Attached) == 0 || !strings.Contains(shown.Attached[len(shown.Attached)-1].Text(), "This is read from the server when the message is sent") {
		t.Fatalf("%+v, %v", shown.Attached, err)
	}
	send := func() string {
		t.Helper()
		if err := s.Send(t.Context()); err != nil {
			t.Fatal(err)
		}
		if end, err := s.Wait(); err != nil || end.Outcome != event.Completed {
			t.Fatal(end, err)
		}
		return l.read("ask.chat.md")
	}
	text := send()
	if !strings.Contains(text, "```context resource notes:note:///long\n[What stands between") || !strings.Contains(text, "[The rest is left out here.]") || len(text) > 14_000 {
		t.Errorf("%d bytes: %.1000s", len(text), text)
	}
	rules := filepath.Join(t.TempDir(), "permissions.json")
	if err := os.WriteFile(rules, []byte(`{"deny": [{"origin": "server notes"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	l.env.Policy.UseFiles(rules, trust.New(l.env.State).Trusted)
	s = l.chat("ask.chat.md", "## You\n\nRead @notes:note:///long again.\n")
	if text := send(); strings.Contains(text, "A long line") || !strings.Contains(text, "Refused: ") {
		t.Errorf("%.1000s", text)
	}
}
