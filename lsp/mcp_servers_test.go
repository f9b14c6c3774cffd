package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/mcp/serve"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/trust"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// isServer is the variable that makes the program of the tests an MCP server with our tools for no workspace.
const isServer = "LSP_TEST_SERVER"

// startsAt is the variable with an address to which such a server connects; then it says nothing.
const startsAt = "LSP_TEST_STARTS_AT"

func beServer() {
	if at := os.Getenv(startsAt); at != "" {
		if conn, err := new(net.Dialer).DialContext(context.Background(), "tcp", at); err == nil {
			_, _ = conn.Read(make([]byte, 1)) // until the test ends
		}
		return
	}
	dir, err := os.MkdirTemp("", "server")
	if err == nil {
		defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
		var state *userstate.State
		if state, err = userstate.OpenState(dir); err == nil {
			fmt.Fprintln(os.Stderr, "\x1b[31mhello")
			s := serve.New(serve.Options{Version: "test", Warn: func(string) {}, Log: slog.New(slog.DiscardHandler), Tools: func(context.Context) (*tools.Dispatcher, error) {
				r, err := tools.NewSources(builtin.Tools(nil, builtin.Options{})).Now(context.Background())
				return tools.NewDispatcher(r, policy.New(state), nil), err
			}})
			err = s.Run(context.Background(), serve.Stdio(os.Stdin, os.Stdout))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// serversIn makes the sources of MCP servers for a user.
func serversIn(config string, state *userstate.State, trusted *trust.Store) func(*workspace.Workspace, func() settings.Settings) *mcp.Source {
	return func(ws *workspace.Workspace, now func() settings.Settings) *mcp.Source {
		return mcp.New(mcp.Options{
			File: filepath.Join(config, "mcp.json"), Others: func() bool { return now().MCPFiles }, Workspace: ws, Trust: trusted, State: state,
			Shell: shelltest.New(), Network: network.New(false, nil), Taken: builtin.Reserved(), Version: "test",
		})
	}
}

// servers is a file that declares the program of the tests under these names.
func servers(names ...string) string {
	all := map[string]any{}
	for _, name := range names {
		all[name] = map[string]any{"command": os.Args[0], "env": map[string]string{isServer: "yes", "GORACE": "atexit_sleep_ms=0"}}
	}
	data, _ := json.MarshalIndent(map[string]any{"mcpServers": all}, "", "  ")
	return string(data) + "\n"
}

const theirServers = ".assent/mcp.json"

func (l *lab) hover(name, needle string) string {
	l.T.Helper()
	var hover protocol.Hover
	l.Ask("textDocument/hover", name, needle, &hover)
	return hover.Contents.Value
}

// shownText is the text of the newest file that the editor was asked to show.
func (l *lab) shownText() string {
	l.T.Helper()
	shown := l.Shown()
	if len(shown) == 0 {
		return ""
	}
	text, err := os.ReadFile(strings.TrimPrefix(string(shown[len(shown)-1].URI), "file://"))
	l.must(err)
	return string(text)
}

// started waits until servers were started so many times in all.
func (l *lab) started(times int) {
	l.T.Helper()
	l.WaitFor("a server to start", func() bool {
		n := 0
		for _, message := range l.Messages() {
			if strings.Contains(message, " runs, with ") {
				n++
			}
		}
		return n == times
	})
}

// S07 in the editor: a server of a workspace says that it does nothing, is trusted with what was shown of it and not
// otherwise, and is started, stopped and looked at where it is.
func TestAServerIsTrustedAndRunWhereItStands(t *testing.T) {
	l := newLab(t, "turn\nhang\n", lsptest.Options{}, map[string]string{theirServers: servers("notes")})
	defer l.Leave()
	l.Open(theirServers)
	l.waitDiagnosed(theirServers, "does nothing until you trust it")
	if d := l.Diagnostics(theirServers)[0]; d.Range.Start.Line != 2 || d.Range.Start.Character != 4 || d.Range.End.Character != 11 {
		t.Errorf("%+v", d)
	}
	if said := l.hover(theirServers, "notes"); !strings.Contains(said, "it does nothing until you trust it") || strings.Contains(said, os.Args[0]) {
		t.Errorf("the hover says %q", said)
	}
	titles := l.Titles(theirServers, "command")
	if !slices.Equal(titles, []string{"Show what this server would start: notes", "Trust this server: notes"}) {
		t.Errorf("the menu is %q", titles)
	}
	if err := l.Do(theirServers, "command", "Trust this server"); err != nil || !strings.Contains(l.shownText(), `+  "program": "`+os.Args[0]+`"`) {
		t.Errorf("%v, shown:\n%s", err, l.shownText())
	}
	if titles := l.Titles(theirServers, "command"); !slices.Contains(titles, "Trust this server: notes") {
		t.Errorf("it was trusted unseen: %q", titles)
	}
	l.must(l.Do(theirServers, "command", "Trust this server"))
	l.WaitFor("no diagnostics", func() bool { return len(l.Diagnostics(theirServers)) == 0 })
	if said := l.hover(theirServers, "notes"); !strings.Contains(said, "not started. It starts when a message is sent.") || !strings.Contains(said, os.Args[0]) {
		t.Errorf("the hover says %q", said)
	}
	if err := l.Do(theirServers, "command", "Show the log"); err == nil || !strings.Contains(err.Error(), "has not run") {
		t.Error(err)
	}
	l.must(l.Do(theirServers, "command", "Start this server"))
	l.started(1)
	if said := l.hover(theirServers, "notes"); !strings.Contains(said, "running, with the tools `") {
		t.Errorf("the hover says %q", said)
	}
	titles = l.Titles(theirServers, "command")
	if want := []string{"Show the log of this server: notes", "Restart this server: notes", "Stop this server: notes", "Show what this server would start: notes", "Revoke trust in this server: notes"}; !slices.Equal(titles, want) {
		t.Errorf("the menu is %q", titles)
	}
	l.must(l.Do(theirServers, "command", "Restart this server"))
	l.started(2)
	l.must(l.Do(theirServers, "command", "Stop this server"))
	if said := l.hover(theirServers, "notes"); !strings.Contains(said, "stopped by you") {
		t.Errorf("the hover says %q", said)
	}
	l.must(l.Do(theirServers, "command", "Show the log"))
	if text := l.shownText(); !strings.Contains(text, "it is started") || !strings.Contains(text, "<U+001B>[31mhello") || !strings.Contains(text, "it was stopped") {
		t.Errorf("the log is %q", text)
	}
	l.must(l.Do(theirServers, "command", "Start this server"))
	l.started(3)
	l.must(l.Do(theirServers, "command", "Revoke trust"))
	l.waitDiagnosed(theirServers, "does nothing until you trust it")
	if n := len(l.Titles(theirServers, "command")); n != 2 {
		t.Errorf("%d rows", n)
	}
}

// An action that was listed before anything was shown trusts nothing, however often it is chosen.
func TestATwiceChosenActionTrustsNothing(t *testing.T) {
	l := newLab(t, "turn\nhang\n", lsptest.Options{}, map[string]string{theirServers: servers("notes")})
	defer l.Leave()
	l.Open(theirServers)
	actions := l.CodeActions(theirServers, "command")
	for _, a := range actions {
		if strings.HasPrefix(a.Title, "Trust this server") {
			l.must(l.Choose(a))
			l.must(l.Choose(a))
		}
	}
	if titles := l.Titles(theirServers, "command"); len(actions) != 2 || !slices.Contains(titles, "Trust this server: notes") {
		t.Errorf("it is trusted: %q", titles)
	}
	l.must(l.Do(theirServers, "command", "Trust this server"))
	l.WaitFor("no diagnostics", func() bool { return len(l.Diagnostics(theirServers)) == 0 })
}

// What changes between the question and the answer is not trusted: in the file, and in what the command names.
func TestAServerThatChangesWhileItIsReadIsNotTrusted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const script = "{\"mcpServers\": {\"notes\": {\"command\": \"/bin/sh\", \"args\": [\"run.sh\"]}}}\n"
		l := newLab(t, "turn\nhang\n", lsptest.Options{}, map[string]string{theirServers: script, "run.sh": "exit\n"})
		defer l.Leave()
		l.Open(theirServers)
		l.must(l.Do(theirServers, "sh", "Show what this server would start"))
		l.must(os.WriteFile(filepath.Join(l.Dir, "run.sh"), []byte("touch owned\n"), 0o600))
		changed := func(why string) {
			t.Helper()
			if err := l.Do(theirServers, "sh", "Trust this server"); err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%v, want %q", err, why)
			}
			if !slices.Contains(l.Titles(theirServers, "sh"), "Trust this server: notes") {
				t.Error("it is trusted")
			}
		}
		changed("changed since it was shown to you")
		l.must(os.WriteFile(filepath.Join(l.Dir, theirServers), []byte(strings.Replace(script, "run.sh", "other.sh", 1)), 0o600))
		changed("what is on disk counts") // it is not what the editor shows
		l.Replace(theirServers, "run.sh", "third.sh")
		l.Save(theirServers)
		changed("changed since it was shown to you")
		l.Open("run.sh")
		l.Replace(theirServers, "third.sh", "run.sh")
		l.Save(theirServers)
		l.must(l.Do(theirServers, "sh", "Show what this server would start"))
		l.must(l.Do(theirServers, "sh", "Trust this server"))
		l.WaitFor("no diagnostics", func() bool { return len(l.Diagnostics(theirServers)) == 0 })
		l.Type("run.sh", "exit\n")
		l.Save("run.sh")
		l.waitDiagnosed(theirServers, "\n-    \"run.sh\": \"")
		l.Replace(theirServers, "run.sh", "third.sh")
		l.Save(theirServers)
		l.must(l.Do(theirServers, "sh", "Show what this server would start"))
		l.must(l.Do(theirServers, "sh", "Trust this server"))
		l.WaitFor("no diagnostics", func() bool { return len(l.Diagnostics(theirServers)) == 0 })
		l.Replace(theirServers, "third.sh", "fourth.sh")
		l.Save(theirServers)
		l.waitDiagnosed(theirServers, "changed since you trusted it: it does nothing until you trust it again.\n-    \"third.sh\"\n+    \"fourth.sh\"")
		if said := l.hover(theirServers, "notes"); !strings.Contains(said, `+    "fourth.sh"`) {
			t.Errorf("the hover says %q", said)
		}
		l.must(l.Do(theirServers, "sh", "Show what this server would start"))
		if text := l.shownText(); !strings.Contains(text, `+    "fourth.sh"`) {
			t.Errorf("shown: %s", text)
		}
		l.must(l.Do(theirServers, "sh", "Revoke trust"))
	})
}

