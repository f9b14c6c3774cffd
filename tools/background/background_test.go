package background_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/background"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
)

// machine is run_command without processes: do is what a command does.
type machine struct {
	do   func(ctx context.Context, report tools.Reporter) tools.Result
	plan func(*tools.Plan) // changes what is planned; nil: nothing

	mu      sync.Mutex
	started int // guarded by mu
	alive   int // guarded by mu
}

func (m *machine) Spec() tools.Spec {
	return tools.Spec{Name: "run_command", Parameters: json.RawMessage(`{"type":"object"}`), Effect: effect.Runs, Timeout: tools.Unlimited}
}

func (m *machine) Plan(_ context.Context, call tools.Call) (tools.Plan, error) {
	run := func(ctx context.Context, report tools.Reporter) tools.Result {
		m.mu.Lock()
		m.started++
		m.alive++
		m.mu.Unlock()
		defer func() {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.alive--
		}()
		return m.do(ctx, report)
	}
	plan := tools.Plan{Target: string(call.Arguments), Binding: "it", Confined: !call.Outside, Run: run}
	if plan.Confined {
		plan.Run, plan.Try = nil, run
		plan.Run = func(context.Context, tools.Reporter) tools.Result { return tools.Failed("it was not tried on a copy") }
	}
	if m.plan != nil {
		m.plan(&plan)
	}
	return plan, nil
}

func (m *machine) counts() (started, alive int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.started, m.alive
}

// serves prints a line and runs until it is ended, as a command in a sandbox does.
func serves(ctx context.Context, report tools.Reporter) tools.Result {
	halting, release := report.(tools.Halter).Halting(ctx)
	defer release()
	report.Output("ready\n")
	<-halting.Done()
	release()
	return settled(ctx, report, "[Stopped.]")
}

// settled asks what becomes of a change, as run_command does.
func settled(ctx context.Context, report tools.Reporter, said string) tools.Result {
	reply, err := report.(tools.Asker).Ask(ctx, tools.Inquiry{Target: "Keep it", Yes: "Keep all"})
	if err == nil && reply.Yes {
		return tools.Result{Parts: tools.Text(said + "\n[Changed: a.]").Parts, Changes: []tools.FileChange{{Path: "/a"}}}
	}
	return tools.Text(said + "\n[Not applied: a.]")
}

// world is a source with its dispatcher.
type world struct {
	*testing.T
	*machine
	source  *background.Source
	tools   *tools.Dispatcher
	decides func(policy.Request) policy.Decision
}

func newWorld(t *testing.T, m *machine) *world {
	t.Helper()
	w := &world{T: t, machine: m}
	w.source = background.New(background.Options{Run: m, Decide: func(q policy.Request) policy.Decision {
		if w.decides == nil {
			return policy.Decision{}
		}
		return w.decides(q)
	}})
	sources := tools.NewSources([]tools.Tool{m}, w.source)
	r, err := sources.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.tools = tools.NewDispatcher(r, policy.New(nil), nil)
	t.Cleanup(sources.Close)
	return w
}

// person answers yes to what is asked, and counts it.
type person struct {
	no    bool
	asked int
}

func (*person) Output(string)                     {}
func (*person) Progress(float64, float64, string) {}
func (p *person) Ask(context.Context, tools.Inquiry) (tools.Reply, error) {
	p.asked++
	return tools.Reply{Yes: !p.no}, nil
}

func (w *world) call(id, chat, tool, arguments string, p *person) tools.Result {
	w.Helper()
	c := tools.Call{ID: id, Name: tool, Arguments: json.RawMessage(arguments), Chat: chat, Caller: policy.Model}
	var report tools.Reporter
	if p != nil {
		report = p
	}
	r, err := w.tools.Execute(w.Context(), w.tools.Prepare(w.Context(), c).Approved(), report)
	if err != nil {
		w.Fatal(err)
	}
	return r
}

func (w *world) start(id string) tools.Result {
	w.Helper()
	return w.call(id, "chat", background.Start, `{"command":"serve"}`, nil)
}

