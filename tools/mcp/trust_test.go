package mcp_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/policy"
)

// server is what is declared under a name.
func (p *place) server(name string) mcp.Declared {
	p.Helper()
	list, problems := p.source.Declared(p.Context())
	for _, d := range list {
		if d.Name == name {
			return d
		}
	}
	p.Fatalf("there is no server %s: %v", name, problems)
	return mcp.Declared{}
}

// consent is what a person trusts with a server as it is now.
func (p *place) consent(name string) []byte {
	p.Helper()
	text, err := p.source.Consent(p.server(name))
	if err != nil {
		p.Fatal(err)
	}
	return text
}

// trusts is a person who trusts a server as it is now.
func (p *place) trusts(name string) {
	p.Helper()
	if err := p.source.Trust(p.Context(), name, p.consent(name)); err != nil {
		p.Fatal(err)
	}
}

// S07: a server of the workspace does nothing until it is trusted: no process starts, no secret is looked up. Any
// change of what it says, or of what that leads to, takes the trust away, also in another process.
func TestAWorkspacesServerIsInertUntilItIsTrusted(t *testing.T) {
	t.Setenv("TOKEN", "canary-secret")
	bin := t.TempDir()
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	marks := filepath.Join(t.TempDir(), "started")
	script := "#!/bin/sh\ntouch " + marks + "\nexec " + os.Args[0] + "\n"
	p := newPlace(t)
	file(t, filepath.Join(bin, "fake-server"), script)
	file(t, filepath.Join(p.root, "config.json"), "{}")
	before := map[string]any{
		"command": "fake-server", "args": []string{"config.json"}, "cwd": ".",
		"env": map[string]string{fakeMode: "echo", "TOKEN": "${env:TOKEN}"},
	}
	write := func(key string, value any) {
		now := map[string]any{}
		maps.Copy(now, before)
		if key != "" {
			now[key] = value
		}
		p.theirs("notes", now)
	}
	write("", nil)
	inert := func(what, why string) {
		t.Helper()
		_ = os.Remove(marks)
		d, problems := p.now()
		p.restart()
		if _, err := os.Stat(marks); err == nil || names(d) != "" {
			t.Errorf("%s: it was started: %s", what, names(d))
		}
		contains(t, problems, why)
	}
	inert("new", "does nothing until you trust it: `assent mcp trust notes` shows it")
	if consent := string(p.consent("notes")); strings.Contains(consent, "canary") || !strings.Contains(consent, "${env:TOKEN}") || !strings.Contains(consent, filepath.Join(bin, "fake-server")) {
		t.Errorf("a person is asked to trust %s", consent)
	}
	if err := p.source.Trust(t.Context(), "notes", []byte("{}")); err == nil {
		t.Error("something else than what stands there is trusted")
	}
	p.trusts("notes")
	d, problems := p.now()
	if names(d) != "echo" || problems != "" {
		t.Fatalf("trusted, and there is %q: %s", names(d), problems)
	}
	if q := d.Prepare(t.Context(), call("echo", `{"text":"x"}`)); q.Spec.Origin != "server notes of the workspace" || q.Decision.Verdict != policy.Ask {
		t.Errorf("%+v", q)
	}
	const why = "changed since you trusted it: `assent mcp trust notes` shows how"
	for key, value := range map[string]any{
		"command": filepath.Join(bin, "fake-server"), "args": []string{"config.json", "-x"}, "cwd": "..",
		"env": map[string]string{fakeMode: "echo", "TOKEN": "${env:TOKEN}", "MORE": ""},
	} {
		write(key, value)
		inert(key, why)
		write("", nil)
	}
	write("env", map[string]string{fakeMode: "shadow", "TOKEN": "${env:TOKEN}"})
	inert("the value of a variable", why)
	write("env", map[string]string{fakeMode: "echo", "TOKEN": "${env:OTHER}"})
	inert("a reference", why)
	write("", nil)
	file(t, filepath.Join(p.root, "config.json"), `{"changed": true}`)
	inert("a file that it names", why)
	file(t, filepath.Join(p.root, "config.json"), "{}")
	other := t.TempDir()
	file(t, filepath.Join(other, "fake-server"), script)
	t.Setenv("PATH", other+":"+os.Getenv("PATH"))
	inert("the program that the name is", why)
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	if d, problems := p.now(); names(d) != "echo" {
		t.Errorf("as it was, and there is %q: %s", names(d), problems)
	}
	if err := p.source.Revoke("notes"); err != nil {
		t.Fatal(err)
	}
	p.restart()
	inert("revoked", "does nothing until you trust it")
}