// Commands about servers do nothing without an open file and a server in it that is meant.
func TestServersNobodyMeant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\nhang\n", lsptest.Options{}, map[string]string{theirServers: servers("notes"), "README.md": "x\n"})
		defer l.Leave()
		l.Open(theirServers)
		l.Open("README.md")
		uri := "file://" + l.Dir + "/"
		for _, command := range []string{"showServer", "trustServer", "revokeServer", "startServer", "stopServer", "restartServer", "showServerLog", "logIn", "logOut"} {
			for _, arguments := range [][]any{
				nil,
				{map[string]any{}},
				{map[string]any{"uri": uri + "README.md", "name": "notes"}},
				{map[string]any{"uri": uri + theirServers}},
				{map[string]any{"uri": uri + theirServers, "name": "no\u202ene"}},
				{map[string]any{"uri": uri + ".mcp.json", "name": "notes"}},
				{map[string]any{"uri": uri + theirServers, "position": map[string]any{"line": 0, "character": 0}}},
			} {
				if _, err := l.Execute("assent."+command, arguments...); err == nil || strings.Contains(err.Error(), "\u202e") {
					t.Errorf("%s %v: %v", command, arguments, err)
				}
			}
		}
	})
}

// The user's own servers need no trust, and are in each folder of the editor; one of a workspace with the same name
// is left out.
func TestTheUsersServersAreServed(t *testing.T) {
	l := newLab(t, "turn\nhang\n", lsptest.Options{}, map[string]string{theirServers: servers("notes"), "inner/README.md": "x\n"})
	defer l.Leave()
	l.must(l.Editor.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{
		"added": []any{map[string]string{"uri": "file://" + l.Dir + "/inner", "name": "inner"}}, "removed": []any{},
	}}))
	mine := l.inConfig("mcp.json", servers("notes"))
	l.Open(mine)
	l.Open(theirServers)
	l.waitDiagnosed(theirServers, "mcp.json has one of this name, which comes first")
	if titles := l.Titles(theirServers, "notes"); len(titles) > 0 {
		t.Errorf("the menu of what is left out is %q", titles)
	}
	if titles := l.Titles(mine, "notes"); !slices.Equal(titles, []string{"Show the log of this server: notes", "Start this server: notes"}) {
		t.Errorf("the menu is %q", titles)
	}
	l.must(l.Do(mine, "notes", "Start this server"))
	l.started(2)
	if said := l.hover(mine, "notes"); !strings.Contains(said, "**notes** in inner: running") {
		t.Errorf("the hover says %q", said)
	}
	for _, command := range []string{"assent.showServer", "assent.trustServer", "assent.revokeServer"} {
		if _, err := l.Execute(command, map[string]any{"uri": "file://" + filepath.Join(l.config, "mcp.json"), "name": "notes"}); err == nil || !strings.Contains(err.Error(), "is your own") {
			t.Errorf("%s: %v", command, err)
		}
	}
	l.must(l.Do(mine, "notes", "Show the log"))
	if text := l.shownText(); !strings.Contains(text, "The server notes in inner:\n") {
		t.Errorf("the log is %q", text)
	}
	l.must(l.Do(mine, "notes", "Stop this server"))
	if said := l.hover(mine, "notes"); strings.Count(said, "stopped by you") != 2 {
		t.Errorf("the hover says %q", said)
	}
	outside, err := filepath.Rel(l.Dir, filepath.Join(t.TempDir(), chat))
	l.must(err)
	l.must(os.WriteFile(filepath.Join(l.Dir, outside), []byte("## You\n\nHello.\n"), 0o600))
	l.Open(outside)
	l.Titles(outside, "Hello")
	if said := l.hover(mine, "notes"); !strings.Contains(said, "**notes** in no folder: not started") {
		t.Errorf("the hover says %q", said)
	}
}