func (w *world) output(arguments string, p *person) tools.Result {
	w.Helper()
	return w.call("c9", "chat", background.Output, arguments, p)
}

func (w *world) says(r tools.Result, all ...string) {
	w.Helper()
	for _, part := range all {
		if !strings.Contains(r.Text(), part) {
			w.Errorf("no %q in:\n%s", part, r.Text())
		}
	}
}

// A command goes on after the call that started it; its output is read once, and a call waits for something new.
func TestACommandGoesOnAndItsOutputIsReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		more := make(chan string)
		w := newWorld(t, &machine{do: func(ctx context.Context, report tools.Reporter) tools.Result {
			report.Output("ready\n")
			for text := range more {
				report.Output(text)
			}
			return tools.Text("[Exit status 0.]")
		}})
		w.says(w.start("c1"), "ready\n[Runs in the background as c1 for 1s, on a copy of the workspace")
		began := time.Now()
		w.says(w.output(`{}`, nil), "[No new output.]\n[Runs in the background as c1 for 11s")
		if waited := time.Since(began); waited != 10*time.Second {
			t.Errorf("it waited for %v", waited)
		}
		go func() { more <- "one\n" }()
		w.says(w.output(`{"id":"c1"}`, nil), "one\n[Runs")
		if s := w.source.Commands("chat"); len(s) != 1 || s[0].State != background.Runs || s[0].ID != "c1" || s[0].Line != "serve" {
			t.Errorf("%+v", s)
		}
		close(more)
		w.says(w.output(`{}`, nil), "[No new output.]\n[Exit status 0.]")
		if s := w.source.Commands("chat"); s[0].State != background.Ended || s[0].How != "Exit status 0." {
			t.Errorf("%+v", s)
		}
		if text, ok := w.source.Output("chat", "c1"); !ok || text != "ready\none\n\nIt does not run any more. Exit status 0." {
			t.Errorf("%q", text)
		}
	})
}

// A command that ends at once is told of at once, with why the sandbox may have stopped it: then it can be started
// outside.
func TestACommandThatEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, &machine{do: func(_ context.Context, report tools.Reporter) tools.Result {
			report.Output("no network\n")
			r := tools.Failed("[Exit status 1.]")
			r.Blocked = "The sandbox has no network."
			return r
		}})
		if r := w.start("c1"); r.Text() != "no network\n[Exit status 1.]" || !r.Failed || r.Blocked == "" {
			t.Errorf("%+v", r)
		}
		if r := w.output(`{}`, nil); r.Blocked != "" {
			t.Error("to read its output would be run outside")
		}
	})
}

// After changes a command on a copy is started again, once, and says so; one outside sees the files themselves.
func TestChangesStartACommandAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, &machine{do: serves})
		w.start("c1")
		w.call("c2", "chat", background.Start, `{"command":"serve","outside":true}`, nil)
		for range 5 {
			w.source.Changed()
			<-time.After(200 * time.Millisecond)
		}
		if started, _ := w.counts(); started != 2 {
			t.Fatalf("while files change %d are started", started)
		}
		<-time.After(time.Second)
		synctest.Wait()
		if started, alive := w.counts(); started != 3 || alive != 2 {
			t.Fatalf("%d were started, %d run", started, alive)
		}
		r := w.output(`{"id":"c1"}`, nil)
		w.says(r, "[It was ended and started again on a fresh copy", "What it wrote on its copy was dropped.", "ready\n[Runs")
		w.source.Changed()
		<-time.After(time.Second)
		w.source.Changed()
		r = w.output(`{"id":"c1"}`, nil) // it waits for what the change leads to
		if started, _ := w.counts(); started != 5 || strings.Count(r.Text(), "ready") != 1 {
			t.Errorf("%d were started, and what was printed on an old copy is read: %s", started, r.Text())
		}
		if r = w.output(`{"id":"c2"}`, nil); strings.Contains(r.Text(), "again") || !strings.Contains(r.Text(), "outside the sandbox, on the files themselves") {
			t.Errorf("%s", r.Text())
		}
		if r = w.output(`{"id":"c1"}`, nil); strings.Contains(r.Text(), "It was ended") {
			t.Errorf("it is said twice: %s", r.Text())
		}
	})
}

