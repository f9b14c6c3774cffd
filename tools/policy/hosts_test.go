package policy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
)

// Promise 6. Promise 9.
func TestWhatACommandMayReachByRule(t *testing.T) {
	const npm = `{"tool":"run_command","command":"npm install **","hosts":["Registry.example.","b.example:8443"]}`
	for _, c := range []struct {
		rules, line, want string
		mode              policy.Mode
	}{
		{`"allow":[` + npm + `]`, "npm install left-pad", "b.example:8443 registry.example", ""},
		{`"allow":[` + npm + `]`, "cat package.json && npm install", "b.example:8443 registry.example", ""},
		{`"allow":[` + npm + `]`, "npm install", "", policy.ModePlan},
		{`"allow":[` + npm + `]`, "ls", "", ""},
		{`"allow":[` + npm + `]`, "npm test", "asked", ""},
		{`"allow":[` + npm + `]`, "npm test", "", policy.ModeFull},
		{`"allow":[{"tool":"run_command","command":"npm install **"},` + npm + `]`, "npm install", "b.example:8443 registry.example", ""},
		// each program of the line needs a rule with the host
		{`"allow":[` + npm + `,{"tool":"run_command","command":"curl **"}]`, "npm install && curl http://registry.example", "", ""},
		{`"allow":[` + npm + `,{"tool":"run_command","command":"go get **","hosts":["registry.example"]}]`, "npm install && go get a", "registry.example", ""},
		{`"allow":[` + npm + `],"deny":[{"host":"registry.example"}]`, "npm install", "b.example:8443", ""},
		{`"allow":[` + npm + `],"ask":[{"host":"b.example"}]`, "npm install", "registry.example", ""},
		{`"allow":[` + npm + `],"deny":[{"effect":"fetches","host":"example"}]`, "npm install", "", ""},
		{`"allow":[` + npm + `],"deny":[{"command":"npm **","host":"registry.example"}]`, "npm install", "b.example:8443", ""},
		{`"allow":[` + npm + `],"deny":[{"tool":"web_fetch","host":"registry.example"}]`, "npm install", "b.example:8443 registry.example", ""},
		{`"allow":[` + npm + `],"ask":[{"command":"npm install **"}]`, "npm install", "asked", ""},
	} {
		p := ruled(t, "{"+c.rules+"}")
		q := runLine(c.line)
		q.Mode, q.Tried = c.mode, c.mode == policy.ModePlan
		d := p.Decide(q)
		got := strings.Join(d.Hosts, " ")
		if d.Verdict == policy.Ask {
			got = "asked" + got
		}
		if got != c.want {
			t.Errorf("%s %s: %q, %+v", c.rules, c.line, got, d)
		}
	}
}

// Promise 6.
func TestAWorkspaceLetsNoCommandReachAnything(t *testing.T) {
	dir := t.TempDir()
	ws, err := workspace.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	write(t, filepath.Join(dir, policy.WorkspaceFile), `{"allow":[{"tool":"run_command","command":"npm **","hosts":["evil.example"]}]}`)
	p := policy.New(newState(t, filepath.Join(t.TempDir(), "state")))
	own := filepath.Join(t.TempDir(), "permissions.json")
	write(t, own, `{"allow":[{"tool":"run_command","command":"npm **"}]}`)
	p.UseFiles(own, func(string, string, []byte) (bool, string) { return true, "" })
	p.Enter(ws)
	q := runLine("npm install")
	q.Workspace = ws.Key()
	if d := p.Decide(q); d.Verdict != policy.Run || len(d.Hosts) != 0 {
		t.Errorf("%+v", d)
	}
}

func TestRulesWithHostsThatAreWrong(t *testing.T) {
	for rules, want := range map[string]string{
		`"deny":[{"command":"npm **","hosts":["a.example"]}]`:                                                  `in one that denies or asks write "host"`,
		`"allow":[{"tool":"run_command","hosts":["a.example"]}]`:                                               `needs a "command"`,
		`"allow":[{"command":"npm **","hosts":["*.example"]}]`:                                                 "is no host such as",
		`"allow":[{"command":"npm **","hosts":["https://a/"]}]`:                                                "is no host such as",
		`"allow":[{"command":"npm **","hosts":[]}]`:                                                            "it is a list of texts",
		`"allow":[{"command":"npm **","host":"a.example"}]`:                                                    `What a command may reach is in "hosts"`,
		`"allow":[{"command":"npm **"},{"command":"npm install"}]`:                                             "does nothing",
		`"allow":[{"command":"npm **","hosts":["a.example"]}]`:                                                 "",
		`"allow":[{"command":"npm **"},{"command":"npm install","hosts":["a.example"]}]`:                       "",
		`"allow":[{"command":"npm **","hosts":["a.example"]},{"command":"npm install","hosts":["A.example"]}]`: "does nothing",
		`"allow":[{"command":"npm **","hosts":["a.example"]}],"deny":[{"command":"npm **"}]`:                   "allows nothing",
	} {
		_, problems := policy.Parse("the file", []byte("{"+rules+"}"))
		said := ""
		for _, p := range problems {
			said += p.Message
		}
		if want == "" && said != "" || !strings.Contains(said, want) {
			t.Errorf("%s: %q", rules, said)
		}
	}
}

// No answer gives a rule with hosts, so none that is kept as one counts.
// Promise 6.
func TestNoGrantHasHosts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	p := policy.New(newState(t, dir))
	q := runLine("npm install")
	for _, offer := range p.Decide(q).Offers {
		if offer.Scope != policy.Workspace {
			continue
		}
		if _, err := p.Accept(offer, "test"); err != nil {
			t.Fatal(err)
		}
	}
	if d := p.Decide(q); d.Verdict != policy.Run {
		t.Fatalf("%+v", d)
	}
	file := filepath.Join(dir, "permissions.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const is = `"command": "npm install **"`
	if !strings.Contains(string(text), is) {
		t.Fatalf("%s", text)
	}
	write(t, file, strings.Replace(string(text), is, is+`,"hosts":["a.example"]`, 1))
	if d := policy.New(newState(t, dir)).Decide(q); d.Verdict != policy.Ask || len(d.Hosts) > 0 {
		t.Errorf("%+v", d)
	}
}