// A folder that the editor closes takes its servers with it, and what was in its files is looked at afresh.
func TestAFolderThatIsClosedEndsItsServers(t *testing.T) {
	const inner = "inner/" + theirServers
	l := newLab(t, "turn\nhang\n", lsptest.Options{}, map[string]string{inner: servers("notes"), theirServers: servers("notes")})
	defer l.Leave()
	folders := func(added, removed []any) {
		l.must(l.Editor.Notify("workspace/didChangeWorkspaceFolders", map[string]any{"event": map[string]any{"added": added, "removed": removed}}))
	}
	folder := []any{map[string]string{"uri": "file://" + l.Dir + "/inner", "name": "inner"}}
	folders(folder, []any{})
	l.Open(inner)
	for times := range 2 {
		if times == 0 {
			l.must(l.Do(inner, "notes", "Trust this server"))
			l.must(l.Do(inner, "notes", "Trust this server"))
		}
		l.must(l.Do(inner, "notes", "Start this server"))
		l.started(times + 1)
		folders([]any{}, folder)
		for end := time.Now().Add(20 * time.Second); ; { // no event of the editor tells it
			logs, err := filepath.Glob(filepath.Join(l.state.Dir(), "servers", "*.log"))
			l.must(err)
			if len(logs) == 1 {
				if log, err := os.ReadFile(logs[0]); err == nil && strings.Contains(string(log), "it was stopped") {
					l.must(os.Remove(logs[0]))
					break
				}
			}
			if time.Now().After(end) {
				t.Fatal("the server goes on")
			}
		}
		if titles := l.Titles(inner, "notes"); len(titles) > 0 {
			t.Errorf("in no folder of the editor there is %q", titles)
		}
		folders(folder, []any{})
		l.Close(inner)
		l.Open(inner)
	}
}

