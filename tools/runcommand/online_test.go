//go:build linux && (amd64 || arm64)

package runcommand_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/toolstest"
)

// onlineBench is a bench whose commands reach two hosts of an internet of its own, and what they contacted.
func onlineBench(t *testing.T) (b *toolstest.Bench, contacted func() string) {
	t.Helper()
	b = toolstest.ConfinedBench(t)
	var mu sync.Mutex
	var contacts []string
	registry := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "from %s%s\n", r.Host, r.URL.Path) }))
	t.Cleanup(registry.Close)
	n := network.New(false, func(c network.Contact) {
		mu.Lock()
		defer mu.Unlock()
		contacts = append(contacts, c.Who)
	})
	b.Out.Network = n
	b.Out.Upstream = func(*url.URL) (*url.URL, error) { return nil, nil }
	b.Out.Connect = func(ctx context.Context, _, to string, control func(network, address string, _ syscall.RawConn) error) (net.Conn, error) {
		host, port, _ := net.SplitHostPort(to)
		if host != "registry.example" && host != "other.example" {
			return nil, fmt.Errorf("no such host: %s", host)
		}
		if err := control("tcp", "1.2.3.4:"+port, nil); err != nil {
			return nil, err
		}
		mu.Lock()
		contacts = append(contacts, to)
		mu.Unlock()
		return new(net.Dialer).DialContext(ctx, "tcp", registry.Listener.Addr().String())
	}
	return b, func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(contacts, " ")
	}
}

// by answers questions of a running command by what they are about: the network, the hosts, the changes.
func by(reach, changes tools.Reply, form string) func(tools.Inquiry) tools.Reply {
	return func(q tools.Inquiry) tools.Reply {
		switch {
		case strings.HasPrefix(q.Target, "Let it reach the network") && len(q.Form) > 0:
			return tools.Reply{Yes: form != "", Form: []byte(form)}
		case strings.HasPrefix(q.Target, "Let it reach the network"):
			return reach
		}
		return changes
	}
}

var yes = tools.Reply{Yes: true}

// Promise 4. Promise 9.
func TestACommandReachesTheHostsOfTheAnswer(t *testing.T) {
	b, contacted := onlineBench(t)
	b.Write("sub/.npmrc", "//registry.example/:_authToken=canary\n")
	b.Git("remote", "add", "origin", "http://me:canary@registry.example/x")
	b.Git("remote", "add", "second", "http://registry.example/plain")
	const line = "cat .git/config; curl -s http://registry.example/a >>a; curl -s http://other.example/; cat .env sub/.npmrc; echo x >>sub/.npmrc; echo done"
	p := &toolstest.Person{Answer: func(q tools.Inquiry) tools.Reply {
		if got := b.OnDisk("a") + contacted(); strings.HasPrefix(q.Target, "Let it") && got != "1\n" {
			t.Errorf("before the answer: %q", got)
		}
		return yes
	}}
	r := b.Online(line, p)
	if len(p.Asked) != 2 || contacted() != "registry.example:80 other.example:80" {
		t.Fatalf("asked %d times, contacted %s: %s", len(p.Asked), contacted(), r.Text())
	}
	b.Contains(p.Asked[0].Text, "- registry.example:80, which its words name", "- other.example:80", "files of this workspace, all that git keeps, also of files that it does not see, and the system's programs", "a rule denies them: .env", "It sees nothing of what these hold, which is asked about: ", ".npmrc")
	b.Contains(r.Text(), "from other.example/", "done", "url = http://registry.example/plain", "[Changed: a.]", "Not applied: sub/.npmrc")
	if got := b.OnDisk("sub/.npmrc"); got != "//registry.example/:_authToken=canary\n" {
		t.Errorf("a file that it did not see holds %q", got)
	}
	if b.OnDisk("a") != "1\nfrom registry.example/a\n" || strings.Contains(r.Text(), "canary") || strings.Contains(r.Text(), "KEY=x") {
		t.Errorf("%q %s", b.OnDisk("a"), r.Text())
	}
}

