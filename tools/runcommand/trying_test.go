//go:build linux && (amd64 || arm64)

package runcommand_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/toolstest"
)

// trying runs a command that nobody approved, in a mode.
func trying(b *toolstest.Bench, mode policy.Mode, line string, p *toolstest.Person) (tools.Result, error) {
	b.Helper()
	call := b.Call("run_command", toolstest.Args("command", line))
	call.Mode = func() policy.Mode { return mode }
	prepared := b.Dispatcher.Prepare(b.Context(), call)
	if prepared.Answered != nil {
		return *prepared.Answered, errors.New("it is refused")
	}
	return b.Dispatcher.Execute(b.Context(), prepared, p)
}

// With the setting "try" a command needs no approval, and what it changed does. The modes mean what they always do.
// Promise 1, 4.
func TestCommandsAreTriedUnasked(t *testing.T) {
	const line = "echo 2 >>a; rm sub/x; echo said"
	for _, c := range []struct {
		mode    policy.Mode
		asked   int
		applied bool // the edit; what is removed is asked about but in full
	}{{policy.ModeAsk, 1, false}, {policy.ModeEdits, 1, true}, {policy.ModePlan, 0, false}, {policy.ModeFull, 0, true}} {
		b := toolstest.ConfinedBench(t)
		if r, err := trying(b, policy.ModeAsk, line, nil); !errors.Is(err, tools.ErrNotApproved) {
			t.Fatalf("without the setting: %v, %s", err, r.Text())
		}
		b.Tries = true
		p := &toolstest.Person{}
		r, err := trying(b, c.mode, line, p)
		if err != nil || len(p.Asked) != c.asked {
			t.Fatalf("%s: %v, asked %d times: %s", c.mode, err, len(p.Asked), r.Text())
		}
		b.Contains(r.Text(), "said\n[Exit status 0.]")
		if got := b.OnDisk("a") == "1\n2\n"; got != c.applied {
			t.Errorf("%s: a holds %q", c.mode, b.OnDisk("a"))
		}
		if _, err := os.Stat(filepath.Join(b.Dir, "sub/x")); (err != nil) != (c.mode == policy.ModeFull) {
			t.Errorf("%s: sub/x: %v", c.mode, err)
		}
		if c.mode == policy.ModePlan {
			b.Contains(r.Text(), "Not applied: sub/x, a (The user chose the mode plan")
		}
	}
}

// What rules deny or ask about is as ever, and so is what no sandbox confines or nobody understands where a rule may be
// about it.
// Promise 1, 6.
func TestRulesHoldForTriedCommands(t *testing.T) {
	for name, c := range map[string]struct {
		rules, line string
		want        string // "run", "ask" or "refuse"
	}{
		"none":                      {`{}`, "./build", "run"},
		"not understood":            {`{}`, "echo $(date) >a", "run"},
		"denied":                    {`{"deny":[{"command":"./build **"}]}`, "./build x", "refuse"},
		"asked about":               {`{"ask":[{"command":"./build **"}]}`, "./build x", "ask"},
		"a rule, not understood":    {`{"ask":[{"command":"rm **"}]}`, "echo $(rm a)", "ask"},
		"a broken file of rules":    {`{`, "./build", "ask"},
		"characters nobody can see": {`{}`, "./build \u202e", "ask"},
		"a protected file":          {`{}`, "./build >.envrc", "ask"},
	} {
		b := toolstest.ConfinedBench(t)
		b.Tries = true
		b.Rules(c.rules)
		p := b.Prepare("run_command", toolstest.Args("command", c.line))
		got := map[policy.Verdict]string{policy.Run: "run", policy.Ask: "ask"}[p.Decision.Verdict]
		if p.Answered != nil {
			got = "refuse"
		}
		if got != c.want {
			t.Errorf("%s: %s, since %s", name, got, p.Decision.Reason)
		}
	}
	b := toolstest.ConfinedBench(t)
	b.Tries = true
	call := b.Call("run_command", toolstest.Args("command", "./build"))
	call.Outside = true
	if p := b.Dispatcher.Prepare(t.Context(), call); p.Decision.Verdict != policy.Ask {
		t.Error("what runs outside runs unasked")
	}
}

// A command that nobody approved sees nothing that reading asks about, and what it writes there is left out: it would
// replace what it did not see.
// Promise 4, 10.
func TestATriedCommandSeesNoMoreThanWhatReads(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	b.Git("remote", "add", "origin", "https://user:token@example.org/x")
	b.Write(".npmrc", "//registry/:_authToken=canary-1\n")
	config := b.OnDisk(".git/config")
	b.Tries = true
	p := &toolstest.Person{Yes: true}
	r, err := trying(b, policy.ModeAsk, `sh -c "cat .npmrc .git/config .env; echo x >>.npmrc; git config user.name Eve; echo 'a diff' >>.git/info/attributes; echo 2 >>a"`, p)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"canary-1", "token", "KEY=x"} {
		if strings.Contains(r.Text(), secret) {
			t.Errorf("the command saw %q:\n%s", secret, r.Text())
		}
		for _, q := range p.Asked {
			if strings.Contains(q.Text, secret) {
				t.Errorf("the question shows %q", secret)
			}
		}
	}
	if b.OnDisk(".npmrc") != "//registry/:_authToken=canary-1\n" || b.OnDisk(".git/config") != config {
		t.Errorf("what it did not see was replaced: %q, %q", b.OnDisk(".npmrc"), b.OnDisk(".git/config"))
	}
	if b.OnDisk("a") != "1\n2\n" {
		t.Errorf("a holds %q\n%s", b.OnDisk("a"), r.Text())
	}
	b.Contains(r.Text(), "Not applied:", "the command did not see what it holds")
}

// A commit of a command that nobody approved is whole, although it saw less of git's settings.
// Promise 4.
func TestACommitOfACommandTriedUnasked(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	b.Tries = true
	r, err := trying(b, policy.ModeAsk, "echo 2 >>a; git -c user.name=T -c user.email=t@example.org commit -qam second", &toolstest.Person{Yes: true})
	if err != nil || b.Git("log", "--format=%s") != "second\nfirst" || b.Git("status", "--short", "-uno") != "" || b.Git("fsck") != "" {
		t.Errorf("%v: %s", err, r.Text())
	}
}