// The server that a person starts and stops where it is declared is the one whose tools a chat uses, and its calls ask.
func TestAChatUsesTheServersOfTheFile(t *testing.T) {
	const script = `turn
json {"tool":"tool_search","arguments":{"query":"get_time"}}
turn
expect-last: notes__get_time
json {"tool":"notes__get_time","arguments":{}}
turn
expect-last: was written by others
json {"answer":"Late."}
turn
json {"tool":"notes__get_time","arguments":{}}
turn
expect-last: There is no tool
json {"answer":"I cannot tell."}
`
	l := newLab(t, script, lsptest.Options{}, map[string]string{theirServers: servers("notes"), chat: "## You\n\nWhat does notes__get_time say?\n"})
	defer l.Leave()
	l.Open(theirServers)
	l.must(l.Do(theirServers, "notes", "Trust this server"))
	l.must(l.Do(theirServers, "notes", "Trust this server"))
	l.Open(chat)
	l.must(l.Do(chat, "What does", "Send"))
	l.waitDiagnostic("Waits for your answer: notes__get_time")
	if said := l.hover(theirServers, "notes"); !strings.Contains(said, "running") {
		t.Errorf("the chat has a server of its own: %q", said)
	}
	l.must(l.Do(chat, "tool notes__get_time", "Approve once"))
	l.WaitText(chat, "Late.")
	l.WaitIdle()
	l.must(l.Do(theirServers, "notes", "Stop this server"))
	l.Type(chat, "And now?\n")
	l.must(l.Do(chat, "And now?", "Send"))
	l.WaitText(chat, "I cannot tell.")
	l.WaitIdle()
	if said := l.hover(theirServers, "notes"); !strings.Contains(said, "stopped by you") {
		t.Errorf("a message started it: %q", said)
	}
	if wrong := l.model.Mismatches(); len(wrong) > 0 {
		t.Error(wrong)
	}
}

