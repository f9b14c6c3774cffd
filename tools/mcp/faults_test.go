package mcp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools"
)

// R05: whatever a server does wrong is told in one sentence, and another one goes on.
func TestABadServerIsToldAndTheOthersLive(t *testing.T) {
	for mode, want := range map[string]string{
		"mute":      "it did not answer in time",
		"exits":     "it ended with status 3",
		"garbage":   "invalid character",
		"huge":      "it sent a message of more than 16 MB",
		"many":      "it lists more than 1000 tools: the others are left out",
		"endless":   "the pages of its list of tools have no end",
		"odd-tools": "has characters in its name that cannot be seen",
	} {
		t.Run(mode, func(t *testing.T) {
			p := newPlace(t)
			start := 30 * time.Second
			if mode == "mute" {
				start = 3 * time.Second
			}
			p.source.Hurry(start, time.Hour, time.Hour)
			p.declares("bad", fake(mode), "good", fake("echo"))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			d, problems := p.now()
			for strings.Contains(problems, "is still starting") { // this machine has much to do
				d, problems = p.now()
			}
			runtime.ReadMemStats(&after)
			contains(t, problems, "of the MCP servers cannot be used: The server bad: ", want)
			if lines := strings.Count(problems, "\n"); lines > 0 || len(problems) > 900 {
				t.Errorf("not one sentence: %s", problems)
			}
			if grown := after.TotalAlloc - before.TotalAlloc; mode == "huge" && grown > 200<<20 {
				t.Errorf("a huge message took %d MB", grown>>20)
			}
			if _, again := p.now(); again != "" {
				t.Errorf("it is told again: %s", again)
			}
			contains(t, p.run(d, "echo", `{"text": "x"}`).Text(), "echo: x")
		})
	}
}

// A server that only prints what it should not, answers twice or with bad bytes is used.
func TestAnUntidyServerIsUsed(t *testing.T) {
	for mode, want := range map[string]string{"prints": "yes", "twice": "yes", "bytes": "a\uFFFD\uFFFDb"} {
		p := newPlace(t)
		p.declares("untidy", fake(mode))
		d, problems := p.now()
		if r := p.run(d, "echo", `{}`); problems != "" || !strings.Contains(r.Text(), want) {
			t.Errorf("%s: %s, %q", mode, problems, r.Text())
		}
		r := p.run(d, "echo", `{}`)
		contains(t, r.Text(), want)
		if mode == "prints" {
			contains(t, p.log("untidy"), "Starting up ...", "[info] ready")
		}
	}
}

func (p *place) log(name string) string {
	p.Helper()
	p.sources.Close()
	text, err := p.source.Log(name)
	if err != nil {
		p.Fatal(err)
	}
	return text
}

// The tools that are good stay when others of the same server are not.
func TestOddToolsAreLeftOut(t *testing.T) {
	p := newPlace(t)
	p.declares("odd", fake("odd-tools"))
	d, problems := p.now()
	if got := names(d); got != "good shared a_b" {
		t.Errorf("the tools are %s", got)
	}
	contains(t, problems, "bad<U+0007>name", "has no name", "it is no object", "and 3 more")
	for _, s := range d.Registry().Specs() {
		if s.Name == "shared" && strings.Contains(string(s.Parameters), "$ref") {
			t.Errorf("a reference is left in %s", s.Parameters)
		}
	}
}

// A server that dies in a call is a result; it is started again for the next one, and after some failures it is not.
func TestAServerThatDiesIsStartedAgain(t *testing.T) {
	p := newPlace(t)
	p.source.Hurry(10*time.Second, time.Millisecond, time.Hour)
	p.declares("mortal", fake("dies"))
	d, _ := p.now()
	for n := range 5 {
		r := p.run(d, "die", `{}`)
		contains(t, r.Text(), "The server ended during the call, which may have had effects: it ended with status 7")
		if !r.Failed {
			t.Fatal("it did not fail")
		}
		if n == 2 {
			contains(t, p.run(d, "echo", `{"text": "x"}`).Text(), "echo: x") // and the count begins again
		}
	}
	for range 3 {
		p.run(d, "die", `{}`)
	}
	r := p.run(d, "echo", `{"text": "x"}`)
	contains(t, r.Text(), "failed 5 times one after the other", "it is tried again after a pause")
	_, problems := p.now()
	contains(t, problems, "failed 5 times")
}

// A server that breaks off in a call with something that is no message is told so.
func TestGarbageInACall(t *testing.T) {
	p := newPlace(t)
	p.declares("bad", fake("later-garbage"))
	d, _ := p.now()
	contains(t, p.run(d, "echo", `{}`).Text(), "which may have had effects: it sent something that is no message: invalid character 'o'")
}