// The fields of servers elsewhere are trusted likewise.
func TestTrustInAServerElsewhere(t *testing.T) {
	p := newPlace(t)
	before := map[string]any{"url": "https://example.org/mcp", "headers": map[string]string{"Authorization": "Bearer ${env:TOKEN}"}}
	p.theirs("remote", before)
	p.trusts("remote")
	if d := p.server("remote"); d.Why != "" {
		t.Fatal(d.Why)
	}
	for _, changed := range []map[string]any{
		{"url": "https://example.org/other", "headers": before["headers"]},
		{"url": before["url"], "headers": map[string]string{"Authorization": "Bearer ${env:OTHER}"}},
		{"url": before["url"]},
		{"url": before["url"], "headers": before["headers"], "type": "sse"},
	} {
		p.theirs("remote", changed)
		if d := p.server("remote"); !strings.Contains(d.Why, "changed since you trusted it") {
			t.Errorf("%v is trusted: %q", changed, d.Why)
		}
	}
}

// What a person trusted in one workspace, or trusts of files, says nothing of servers elsewhere.
func TestTrustIsOfOneServer(t *testing.T) {
	p := newPlace(t)
	p.theirs("a", fake("echo"), "b", fake("echo"))
	p.trusts("a")
	if d := p.server("b"); d.Why == "" {
		t.Error("another server is trusted, too")
	}
	files, err := p.trust.List(t.Context(), p.ws)
	if err != nil || len(files) > 0 {
		t.Errorf("a server is listed as a file: %v, %v", files, err)
	}
	q := newPlace(t)
	q.trust = p.trust
	q.restart()
	q.theirs("a", fake("echo"))
	if d := q.server("a"); d.Why == "" {
		t.Error("it is trusted in another workspace")
	}
	if err := p.trust.Revoke(p.ws.Key(), ""); err != nil {
		t.Fatal(err)
	}
	if d := p.server("a"); d.Why == "" {
		t.Error("all was taken back, and it is trusted")
	}
}

// S21: a server gets nothing of the program's environment but what its declaration names, and a value that came by
// reference is neither shown nor logged. The user's own server does not start in the workspace.
func TestAServerGetsWhatItsDeclarationNames(t *testing.T) {
	t.Setenv("CANARY", "canary-of-the-environment")
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GITHUB_TOKEN", "canary-of-the-token")
	secret := filepath.Join(t.TempDir(), "key")
	file(t, secret, "canary-of-the-file\n")
	p := newPlace(t)
	p.declares("env", fake("env", "TOKEN", "${env:GITHUB_TOKEN}", "KEY", "Bearer ${file:"+secret+"}", "PLAIN", "as it is"))
	d, problems := p.now()
	r := p.run(d, "env", `{}`)
	said := r.Text()
	contains(t, said, "PLAIN=as it is", "TOKEN=[secret]", "KEY=Bearer [secret]", "HOME="+os.Getenv("HOME"), "PATH=", "in "+os.Getenv("HOME"))
	log := p.log("env")
	contains(t, log, "token [secret]")
	for _, text := range []string{said, log, problems} {
		if strings.Contains(text, "canary") {
			t.Errorf("a secret is shown in %s", text)
		}
	}
	p.restart()
	p.declares("env", fake("env", "TOKEN", "${env:NOT_SET}"))
	_, problems = p.now()
	contains(t, problems, "The server env: does not work: the environment variable NOT_SET, which env TOKEN refers to, is not set")
}