// A start that takes long is shown, and who cancels it stops the server, also before its program runs.
func TestAStartIsCancelled(t *testing.T) {
	for _, when := range []string{"at once", "while it starts"} {
		t.Run(when, func(t *testing.T) {
			listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close() //nolint:errcheck // nothing was written
			l := newLab(t, "turn\nhang\n", lsptest.Options{}, nil)
			defer l.Leave()
			declared, _ := json.Marshal(map[string]any{"mcpServers": map[string]any{"slow": map[string]any{
				"command": os.Args[0], "env": map[string]string{isServer: "yes", startsAt: listener.Addr().String(), "GORACE": "atexit_sleep_ms=0"},
			}}})
			mine := l.inConfig("mcp.json", string(declared))
			l.Open(mine)
			l.must(l.Do(mine, "slow", "Start this server"))
			l.WaitFor("the start", func() bool {
				all := l.Progress()
				return len(all) == 1 && all[0].Title == "Starting the server slow"
			})
			var program net.Conn
			if when == "while it starts" {
				program, err = listener.Accept()
				l.must(err)
				if said := l.hover(mine, "slow"); !strings.Contains(said, "starting.") {
					t.Errorf("the hover says %q", said)
				}
			}
			l.CancelProgress()
			l.WaitFor("the end", func() bool {
				return slices.Contains(l.Messages(), "The server slow was stopped before it had started.")
			})
			if said := l.hover(mine, "slow"); !strings.Contains(said, "stopped by you") {
				t.Errorf("the hover says %q", said)
			}
			if program != nil {
				_, _ = program.Read(make([]byte, 1)) // it ends with the program
				l.must(program.Close())
			}
		})
	}
}