// All pages of a list are read.
func TestPagesOfAList(t *testing.T) {
	p := newPlace(t)
	p.declares("pages", fake("pages"))
	d, problems := p.now()
	if n := len(strings.Fields(names(d))); n != 250 || problems != "" {
		t.Errorf("%d tools, %s", n, problems)
	}
}

// A call that is stopped, or takes too long, ends at once, and the server is told.
func TestStopReachesAServer(t *testing.T) {
	p := newPlace(t)
	p.declares("slow", fake("slow"))
	d, _ := p.now()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	q := d.Prepare(ctx, call("slow", `{}`))
	begun := time.Time{}
	report := &reports{stop: func() { begun = time.Now(); stop() }}
	r, err := d.Execute(ctx, q.Approved(), report)
	if err != nil || !r.Failed || !r.Stopped || time.Since(begun) > 2*time.Second {
		t.Errorf("%+v, %v, after %v", r, err, time.Since(begun))
	}
	if got := report.said; got != "1 of 2 half<U+202E>done" {
		t.Errorf("reported %q", got)
	}
	until(t, "the server was not told", func() bool { return strings.Contains(p.logNow("slow"), "cancelled") })
}

// A server that never answers a call holds up nobody but its call.
func TestACallThatIsNeverAnswered(t *testing.T) {
	p := newPlace(t)
	p.declares("mute", fake("never-answers-calls"))
	d, _ := p.now()
	ctx, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer stop()
	if r := p.runIn(ctx, d, "echo", `{}`); !r.Failed {
		t.Errorf("%+v", r)
	}
	begun := time.Now()
	p.sources.Close()
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("it was closed after %v", took)
	}
}

func (p *place) logNow(name string) string {
	p.Helper()
	text, err := p.source.Log(name)
	if err != nil {
		p.Fatal(err)
	}
	return text
}

// reports keeps the last report of a call.
type reports struct {
	said string
	stop func()
}

func (*reports) Output(string) {}

func (r *reports) Progress(done, total float64, note string) {
	r.said = fmt.Sprintf("%v of %v %s", done, total, note)
	r.stop()
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

// What a server says on its standard error is bounded, and shown without what acts on a terminal.
func TestAFloodIsBounded(t *testing.T) {
	p := newPlace(t)
	p.declares("flood", fake("floods"))
	d, _ := p.now()
	contains(t, p.run(d, "echo", `{"text": "x"}`).Text(), "echo: x")
	until(t, "nothing is logged", func() bool { return len(p.logNow("flood")) > 200<<10 })
	log := p.log("flood")
	if len(log) > 256<<10 || strings.Contains(log, "\x1b") || !strings.Contains(log, "<U+001B>[31m") {
		t.Errorf("%d bytes are kept: %.100q", len(log), log)
	}
	logs, err := filepath.Glob(filepath.Join(p.state.Dir(), "servers", "*"))
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	if info, err := os.Stat(logs[0]); err != nil || info.Mode().Perm() != 0o600 || info.Size() > 256<<10 {
		t.Errorf("%v, %v", info, err)
	}
}

// A list that changes all the time stays what it is in a run, and is asked for once for the next.
func TestAListThatChangesAllTheTime(t *testing.T) {
	p := newPlace(t)
	p.declares("restless", fake("changes"))
	d, _ := p.now()
	specs := fmt.Sprint(d.Registry().Specs())
	contains(t, p.run(d, "echo", `{}`).Text(), "yes")
	if now := fmt.Sprint(d.Registry().Specs()); now != specs {
		t.Error("the tools changed in a run")
	}
	until(t, "the change is never seen", func() bool {
		next, _ := p.now()
		return strings.HasPrefix(names(next), "echo more_") && names(next) != "echo more_1"
	})
}

// S16: nothing of a server outlives the program, also if it ignores that it is asked to end.
func TestNoServerOutlivesItsWorkspace(t *testing.T) {
	p := newPlace(t)
	p.declares("stubborn", fake("stays"))
	d, _ := p.now()
	spec, found := tools.Spec{}, false
	for _, s := range d.Registry().Specs() {
		if s.Name == "pid" {
			spec, found = s, true
		}
	}
	pid, err := strconv.Atoi(spec.Description)
	if !found || err != nil || !alive(pid) {
		t.Fatalf("no process: %q, %v", spec.Description, err)
	}
	begun := time.Now()
	p.sources.Close()
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	if alive(pid) {
		t.Error("the server lives on")
	}
}

// A server that is declared no more has ended, and its log is on disk, when Close returns.
func TestCloseWaitsForServersThatAreDeclaredNoMore(t *testing.T) {
	p := newPlace(t)
	p.declares("stubborn", fake("stays"))
	p.now()
	p.declares()
	p.now() // which ends the server, and does not wait for it
	p.sources.Close()
	if log, err := p.source.Log("stubborn"); err != nil || !strings.Contains(log, "it was stopped") {
		t.Errorf("%v, %q", err, log)
	}
}