// S26: a file is read strictly, and one bad server hides no other.
func TestFilesAreReadStrictly(t *testing.T) {
	for text, want := range map[string]string{
		`{"mcpServers": {"a": {"command": "x", "Command": "y"}}}`:                   `there is no key "Command"`,
		`{"mcpServers": {"a": {"command": "x", "command": "y"}}}`:                   "stands here twice",
		`{"mcpServers": {"a": {"command": "x", "envFile": ".env"}}}`:                `there is no key "envFile"; the keys are command, args`,
		`{"mcpServers": {}, "inputs": []}`:                                          `there is no key "inputs" here`,
		`{"mcpServers": {}, "servers": {}}`:                                         "both mcpServers and servers",
		`{"mcpServers": []}`:                                                        "must be an object of servers",
		`[]`:                                                                        "it holds no object",
		`{"mcpServers": {"a": {"command": "x", "args": "y"}}}`:                      "args must not be a JSON string",
		`{"mcpServers": {"a": {"command": "x", "url": "http://y"}}}`:                "has no url and no headers",
		`{"mcpServers": {"a": {"url": "ftp://y"}}}`:                                 "begins with http:// or https://",
		`{"mcpServers": {"a": {"url": "https://u:p@y"}}}`:                           "no user name and no password",
		`{"mcpServers": {"a": {"url": "https://y/${env:TOKEN}"}}}`:                  "write a secret into headers",
		`{"mcpServers": {"a": {"command": "x", "env": {"ASSENT_MCP_SERVER": ""}}}}`: "is set by Assent alone",
		`{"mcpServers": {"a": {}}}`:                                                 "neither a command nor a url",
		`{"mcpServers": {"a": {"type": "carrier pigeon", "url": "https://y"}}}`:     "is not known; there are stdio",
		`{"mcpServers": {"a b": {"command": "x"}}}`:                                 "its name must be",
		`{"mcpServers": {"a": {"command": "x\u202e"}}}`:                             "cannot be seen",
		`{"mcpServers": {"a": {"command": "x", "env": {"A=B": "c"}}}}`:              "no name of a variable",
		`{"mcpServers": {"a": {"command": "x", "env": {"A": 1}}}}`:                  "must not be a JSON number",
		`{"mcpServers": {"a": "x"}}`:                                                "it must be an object",
		`{"mcpServers": {"a": {"command": "x"}`:                                     "this is not JSON",
		`{"mcpServers": {"a": {"command": "x"}}, "mcpServers": {}}`:                 "stands here twice",
		`{"mcpServers": {"a": {"command": "x", "headers": {"A": "b"}}}}`:            "no headers",
		`{"mcpServers": {"a": {"type": "http", "url": "https://y", "cwd": "/"}}}`:   "no command, args, env and cwd",
	} {
		_, problems := mcp.Parse([]byte(text))
		if len(problems) != 1 || !strings.Contains(problems[0].Error(), want) {
			t.Errorf("%s: %v, want %q", text, problems, want)
		}
	}
	for _, text := range []string{
		`{"mcpServers": {"good": {"command": "x"}, "bad": {"comand": "x"}}}`,
		"{ // mine\n \"servers\": {\"good\": {\"command\": \"x\", \"disabled\": false,},},}",
		`{"good": {"command": "x"}}`,
	} {
		servers, _ := mcp.Parse([]byte(text))
		if len(servers) != 1 || servers[0].Name != "good" || servers[0].Kind != mcp.Stdio {
			t.Errorf("%s: %+v", text, servers)
		}
	}
}

