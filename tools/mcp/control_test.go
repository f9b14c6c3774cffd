package mcp_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/mcp"
)

// is checks what a server does.
func (p *place) is(name string, want mcp.Phase) mcp.State {
	p.Helper()
	now := p.source.State(p.server(name))
	if now.Phase != want {
		p.Errorf("%s is %s: %v; want %s", name, now.Phase, now.Last, want)
	}
	return now
}

// A person starts, stops and starts again what messages use, and a message does not start what they stopped.
func TestAPersonStartsAndStopsAServer(t *testing.T) {
	p := newPlace(t)
	p.declares("notes", fake("stays"), "off", map[string]any{"command": "x", "disabled": true})
	p.is("off", mcp.Disabled)
	p.is("notes", mcp.NotStarted)
	if err := p.source.Start(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	if tools := p.is("notes", mcp.Running).Tools; strings.Join(tools, " ") != "pid" {
		t.Errorf("it lists %q", tools)
	}
	pid := func() string {
		d, problems := p.now()
		if problems != "" {
			t.Fatal(problems)
		}
		return d.Registry().Specs()[len(d.Registry().Specs())-1].Description
	}
	first := pid()
	gone := func() bool {
		id, err := strconv.Atoi(first)
		return err == nil && !alive(id)
	}
	if err := p.source.Start(t.Context(), "notes"); err != nil || pid() != first {
		t.Errorf("one that ran was started again: %v", err)
	}
	if err := p.source.Restart(t.Context(), "notes"); err != nil || pid() == first {
		t.Errorf("it was not started again: %v", err)
	}
	for end := time.Now().Add(20 * time.Second); !gone(); {
		if time.Now().After(end) {
			t.Fatal("the one before it goes on")
		}
	}
	p.source.Stop("notes")
	p.is("notes", mcp.Stopped)
	if d, problems := p.now(); names(d) != "" || problems != "" {
		t.Errorf("a message started it: %s %s", names(d), problems)
	}
	p.is("notes", mcp.Stopped)
	if log, err := p.source.Log("notes"); err != nil || !strings.Contains(log, "it was stopped") {
		t.Errorf("%q, %v", log, err)
	}
	if err := p.source.Start(t.Context(), "notes"); err != nil || pid() == first {
		t.Error(err)
	}
	for name, want := range map[string]string{"off": "is disabled", "none": "there is no server", "": "there is no server"} {
		if err := p.source.Start(t.Context(), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// One that failed says why, and whoever asks for it does not wait for a pause.
func TestAServerThatFailedIsStartedAtOnce(t *testing.T) {
	p := newPlace(t)
	p.source.Hurry(30e9, 3600e9, 3600e9)
	starts := filepath.Join(t.TempDir(), "starts")
	p.declares("notes", map[string]any{"command": "/bin/sh", "args": []string{"-c", "echo >>" + starts + "; exit 3"}})
	for range 2 {
		if err := p.source.Start(t.Context(), "notes"); err == nil || !strings.Contains(err.Error(), "the server notes does not work: it ended with status 3") {
			t.Error(err)
		}
		if last := p.is("notes", mcp.Failed).Last; last == nil || !strings.Contains(last.Error(), "status 3") {
			t.Error(last)
		}
	}
	if data, err := os.ReadFile(starts); err != nil || string(data) != "\n\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// A server that is not trusted starts for nobody, and one whose trust is taken back ends.
func TestWhoTakesTrustBackEndsTheServer(t *testing.T) {
	p := newPlace(t)
	p.theirs("notes", fake("echo"))
	p.is("notes", mcp.Inert)
	if err := p.source.Start(t.Context(), "notes"); err == nil || !strings.Contains(err.Error(), "does nothing until you trust it") {
		t.Error(err)
	}
	p.trusts("notes")
	if program, err := p.source.Program(p.server("notes")); err != nil || program != os.Args[0] {
		t.Error(program, err)
	}
	if err := p.source.Start(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	if err := p.source.Revoke("notes"); err != nil {
		t.Fatal(err)
	}
	p.is("notes", mcp.Inert)
	if n := p.source.Servers(); n != 0 {
		t.Errorf("%d servers run", n)
	}
}

// What is wrong in a file has its place.
func TestProblemsHaveTheirPlaces(t *testing.T) {
	for text, want := range map[string]string{
		`{"mcpServers": {"a": {"comand": "x"}}}`:              `"comand"`,
		`{"mcpServers": {"a": {"command": "x", "args": 1}}}`:  `"args"`,
		`{"mcpServers": {"a": {"command": "x", "url": "y"}}}`: `"a"`,
		`{"mcpServers": {}, "inputs": []}`:                    `"inputs"`,
		`{"mcpServers": {"a": {}`:                             ``,
		`["a"]`:                                               `["a"]`,
	} {
		_, problems := mcp.Parse([]byte(text))
		if len(problems) != 1 {
			t.Fatalf("%s: %v", text, problems)
		}
		w := problems[0]
		if got := text[w.Offset : w.Offset+w.Length]; got != want || !strings.HasPrefix(w.Error(), "line 1, column ") {
			t.Errorf("%s: %q: %v", text, got, w)
		}
	}
}

// Each key of a server is in the page.
func TestThePageHasAllKeys(t *testing.T) {
	page, err := os.ReadFile("../../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range mcp.Keys() {
		if !strings.Contains(string(page), "`"+k.Name+"`") {
			t.Errorf("docs/mcp.md does not have %s", k.Name)
		}
	}
}

// A server that is gone before it is spoken to sent nothing, whatever the SDK makes of that.
func TestAServerThatIsGoneSentNothing(t *testing.T) {
	for words, want := range map[string]string{
		"client is closing: %v": "it closed the connection", "calling initialize: client is closing: %w": "it closed the connection",
		"client is closing: invalid character 'x'%.0v": "it sent something that is no message",
	} {
		if err := mcp.WriteToNobody(words); !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", words, err)
		}
	}
}

// Who restarts a server while somebody else does hears of the one that runs then, not of the one that was ended for it.
func TestRestartedTwiceAtOnce(t *testing.T) {
	p := newPlace(t)
	p.declares("notes", fake("stays"))
	outcomes := make(chan error, 3)
	for range cap(outcomes) {
		go func() { outcomes <- p.source.Restart(t.Context(), "notes") }()
	}
	for range cap(outcomes) {
		if err := <-outcomes; err != nil {
			t.Error(err)
		}
	}
	p.is("notes", mcp.Running)
}