// The files of other programs are served if the user says so, and nothing in a file hides what it says.
func TestFilesOfOtherProgramsAreServed(t *testing.T) {
	for _, on := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			config := t.TempDir()
			if err := os.WriteFile(filepath.Join(config, "settings.json"), fmt.Appendf(nil, `{"mcpFiles": %v}`, on), 0o600); err != nil {
				t.Fatal(err)
			}
			hidden := "{\"servers\": {\"no\u202ene\": {\"command\": \"x\"}, \"e\": {\"command\": \"x\u202e\"}, \"f\": {\"command\": \"x\"}, \"ok\": {\"command\": \"y\"}}}\n"
			l := newLabOf(t, config, "turn\nhang\n", lsptest.Options{}, map[string]string{
				".vscode/mcp.json": hidden, ".mcp.json": "{\"a\": {\"command\": \"sh\"}}\n", theirServers: "{\"f\": {\"command\": \"x\"}}\n",
			})
			defer l.Leave()
			l.Open(".vscode/mcp.json")
			l.Open(".mcp.json")
			l.Open(theirServers)
			l.waitDiagnosed(theirServers, "until you trust it")
			if !on {
				synctest.Wait()
				if titles := l.Titles(".mcp.json", "sh"); len(titles) > 0 || len(l.Diagnostics(".mcp.json")) > 0 {
					t.Errorf("it is served: %q", titles)
				}
				return
			}
			l.waitDiagnosed(".mcp.json", "until you trust it")
			var said []string
			l.WaitFor("four", func() bool { return len(l.Diagnostics(".vscode/mcp.json")) == 4 })
			for _, d := range l.Diagnostics(".vscode/mcp.json") {
				said = append(said, d.Message)
			}
			text := strings.Join(said, "\n")
			for _, want := range []string{`The server "no<U+202E>ne" is left out`, "it holds characters that cannot be seen", ".assent/mcp.json has one of this name", "until you trust it"} {
				if !strings.Contains(text, want) || strings.Contains(text, "\u202e") {
					t.Errorf("no %q in %q", want, text)
				}
			}
			l.must(l.Do(".mcp.json", "sh", "Trust this server: a"))
		})
	}
}

// TestASilentServerHoldsUpNoDiagnostics: while a server is asked for its prompts, what is wrong elsewhere is shown at
// once.
func TestASilentServerHoldsUpNoDiagnostics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const other = "other.chat.md"
		dir := t.TempDir()
		for name, text := range map[string]string{
			chat: "## You\n\nHello.\n", other: "## You\n\n", "server.json": `{"prompts": {"review": "x"}, "silent": "prompts/list"}`,
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		state, err := userstate.OpenState(filepath.Join(t.TempDir(), "state"))
		if err != nil {
			t.Fatal(err)
		}
		_, transport := agenttest.StartInMemory(t, "turn\njson {\"answer\":\"Hello.\"}\n")
		l := &lab{Env: lsptest.NewEnv(t, serveWith(t, state, t.TempDir(), transport, withServer(t, dir)), dir, lsptest.Options{})}
		defer l.Leave()
		l.Open(chat)
		l.Open(other)
		l.must(l.Do(chat, "Hello", "Send"))
		l.WaitText(chat, "\nHello.\n\n## You")
		synctest.Wait()
		l.WaitIdle()

		begun := time.Now()
		l.Type(chat, "/notes:none\n")
		time.Sleep(100 * time.Millisecond) // its diagnostics are made
		l.Type(other, "/none of these\n")
		l.waitDiagnosed(other, "There is no command /none")
		if took := time.Since(begun); took > time.Second {
			t.Errorf("it took %v", took)
		}
		l.waitDiagnosed(chat, "There is no command /notes:none") // once the server had its time
	})
}
