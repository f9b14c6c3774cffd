package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/cmd/assent/asking"
	"github.com/assent-ls/assent/cmd/assent/toolsview"
	"github.com/assent-ls/assent/tools/effect"
)

// servers is a file of one server: this program itself, for the folder of the user.
func (s *user) servers(name string) string {
	s.t.Helper()
	data, err := json.Marshal(map[string]any{"mcpServers": map[string]any{name: map[string]any{
		"command": os.Args[0], "args": []string{"mcp", "serve", "--folder", s.root}, "env": map[string]string{"TOKEN": "canary"},
	}}})
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

// own writes the user's own file of servers.
func (s *user) own(text string) {
	s.t.Helper()
	folder := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "mcp.json"), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// TestAnMCPServerFromTheCommandLine: one that the user declares is listed, started, and its tool called as a person
// allows it.
func TestAnMCPServerFromTheCommandLine(t *testing.T) {
	s := newUser(t, "")
	s.own(s.servers("self"))
	out, notes, status := s.run("mcp", "list", "--folder", s.root)
	if status != 0 || notes != "" || !strings.Contains(out, "self: your own") || !strings.Contains(out, "mcp serve") || strings.Contains(out, "canary") {
		t.Errorf("status %d: %s%s", status, out, notes)
	}
	if out, _, _ := s.run("mcp", "log", "--folder", s.root, "self"); !strings.Contains(out, "It has not run") {
		t.Errorf("it was started to be listed: %s", out)
	}
	out, notes, status = s.run("mcp", "tools", "--folder", s.root)
	if status != 0 || !strings.Contains(out, "self__read_file of server self: ") || strings.Contains(notes, "cannot be used") {
		t.Errorf("status %d: %s%s", status, out, notes)
	}
	_, notes, status = s.run("mcp", "call", "--folder", s.root, "self", "read_file", `{"path":"README.md"}`)
	if status != exitUnanswered || !strings.Contains(notes, "needs an answer") {
		t.Errorf("status %d: %s", status, notes)
	}
	p := s.sitDown(nil, "mcp", "call", "--folder", s.root, "self", "read_file", `{"path":"README.md"}`)
	p.sees("self__read_file wants: of server self")
	p.sees(lastChoice)
	p.types("y\n")
	if status, screen := p.leaves(); status != 0 || !strings.Contains(screen, "Helo") {
		t.Errorf("status %d: %s", status, screen)
	}
	if out, _, _ := s.run("mcp", "log", "--folder", s.root, "self"); !strings.Contains(out, "it is started") {
		t.Errorf("the log says %s", out)
	}
}

// TestAnMCPServerOfAWorkspaceIsTrustedByItself: trust in the folder is not trust in its server.
func TestAnMCPServerOfAWorkspaceIsTrustedByItself(t *testing.T) {
	s := newUser(t, "")
	if err := os.Mkdir(filepath.Join(s.root, ".assent"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.file(".assent/mcp.json", s.servers("theirs"))
	out, _, _ := s.run("trust", "--yes", s.root)
	if !strings.Contains(out, "not trusted: the server theirs of .assent/mcp.json does nothing until you trust it") {
		t.Errorf("trusted with the folder: %s", out)
	}
	if out, notes, _ := s.run("mcp", "tools", "--folder", s.root); out != "" || !strings.Contains(notes, "does nothing until you trust it") {
		t.Errorf("%s%s", out, notes)
	}
	out, _, status := s.run("mcp", "trust", "--folder", s.root, "theirs")
	if status != 0 || !strings.Contains(out, `"program": "`+os.Args[0]) || !strings.Contains(out, `"TOKEN": "canary"`) || !strings.Contains(out, "--yes theirs") {
		t.Errorf("status %d: %s", status, out)
	}
	if out, _, status := s.run("mcp", "trust", "--folder", s.root, "--yes", "theirs"); status != 0 || !strings.Contains(out, "\ntrusted: theirs") {
		t.Errorf("status %d: %s", status, out)
	}
	if out, notes, _ := s.run("mcp", "tools", "--folder", s.root); !strings.Contains(out, "theirs__read_file of server theirs of the workspace") {
		t.Errorf("%s%s", out, notes)
	}
	if out, _, _ := s.run("trust", s.root); !strings.Contains(out, "trusted: the MCP server theirs of .assent/mcp.json") {
		t.Error(out)
	}
	if out, _, status := s.run("mcp", "trust", "--folder", s.root, "--revoke", "theirs"); status != 0 {
		t.Errorf("status %d: %s", status, out)
	}
	if out, _, _ := s.run("mcp", "list", "--folder", s.root); !strings.Contains(out, "does nothing until you trust it") {
		t.Error(out)
	}
}

// TestServersForOneLaunch: the flag takes JSON or a file, and what is wrong with it ends the program.
func TestServersForOneLaunch(t *testing.T) {
	s := newUser(t, "")
	s.file("servers.json", s.servers("launched"))
	for _, value := range []string{s.servers("launched"), "@" + filepath.Join(s.root, "servers.json"), `{"launched": {"command": "x"}}`} {
		if out, notes, status := s.run("mcp", "list", "--folder", s.root, "--mcp-server", value); status != 0 || !strings.Contains(out, "launched: your own (--mcp-server)") {
			t.Errorf("%s: status %d: %s%s", value, status, out, notes)
		}
	}
	for _, value := range []string{"{", "{}", "@/nowhere", `{"a": {"comand": "x"}}`} {
		if _, notes, status := s.run("mcp", "list", "--folder", s.root, "--mcp-server", value); status != exitUsage || !strings.Contains(notes, "--mcp-server: ") {
			t.Errorf("%s: status %d: %s", value, status, notes)
		}
	}
}

// TestAnMCPServerAsksAtATerminal: a server asks during its call, here whether the call may run, and is answered at the terminal: in a run
// and for a call by hand. Where there is no terminal it gets no answer, whatever was approved.
func TestAnMCPServerAsksAtATerminal(t *testing.T) {
	const write = `{"path":"other.txt","content":"other"}`
	for _, byHand := range []bool{true, false} {
		for answer, want := range map[string]bool{"2": true, "1": false, "n": false, "y": true} {
			s := newUser(t, "turn\ncall self__write_file "+write+"\nturn\nsay Over.\n")
			s.own(s.servers("self"))
			args := []string{"run", "--folder", s.root, "--tool-format", "native", "Write it."}
			if byHand {
				args = []string{"mcp", "call", "--folder", s.root, "self", "write_file", write}
			}
			p := s.sitDown(nil, args...)
			p.sees("self__write_file wants: of server self")
			p.sees(lastChoice)
			p.types("y\n")
			p.sees("The server self asks: ")
			p.sees("What you answer goes to the server self.")
			p.sees("[2] Approve once")
			p.sees("[n] deny: ")
			p.types(answer + "\n")
			if answer == "y" {
				p.sees(`answer (one of "Deny", "Approve once"): `)
				p.types("Approve once\n")
			}
			_, screen := p.leaves()
			_, err := os.Stat(filepath.Join(s.root, "other.txt"))
			if written := err == nil; written != want {
				t.Errorf("by hand %v, %q: written %v:\n%s", byHand, answer, written, screen)
			}
			if byHand {
				continue
			}
			if _, text := s.chat(); !strings.Contains(text, "```context asked not-sent\nThe server self, whose tool write_file runs, asks you something.") {
				t.Errorf("the chat has\n%s", text)
			}
		}
	}
	call := event.AskedCall{Tool: "echo", Effect: effect.Calls}
	approves := &asking.Answerer{Approve: []string{"echo"}}
	if !approves.CanAsk(event.Question{AskedCall: call}) || approves.CanAsk(event.Question{AskedCall: call, From: "the server notes"}) {
		t.Error("who approves a tool answers what its server asks")
	}
}

// TestAMessageUsesWhatAnMCPServerHas: a resource and a prompt of a server, in a message of the command line.
func TestAMessageUsesWhatAnMCPServerHas(t *testing.T) {
	s := newUser(t, "turn\nexpect: Helo\nsay Read.\n")
	s.own(s.servers("self"))
	if _, notes, status := s.run("run", "--folder", s.root, "Read @self:file://"+s.root+"/README.md"); status != 0 {
		t.Fatalf("status %d: %s", status, notes)
	}
	if _, text := s.chat(); !strings.Contains(text, "```context resource self:file://"+s.root+"/README.md\n[What stands between") {
		t.Errorf("the chat has\n%s", text)
	}
	if _, notes, status := s.run("run", "--folder", s.root, "/self:nothing here"); status == 0 || !strings.Contains(notes, `the server self has no prompt "nothing"`) {
		t.Errorf("status %d: %s", status, notes)
	}
}

// chatty is a server that says very often how far its call is, and then answers.
const chatty = `while read -r line; do
	id=$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
	case $line in
	*'"method":"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"chatty","version":"1"}}' ;;
	*'"method":"tools/list"'*) result='{"tools":[{"name":"talk","inputSchema":{"type":"object"}}]}' ;;
	*'"method":"tools/call"'*)
		n=0
		while [ $n -lt 3000 ]; do
			n=$((n+1))
			echo '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"call 1","progress":'$n',"message":"step '$n'"}}'
		done
		result='{"content":[{"type":"text","text":"all said"}]}' ;;
	*'"id":'*)
		echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32601,"message":"no such method"}}'
		continue ;;
	*) continue ;;
	esac
	echo '{"jsonrpc":"2.0","id":'$id',"result":'$result'}'
done`

// TestAServerThatTalksALot: what a server says about how far its call is does not fill the terminal.
// F11.
func TestAServerThatTalksALot(t *testing.T) {
	s := newUser(t, "")
	data, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"chatty": map[string]any{"command": "/bin/sh", "args": []string{"-c", chatty}}}})
	if err != nil {
		t.Fatal(err)
	}
	s.own(string(data))
	p := s.sitDown(nil, "mcp", "call", "--folder", s.root, "chatty", "talk")
	p.sees(lastChoice)
	p.types("y\n")
	p.sees("all said")
	_, screen := p.leaves()
	if steps := strings.Count(screen, "step "); steps < 10 || steps > toolsview.MaxNotes || strings.Count(screen, "not shown") != 1 {
		t.Errorf("%d steps:\n%.2000s", steps, screen)
	}
}
