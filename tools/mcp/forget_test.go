package mcp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
)

// allows is a person who allows a tool always in the workspace, and a call that runs for it.
func (p *place) allows(d *tools.Dispatcher, tool string) {
	p.Helper()
	q := d.Prepare(p.Context(), call(tool, `{"text": "x"}`))
	for _, o := range q.Decision.Offers {
		if o.Scope == policy.Workspace {
			if err := d.Accept(q, o, "a test"); err != nil {
				p.Fatal(err)
			}
		}
	}
	if r, err := d.Execute(p.Context(), q.Approved(), nil); err != nil || r.Failed {
		p.Fatalf("%+v, %v", r, err)
	}
	p.verdict(d, tool, policy.Run)
}

func (p *place) verdict(d *tools.Dispatcher, tool string, want policy.Verdict) tools.Prepared {
	p.Helper()
	q := d.Prepare(p.Context(), call(tool, `{"text": "x"}`))
	if q.Decision.Verdict != want {
		p.Errorf("%s: %+v, want %v", tool, q.Decision, want)
	}
	return q
}

// A list of what was allowed that is broken is told once, and each tool is asked about until it is allowed again, also
// in the next process. A rule alone, which knows no definition, lets nothing run meanwhile.
func TestABrokenListOfWhatWasAllowed(t *testing.T) {
	p := newPlace(t)
	p.declares("a", fake("echo"))
	d, _ := p.now()
	p.allows(d, "echo")
	path := filepath.Join(p.state.Dir(), "mcp-tools.json")
	if err := os.WriteFile(path, []byte(`{"version": 1, "data": {"server a echo": {"sha`), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		p.restart()
		d, _ = p.now()
		if q := p.verdict(d, "echo", policy.Ask); !strings.Contains(q.Protected, "was broken") || len(q.Decision.Offers) == 0 {
			t.Errorf("%q, %+v", q.Protected, q.Decision.Offers)
		}
	}
	if told := strings.Join(p.state.Problems(), "\n"); strings.Count(told, "mcp-tools.json\" was broken") != 1 {
		t.Error(told)
	}
	p.run(d, "echo", `{"text": "x"}`)
	p.verdict(d, "echo", policy.Ask) // it was approved once, and no more
	p.allows(d, "echo")
	p.restart()
	d, _ = p.now()
	p.verdict(d, "echo", policy.Run)
}

// Who takes back the trust in a server takes back what it was allowed, too, and nothing of others.
func TestWhatWasAllowedEndsWithTheTrust(t *testing.T) {
	p := newPlace(t)
	a := newAuthority(t)
	p.declares("mine", fake("named", "SAYS", said(t, "mine")))
	p.theirs("one", fake("named", "SAYS", said(t, "first")), "two", fake("named", "SAYS", said(t, "second")), "far", a.server())
	for _, name := range []string{"one", "two", "far"} {
		p.trusts(name)
	}
	p.logsIn("far")
	d, problems := p.now()
	if names(d) != "mine first second echo" && names(d) != "mine echo first second" || problems != "" {
		t.Fatal(names(d), problems)
	}
	for _, tool := range []string{"mine", "first", "second"} {
		p.allows(d, tool)
	}
	q := newPlace(t) // another workspace, with servers of the same names
	q.state, q.trust, q.policy = p.state, p.trust, p.policy
	q.restart()
	q.theirs("one", fake("named", "SAYS", said(t, "first")))
	q.trusts("one")
	there, _ := q.now()
	q.allows(there, "first")
	for _, name := range []string{"one", "far"} {
		if err := p.source.Revoke(name); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(p.logins(), "canary") {
		t.Errorf("the login stays: %s", p.logins())
	}
	p.trusts("one")
	p.restart()
	d, _ = p.now()
	for tool, want := range map[string]policy.Verdict{"mine": policy.Run, "first": policy.Ask, "second": policy.Run} {
		if q := p.verdict(d, tool, want); strings.Contains(q.Protected, "You took back the trust") != (tool == "first") {
			t.Errorf("%s: %q", tool, q.Protected)
		}
	}
	if err := p.source.Forget(""); err != nil {
		t.Fatal(err)
	}
	p.verdict(d, "second", policy.Ask)
	p.verdict(d, "mine", policy.Run)
	q.verdict(there, "first", policy.Run)
	pins, err := os.ReadFile(filepath.Join(p.state.Dir(), "mcp-tools.json"))
	if err != nil || strings.Count(string(pins), `"sha256": ""`) != 2 || !strings.Contains(string(pins), "mine") {
		t.Errorf("%s, %v", pins, err)
	}
}

func said(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "says")
	file(t, path, text)
	return path
}

// A file that is behind = in an argument is trusted with its content, as one that stands alone.
func TestAFileBehindAnEqualsSign(t *testing.T) {
	p := newPlace(t)
	file(t, filepath.Join(p.root, "config.json"), "{}")
	p.theirs("a", map[string]any{"command": os.Args[0], "args": []string{"--config=config.json", "--none=", "--url=https://example.org/?a=config.json", "--far=/etc/hosts"}})
	if consent := string(p.consent("a")); strings.Count(consent, `"config.json": "`) != 1 || strings.Contains(consent, "hosts\":") {
		t.Error(consent)
	}
	p.trusts("a")
	file(t, filepath.Join(p.root, "config.json"), `{"changed": true}`)
	if d := p.server("a"); !strings.Contains(d.Why, "changed since you trusted it") {
		t.Errorf("%q", d.Why)
	}
}

// What ends the trust in another process ends the calls of a server that runs in this one.
func TestACallNeedsTheTrustOfNow(t *testing.T) {
	p := newPlace(t)
	p.theirs("a", fake("echo"))
	p.trusts("a")
	d, _ := p.now()
	contains(t, p.run(d, "echo", `{"text": "x"}`).Text(), "echo: x")
	q := *p
	q.sources = nil
	q.restart()
	if err := q.source.Revoke("a"); err != nil {
		t.Fatal(err)
	}
	if r := p.run(d, "echo", `{"text": "x"}`); !r.Failed || !strings.Contains(r.Text(), "Nothing was called: ") || !strings.Contains(r.Text(), "does nothing until you trust it") {
		t.Error(r.Text())
	}
	if err := p.source.Trust(t.Context(), "a", p.consent("a")); err != nil {
		t.Fatal(err)
	}
	contains(t, p.run(d, "echo", `{"text": "x"}`).Text(), "echo: x")
}