// What was refused is in the result and in the next question, and nothing else is reached.
// Promise 9.
func TestRefusedHostsAreNamed(t *testing.T) {
	b, contacted := onlineBench(t)
	const line = "h=registry.example; curl -sf http://$h/ || curl -sf http://other.$((1)).example:8080/; curl -s http://169.254.169.254/; false"
	p := &toolstest.Person{Answer: by(yes, yes, "")}
	r := b.Online(line, p)
	if len(p.Asked) != 1 || contacted() != "" || !strings.Contains(p.Asked[0].Yes, "see which it wants") {
		t.Fatalf("%+v %s", p.Asked, contacted())
	}
	const wanted = "It wanted registry.example:80, other.1.example:8080, 169.254.169.254:80, which nobody allowed."
	b.Contains(r.Text(), "["+wanted)
	if r.Blocked != wanted {
		t.Errorf("blocked: %s", r.Blocked)
	}
	p.Asked = nil
	r = b.Online(line, p)
	b.Contains(p.Asked[0].Text, "- registry.example:80, which it wanted before\n- other.1.example:8080, which it wanted before\n")
	if strings.Contains(p.Asked[0].Text, "- 169") || contacted() != "registry.example:80" || strings.Contains(r.Text(), "registry.example:80,") {
		t.Errorf("%s\n%s\n%s", p.Asked[0].Text, contacted(), r.Text())
	}
	// another command, and the same in another chat, know nothing of it
	for _, other := range []func(*tools.Call){func(c *tools.Call) { c.Chat = "another" }, func(c *tools.Call) { c.Arguments = []byte(`{"command":"true"}`) }} {
		call := b.Call("run_command", toolstest.Args("command", line))
		other(&call)
		p.Asked = nil
		if _, err := b.Dispatcher.Execute(t.Context(), b.Dispatcher.Prepare(t.Context(), call).Online(), p); err != nil || strings.Contains(p.Asked[0].Text, "registry.example:80") {
			t.Errorf("%v: %s", err, p.Asked[0].Text)
		}
	}
}

// Promise 1. Promise 9.
func TestWithoutAYesNothingRuns(t *testing.T) {
	b, contacted := onlineBench(t)
	const line = "curl -s http://registry.example/; echo ran"
	for name, answer := range map[string]func(tools.Inquiry) tools.Reply{
		"no":                    by(tools.Reply{}, yes, ""),
		"no, with a reason":     by(tools.Reply{Why: "use the cache"}, yes, ""),
		"hosts are not written": by(tools.Reply{Other: true}, yes, ""),
	} {
		r := b.Online(line, &toolstest.Person{Answer: answer})
		if !r.Failed || strings.Contains(r.Text(), "ran\n") || contacted() != "" || !strings.Contains(r.Text(), "did not let it reach the network") {
			t.Errorf("%s: %s %s", name, r.Text(), contacted())
		}
		if name == "no, with a reason" {
			b.Contains(r.Text(), "use the cache")
		}
	}
	// nobody is there; and an approval of the command is none of the network
	r, err := b.Dispatcher.Execute(t.Context(), b.Prepare("run_command", toolstest.Args("command", line)).Online(), nil)
	if err != nil || !r.Failed || contacted() != "" {
		t.Errorf("%v %s", err, r.Text())
	}
	if r := b.Command(line, &toolstest.Person{Yes: true}); contacted() != "" || !strings.Contains(r.Text(), "ran\n") {
		t.Errorf("approved: %s %s", r.Text(), contacted())
	}
	if r := b.Try(line, &toolstest.Person{Yes: true}); contacted() != "" || !strings.Contains(r.Text(), "ran\n") {
		t.Errorf("tried: %s %s", r.Text(), contacted())
	}
	// offline there is no such choice
	b.Out.Network = network.New(true, nil)
	if p := b.Prepare("run_command", toolstest.Args("command", line)); p.CanGoOnline || !p.CanTry {
		t.Error("offline it can be chosen")
	}
	if _, err := b.Dispatcher.Execute(t.Context(), b.Prepare("run_command", toolstest.Args("command", line)).Online(), nil); err == nil {
		t.Error("offline it runs")
	}
}

func TestHostsAreWritten(t *testing.T) {
	b, contacted := onlineBench(t)
	forms := []string{`{"hosts":"https://registry.example/a"}`, `{"hosts":"registry.example, other.example:80"}`}
	p := &toolstest.Person{}
	p.Answer = func(q tools.Inquiry) tools.Reply {
		if len(q.Form) == 0 {
			return tools.Reply{Other: true}
		}
		form := forms[0]
		forms = forms[1:]
		return tools.Reply{Yes: true, Form: []byte(form)}
	}
	r := b.Online("for h in registry other third; do curl -s http://$h.example/; done", p)
	if len(p.Asked) != 3 || contacted() != "registry.example:80 other.example:80" {
		t.Errorf("%+v %s %s", p.Asked, contacted(), r.Text())
	}
	b.Contains(p.Asked[2].Text, "Your answer was not taken: ", "is no host such as")
	b.Contains(r.Text(), "It wanted third.example:80, which nobody allowed")
}

