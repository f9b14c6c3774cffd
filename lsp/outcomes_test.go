package lsp_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/model/ollama"
	"github.com/assent-ls/assent/agent/probe"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/lsp"
	"github.com/assent-ls/assent/lsp/journal"
	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/python/interpreter/interpretertest"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/trust"
	"github.com/assent-ls/assent/tools/userstate"
)

func TestMain(m *testing.M) {
	if os.Getenv(isServer) != "" && len(os.Args) == 1 { // its keeper has the variable, too
		beServer()
		return
	}
	sandboxtest.Handle()
	interpretertest.Handle()
	shelltest.Main(m)
}

// lab is an editor, a server and a scripted model, for what a scenario cannot look at.
type lab struct {
	*lsptest.Env
	model  *agenttest.Server
	state  *userstate.State
	config string

	transport http.RoundTripper // to the model
}

const chat = "ask.chat.md"

// newLab starts all of it in a folder with these files; call it inside a bubble.
func newLab(t *testing.T, script string, opts lsptest.Options, files map[string]string) *lab {
	t.Helper()
	return newLabOf(t, t.TempDir(), script, opts, files)
}

// newLabOf is newLab for a user with this configuration folder.
func newLabOf(t *testing.T, config, script string, opts lsptest.Options, files map[string]string) *lab {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server, transport := agenttest.StartInMemory(t, script)
	state, err := userstate.OpenState(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{model: server, state: state, config: config, transport: transport}
	l.Env = lsptest.NewEnv(t, serveWith(t, state, l.config, transport), dir, opts)
	return l
}

// serveWith is a server that keeps its state there and talks to the model through this transport. change may change its
// options.
func serveWith(t *testing.T, state *userstate.State, config string, transport http.RoundTripper, change ...func(*lsp.Options)) lsptest.Serve {
	t.Helper()
	return func(ctx context.Context, stream io.ReadWriteCloser) int {
		var broken strings.Builder // a recovered panic is a defect all the same
		log := slog.New(slog.NewTextHandler(&broken, &slog.HandlerOptions{Level: slog.LevelError}))
		store, rules, trusted := &settings.Store{}, policy.New(state), trust.New(state)
		own, err := settings.Read(filepath.Join(config, "settings.json"))
		if problems := store.Set(settings.UserFile, own); err != nil || len(problems) > 0 {
			t.Error(err, problems)
		}
		rules.UseFiles(filepath.Join(config, "permissions.json"), trusted.Trusted)
		options := lsp.Options{
			Parts: session.Parts{
				Settings: store, State: state, Policy: rules, Trust: trusted, Shell: shelltest.New(), Network: network.New(false, nil), Config: config,
				Servers: serversIn(config, state, trusted), Databases: databasesIn(config, state),
			},
			Version: "test", Log: log,
			Agent: func(settings.Settings) (*agent.Agent, error) {
				profiles, err := probe.Profiles(filepath.Join(config, "profiles"))
				if err != nil {
					return nil, err
				}
				a := agent.New(ollama.New(&url.URL{Scheme: "http", Host: "scripted"}, transport), profiles)
				a.Remember(session.Models(state))
				return a, nil
			},
		}
		for _, apply := range change {
			apply(&options)
		}
		code := lsp.Serve(ctx, stream, options)
		rules.Flush() // as the program does at its end
		if broken.Len() > 0 {
			t.Errorf("the server's log has errors: %s", broken.String())
		}
		return code
	}
}

// kept is what the chat's journal holds; empty if it cannot be read.
func (l *lab) kept() string {
	replies, _ := journal.Replies(filepath.Join(l.state.Dir(), "journals"), filepath.Join(l.Dir, chat))
	var kept strings.Builder
	for _, reply := range replies {
		kept.WriteString(reply.Text + "\n\n")
	}
	return kept.String()
}

// checkAfterRun checks what must hold after every run, however it ended.
func (l *lab) checkAfterRun() {
	l.T.Helper()
	synctest.Wait()
	l.WaitIdle()
	<-time.After(10 * time.Second) // a stopped run is over before its last words are in the document
	synctest.Wait()
	text := l.Text(chat)
	if !strings.HasSuffix(text, "\n## You\n\n") || strings.HasSuffix(strings.TrimSuffix(text, "## You\n\n"), "## You\n\n") {
		l.T.Errorf("not exactly one empty turn at the end:\n%s", text)
	}
	for _, d := range l.Diagnostics(chat) {
		if strings.Contains(d.Message, "Restore") {
			l.T.Errorf("something is to be restored: %s", d.Message)
		}
	}
	unlock, owner, err := l.state.LockChat(filepath.Join(l.Dir, chat))
	if err != nil {
		l.T.Errorf("the chat is locked by %s: %v", owner, err)
	} else {
		unlock()
	}
	l.Save(chat)
	synctest.Wait()
	if left, err := filepath.Glob(filepath.Join(l.state.Dir(), "journals", "*")); err != nil || len(left) > 0 {
		l.T.Errorf("journals are left after the save: %v, %v", left, err)
	}
	if wrong := l.model.Mismatches(); len(wrong) > 0 {
		l.T.Errorf("the model was asked something else: %q", wrong)
	}
}

func TestEveryOutcomeLeavesTheChatWhole(t *testing.T) {
	t.Parallel()
	edit := `json {"tool":"edit_file","arguments":{"path":"README.md","old_text":"Helo","new_text":"Hello"}}` + "\n"
	tests := []struct {
		name, script string
		want         string // in the document or a message
		steps        func(l *lab)
	}{
		{name: "answer", script: "turn\njson {\"answer\":\"Fine.\"}\n", want: "Fine."},
		{name: "open fence", script: "turn\njson {\"answer\":\"```go\\nfunc main() {\"}\n", want: "func main"},
		{name: "cut", script: "turn\nraw {\"message\":{\"content\":\"{\\\"answer\\\":\\\"One\"}}\ncut\n", want: "One"},
		{name: "cut in a fence", script: "turn\nraw {\"message\":{\"content\":\"{\\\"answer\\\":\\\"```go\\\\nOne\"}}\ncut\n", want: "One"},
		{name: "error line", script: "turn\nerror-line out of memory\n", want: "out of memory"},
		{name: "end without done", script: "turn\nraw {\"message\":{\"content\":\"{\\\"answer\\\":\\\"One\"}}\nend-without-done\n", want: "One"},
		{name: "status", script: "turn\nstatus 500 broken in two\n", want: "broken in two"},
		{name: "garbage", script: "turn\nraw %%%\n", want: "qwen"},
		{name: "nothing", script: "turn\njson {\"answer\":\"\"}\n", want: "answered with nothing"},
		{name: "call cut off", script: "turn\nraw {\"message\":{\"content\":\"{\\\"tool\\\":\\\"edit_file\\\",\\\"argum\"}}\ncut\n", want: "## Assistant"},
		{name: "three malformed calls", script: "turn repeat\nsay: {\"tool\":\"edit_file\",\"arguments\":[1]}\n", want: "cannot be read"},
		{name: "same call again and again", script: "turn repeat\njson {\"tool\":\"get_time\",\"arguments\":{}}\n", want: "times with the same result"},
		{name: "stop while queued for an answer", script: "turn\n" + edit, want: "not-run", steps: func(l *lab) {
			l.WaitFor("a question", func() bool { return strings.Contains(diagnosticsOf(l), "Waits for your answer") })
			l.must(l.Do(chat, "edit_file", "Stop"))
		}},
		{name: "stop while reading", script: "turn\nhang\n", want: "## You", steps: func(l *lab) {
			l.WaitFor("progress", func() bool { return len(l.Progress()) > 0 })
			l.must(l.Do(chat, "Fix it", "Stop"))
		}},
		{name: "denied", script: "turn\n" + edit + "turn\njson {\"answer\":\"As you like.\"}\n", want: "As you like.", steps: func(l *lab) {
			l.WaitFor("a question", func() bool { return strings.Contains(diagnosticsOf(l), "Waits for your answer") })
			l.must(l.Do(chat, "edit_file", "Deny"))
		}},
	}
	for _, test := range tests {
		for _, kind := range []lsptest.Options{
			{},
			{Edits: lsptest.Drops, Hold: 150 * time.Millisecond, Encodings: []string{"utf-8"}},
			{Edits: lsptest.Mute, Encodings: []string{"utf-32"}},
			{Hold: 500 * time.Millisecond},
		} {
			t.Run(fmt.Sprintf("%s/%s%s", test.name, kind.Edits, kind.Hold), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					l := newLab(t, test.script, kind, map[string]string{
						"README.md": "# Title\n\nHelo world\n", chat: "## You\n\nIn README.md, ü𝄞: Fix it.\n",
					})
					defer l.Leave()
					l.Open(chat)
					l.must(l.Do(chat, "Fix it", "Send"))
					if test.steps != nil {
						test.steps(l)
					}
					synctest.Wait()
					l.checkAfterRun()
					if all := l.Text(chat) + strings.Join(l.Messages(), "\n"); !strings.Contains(all, test.want) {
						t.Errorf("no %q in\n%s", test.want, all)
					}
					if got := l.Disk("README.md"); got != "# Title\n\nHelo world\n" {
						t.Errorf("README.md was changed: %q", got)
					}
				})
			})
		}
	}
}

func (l *lab) must(err error) {
	l.T.Helper()
	if err != nil {
		l.T.Fatal(err)
	}
}

func diagnosticsOf(l *lab) string {
	var all []string
	for _, d := range l.Diagnostics(chat) {
		all = append(all, d.Message)
	}
	return strings.Join(all, "\n")
}