// What was approved is what is started again, by the rules as they are then.
// Promise 2, 6.
func TestWhatIsStartedAgainIsWhatWasApproved(t *testing.T) {
	for name, change := range map[string]func(*world){
		"denied since": func(w *world) {
			w.decides = func(policy.Request) policy.Decision { return policy.Decision{Verdict: policy.Refuse, Reason: "No."} }
		},
		"does another thing": func(w *world) { w.plan = func(p *tools.Plan) { p.Binding = "other" } },
		"protected since":    func(w *world) { w.plan = func(p *tools.Plan) { p.Protected = "It holds secrets." } },
		"not confined":       func(w *world) { w.plan = func(p *tools.Plan) { p.Confined, p.Run = false, nil } },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, &machine{do: serves})
				w.start("c1")
				change(w)
				w.source.Changed()
				<-time.After(time.Second)
				synctest.Wait()
				if started, alive := w.counts(); started != 1 || alive != 0 {
					t.Errorf("%d were started, %d run", started, alive)
				}
				w.says(w.output(`{}`, nil), "was not started again")
			})
		})
	}
}

// What a command changed is asked about by the call that ends it or reads its end, and by no other.
// Promise 1.
func TestWhatItChangedIsAskedAbout(t *testing.T) {
	for name, c := range map[string]struct {
		who       *person
		want      string
		changes   int
		asked     int
		arguments string
	}{
		"kept":      {&person{}, "[Changed: a.]", 1, 1, `{"stop":true}`},
		"discarded": {&person{no: true}, "[Not applied: a.]", 0, 1, `{"stop":true}`},
		"nobody":    {nil, "[Not applied: a.]", 0, 0, `{"stop":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, &machine{do: serves})
				w.start("c1")
				r := w.output(c.arguments, c.who)
				w.says(r, "[Stopped.]", c.want)
				if len(r.Changes) != c.changes || c.who != nil && c.who.asked != c.asked {
					t.Errorf("%+v, %+v", r.Changes, c.who)
				}
				if r := w.output(`{}`, c.who); len(r.Changes) > 0 || c.who != nil && c.who.asked != c.asked {
					t.Errorf("it is done again: %+v", r)
				}
			})
		})
	}
}

// A command that ends by itself waits with its question until somebody can be asked.
func TestAnEndWaitsForItsQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, &machine{do: func(ctx context.Context, report tools.Reporter) tools.Result {
			<-time.After(time.Minute)
			return settled(ctx, report, "[Exit status 0.]")
		}})
		w.start("c1")
		<-time.After(time.Hour)
		w.source.Changed() // it is not started again: its work waits
		<-time.After(time.Hour)
		p := &person{}
		r := w.output(`{}`, p)
		w.says(r, "[Changed: a.]")
		if started, _ := w.counts(); started != 1 || p.asked != 1 || len(r.Changes) != 1 {
			t.Errorf("%d were started, %d asked, %+v", started, p.asked, r.Changes)
		}
	})
}

// Stop, the end of the chat and the end of the program end a command, ask nothing, and drop what it wrote.
func TestWhatEndsACommand(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*world)
		says string // empty: the chat has forgotten it
	}{
		"Stop":        {func(w *world) { w.source.Stop("chat", "") }, "[It was ended by the user.]\n[What it wrote on its copy was dropped.]"},
		"Stop of one": {func(w *world) { w.source.Stop("chat", "c1") }, "[It was ended by the user.]"},
		"the chat":    {func(w *world) { w.source.Leave("chat") }, ""},
		"the program": {func(w *world) { _ = w.source.Close() }, "[It was ended with Assent.]"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, &machine{do: serves})
				w.start("c1")
				w.call("c1", "other", background.Start, `{"command":"serve"}`, nil)
				var told atomic.Int32
				w.source.OnChange(func(string) { told.Add(1) })
				c.end(w)
				synctest.Wait()
				_, alive := w.counts()
				if others := map[bool]int{true: 0, false: 1}[name == "the program"]; alive != others {
					t.Errorf("%d run", alive)
				}
				if told.Load() == 0 {
					t.Error("nobody was told")
				}
				if c.says != "" {
					w.says(w.output(`{}`, &person{}), c.says)
					return
				}
				r := w.output(`{}`, nil)
				if !r.Failed || !strings.Contains(r.Text(), "No command runs in the background in this chat") {
					t.Errorf("%+v", r)
				}
			})
		})
	}
}

// Chats do not see each other's commands, nor do callers that are in no chat.
func TestCommandsBelongToTheirChat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, &machine{do: serves})
		w.start("c1")
		for _, chat := range []string{"other", ""} {
			if r := w.call("c1", chat, background.Output, `{"id":"c1","stop":true}`, nil); !r.Failed {
				t.Errorf("chat %q reads another's: %s", chat, r.Text())
			}
		}
		one, two := tools.NewReadSet(), tools.NewReadSet()
		for i, reads := range []*tools.ReadSet{one, two} {
			c := tools.Call{Name: background.Start, Arguments: json.RawMessage(`{"command":"serve"}`), Reads: reads, Caller: policy.Remote}
			r, err := w.tools.Execute(t.Context(), w.tools.Prepare(t.Context(), c).Approved(), nil)
			if err != nil || !strings.Contains(r.Text(), "as b1") {
				t.Errorf("client %d: %v, %s", i, err, r.Text())
			}
		}
		w.source.LeaveReader(one)
		synctest.Wait()
		if _, alive := w.counts(); alive != 2 {
			t.Errorf("%d run", alive)
		}
	})
}

func TestACommandTooMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, &machine{do: serves})
		for n := range 4 {
			w.start(fmt.Sprint("c", n))
		}
		if r := w.start("c4"); !r.Failed || !strings.Contains(r.Text(), "4 commands run in the background already (c0, c1, c2, c3)") {
			t.Errorf("%+v", r)
		}
		if r := w.output(`{"id":"c7"}`, nil); !r.Failed || !strings.Contains(r.Text(), "by its id, one of: c0 (serve), c1 (serve)") {
			t.Errorf("%+v", r)
		}
		w.output(`{"id":"c2","stop":true}`, nil)
		w.says(w.start("c4"), "as c4")
		for n := range 40 { // those that ended are forgotten at last
			w.source.Stop("chat", "c4")
			synctest.Wait()
			w.call(fmt.Sprint("d", n), "chat", background.Start, `{"command":"serve"}`, nil)
			w.source.Stop("chat", fmt.Sprint("d", n))
			synctest.Wait()
		}
		if n := len(w.source.Commands("chat")); n > 3+16+1 {
			t.Errorf("%d are remembered", n)
		}
	})
}

// The question is that of run_command, with a sentence that it goes on; it is no choice to try it on a copy, since that
// is how it runs. Outside it needs a question of its own.
// Promise 1, 2.
func TestTheQuestion(t *testing.T) {
	w := newWorld(t, &machine{do: serves})
	prepare := func(arguments string) tools.Prepared {
		return w.tools.Prepare(t.Context(), tools.Call{Name: background.Start, Arguments: json.RawMessage(arguments), Chat: "chat", Caller: policy.Model})
	}
	p := prepare(`{"command":"serve"}`)
	if p.Decision.Verdict != policy.Ask || !strings.Contains(p.Notice, "goes on running in the background until Stop") || p.CanTry || p.Protected != "" {
		t.Errorf("%+v", p)
	}
	if p := prepare(`{"command":"serve","outside":true}`); !strings.Contains(p.Protected, "outside the sandbox") {
		t.Errorf("%+v", p)
	}
	if _, err := w.tools.Execute(t.Context(), p, nil); !errors.Is(err, tools.ErrNotApproved) {
		t.Errorf("it ran without a yes: %v", err)
	}
}