// A rule with hosts lets a command reach them without a question, and a rule without them does not.
// Promise 6. Promise 9.
func TestARuleWithHosts(t *testing.T) {
	for rules, want := range map[string]string{
		`{"allow":[{"tool":"run_command","command":"curl **","hosts":["registry.example"]}]}`:                                               "registry.example:80",
		`{"allow":[{"tool":"run_command","command":"curl **"}]}`:                                                                            "",
		`{"allow":[{"tool":"run_command","command":"curl **","hosts":["other.example"]}]}`:                                                  "",
		`{"allow":[{"tool":"run_command","command":"curl **","hosts":["registry.example"]}],"deny":[{"host":"registry.example"}]}`:          "",
		`{"allow":[{"tool":"run_command","command":"curl **","hosts":["registry.example"]}],"ask":[{"effect":"fetches","host":"example"}]}`: "",
	} {
		b, contacted := onlineBench(t)
		b.Write("sub/.npmrc", "canary\n")
		b.Rules(rules)
		p := b.Prepare("run_command", toolstest.Args("command", "curl -s -o out http://registry.example/ file:///"+b.Workspace.Root()+"/sub/.npmrc"))
		r, err := b.Dispatcher.Execute(t.Context(), p, nil)
		if err != nil || contacted() != want {
			t.Errorf("%s: %v, contacted %q: %s", rules, err, contacted(), r.Text())
		}
		if want == "" {
			continue
		}
		// who approves the command once approves it as it was shown: without the network
		if _, err := b.Dispatcher.Execute(t.Context(), b.Prepare("run_command", toolstest.Args("command", "curl -s http://registry.example/b")).Approved(), nil); err != nil || contacted() != want {
			t.Errorf("approved: %v, contacted %q", err, contacted())
		}
		if text, err := os.ReadFile(filepath.Join(b.Dir, "out")); err != nil || string(text) != "from registry.example/\n" || strings.Contains(r.Text(), "canary") {
			t.Errorf("%v %q %s", err, text, r.Text())
		}
	}
}

// The proxy ends with the command, before anybody is asked about its changes.
// Promise 9.
func TestTheProxyEndsWithTheCommand(t *testing.T) {
	b, _ := onlineBench(t)
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0") // nobody answers
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	ended := make(chan struct{})
	b.Out.Connect = func(ctx context.Context, _, _ string, _ func(network, address string, _ syscall.RawConn) error) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", silent.Addr().String())
		if err != nil {
			return nil, err
		}
		return &closing{conn.(*net.TCPConn), sync.OnceFunc(func() { close(ended) })}, nil
	}
	p := &toolstest.Person{Answer: func(q tools.Inquiry) tools.Reply {
		if !strings.HasPrefix(q.Target, "Let it") {
			<-ended // else the test does not end
		}
		return yes
	}}
	r := b.Online("echo 2 >>a; setsid curl -s -p -D head http://registry.example/ & until [ -s head ]; do :; done; rm head", p)
	if len(p.Asked) != 2 || b.OnDisk("a") != "1\n2\n" {
		t.Errorf("asked %d times: %s", len(p.Asked), r.Text())
	}
}

// closing tells of its end.
type closing struct {
	*net.TCPConn

	closed func()
}

func (c *closing) Close() error {
	c.closed()
	return c.TCPConn.Close()
}

// A host that a rule denies is not reached by an answer either.
// Promise 6.
func TestADeniedHostIsNotReachedByAnAnswer(t *testing.T) {
	b, contacted := onlineBench(t)
	b.Rules(`{"deny":[{"host":"registry.example"}]}`)
	r := b.Online("curl -s http://registry.example/ http://other.example/", &toolstest.Person{Yes: true})
	if contacted() != "other.example:80" {
		t.Errorf("contacted %s", contacted())
	}
	b.Contains(r.Text(), "[It was not let to registry.example:80: a rule denies it.]")
}

// After a command failed in the sandbox, it can run with the network, and not only outside.
func TestABlockedCommandCanGoOnline(t *testing.T) {
	b, contacted := onlineBench(t)
	call := b.Call("run_command", toolstest.Args("command", "curl -s http://registry.example/"))
	call.Outside = true
	p := b.Dispatcher.Prepare(t.Context(), call)
	if !p.CanGoOnline || p.CanTry {
		t.Fatal("it cannot")
	}
	r, err := b.Dispatcher.Execute(t.Context(), p.Online(), &toolstest.Person{Yes: true})
	if err != nil || contacted() != "registry.example:80" || !strings.Contains(r.Text(), "from registry.example/") {
		t.Errorf("%v %s %s", err, contacted(), r.Text())
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