// A name is one server's: the user's own comes first, and what they allow for it is not for one of the workspace.
func TestAWorkspaceCannotTakeANameOfTheUsers(t *testing.T) {
	p := newPlace(t)
	p.declares("notes", fake("echo"))
	p.theirs("notes", fake("shadow"))
	d, problems := p.now()
	contains(t, problems, `the server "notes" is left out, because `+p.own+" has one of this name")
	if names(d) != "echo" {
		t.Errorf("the tools are %s", names(d))
	}
}

// The files of other programs are read only if the user says so, and what they declare is as inert as the rest.
func TestFilesOfOtherPrograms(t *testing.T) {
	p := newPlace(t)
	data, err := json.Marshal(map[string]any{"servers": map[string]any{"theirs": fake("echo")}})
	if err != nil {
		t.Fatal(err)
	}
	file(t, filepath.Join(p.root, ".vscode", "mcp.json"), string(data))
	if list, problems := p.source.Declared(t.Context()); len(list)+len(problems) > 0 {
		t.Errorf("%v, %v", list, problems)
	}
	on := mcp.New(mcp.Options{Others: func() bool { return true }, Workspace: p.ws, Trust: p.trust, State: p.state})
	list, _ := on.Declared(t.Context())
	if len(list) != 1 || !strings.Contains(list[0].Why, "does nothing until you trust it") || list[0].File != ".vscode/mcp.json" {
		t.Errorf("%+v", list)
	}
}

// A server that starts again within a run is the one that was trusted, or does not start.
func TestAServerThatChangedDoesNotStartAgain(t *testing.T) {
	for _, revoked := range []bool{false, true} {
		p := newPlace(t)
		p.source.Hurry(30e9, 1, 1)
		program := filepath.Join(p.root, "server.sh")
		file(t, program, "#!/bin/sh\nexec "+os.Args[0]+"\n")
		p.theirs("notes", map[string]any{"command": "./server.sh", "env": map[string]string{fakeMode: "echo"}})
		p.trusts("notes")
		d, problems := p.now()
		if problems != "" {
			t.Fatal(problems)
		}
		q := d.Prepare(t.Context(), call("echo", `{"text":"x"}`))
		marks := filepath.Join(t.TempDir(), "started")
		want := "changed since you trusted it"
		if revoked {
			want = "does nothing until you trust it"
			other := mcp.New(mcp.Options{Workspace: p.ws, Trust: p.trust, State: p.state}) // as another process does it
			if err := other.Revoke("notes"); err != nil {
				t.Fatal(err)
			}
		} else {
			file(t, program, "#!/bin/sh\ntouch "+marks+"\nexec "+os.Args[0]+"\n")
		}
		p.source.Kill("notes")
		r, err := d.Execute(t.Context(), q.Approved(), nil)
		if err != nil || !r.Failed || !strings.Contains(r.Text(), want) {
			t.Errorf("revoked %v: %+v, %v", revoked, r, err)
		}
		if _, err := os.Stat(marks); err == nil {
			t.Error("what was changed was started")
		}
	}
}

// Of a server that was never trusted nothing is looked at but its declaration, and what a person is asked to read, and
// reads from disk for it, is bounded.
func TestWhatIsLookedAtForTrust(t *testing.T) {
	p := newPlace(t)
	p.theirs("far", map[string]any{"command": "/nowhere/at/all"})
	if why := p.server("far").Why; !strings.Contains(why, "does nothing until you trust it") {
		t.Errorf("the program was looked for: %s", why)
	}
	file(t, filepath.Join(p.root, "big"), strings.Repeat("x", 40<<20))
	file(t, filepath.Join(p.root, "more"), strings.Repeat("x", 40<<20))
	for want, args := range map[string][]string{
		"":                                      {"big", "./big", "big"},
		"the files that it names have more":     {"big", "more"},
		"which nobody reads before trusting it": {strings.Repeat("x", 70<<10)},
	} {
		p.theirs("large", map[string]any{"command": os.Args[0], "args": args})
		if _, err := p.source.Consent(p.server("large")); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
