package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
)

// source is a source whose answer can be changed.
type source struct {
	name    string
	list    []string
	changed chan struct{}
	err     error
	asked   int
}

func (s *source) Name() string { return s.name }

func (s *source) Tools(ctx context.Context) ([]tools.Tool, <-chan struct{}, error) {
	s.asked++
	if s.name == "panics" {
		panic("no list")
	}
	return listOf(s.list...), s.changed, errors.Join(s.err, ctx.Err())
}

func listOf(names ...string) []tools.Tool {
	var list []tools.Tool
	for _, name := range names {
		list = append(list, fake{tools.Spec{Name: name, Description: name}, func(json.RawMessage) (tools.Plan, error) { return tools.Plan{}, nil }})
	}
	return list
}

func namesOf(r *tools.Registry) string {
	var names []string
	for _, s := range r.Specs() {
		names = append(names, s.Name)
	}
	return strings.Join(names, " ")
}

// TestManyProblemsOfASource are told on one line that a person can read.
func TestManyProblemsOfASource(t *testing.T) {
	broken := &source{name: "yours", err: errors.Join(errors.New("a.json is no tool"), errors.New("b.json is a link."), errors.New("c"), errors.New("d"), errors.New("e"))}
	_, err := tools.NewSources(nil, broken).Now(t.Context())
	if want := "a.json is no tool; b.json is a link; c; and 2 more."; err == nil || !strings.HasSuffix(strings.ToLower(err.Error()), want) {
		t.Errorf("got %v; want the end %q", err, want)
	}
}

// TestSources: one broken source hides no other, the first tool of a name stays, and a problem is told once.
func TestSources(t *testing.T) {
	broken := &source{name: "broken", err: errors.New("it does not answer")}
	all := tools.NewSources(listOf("read", "write"), broken, &source{name: "panics"},
		&source{name: "one", list: []string{"write", "search", ""}}, &source{name: "two", list: []string{"search", "draw"}})
	if got := namesOf(all.Known()); got != "read write" {
		t.Errorf("before anything is asked there is %q", got)
	}
	now := func(tools string, problems ...string) {
		t.Helper()
		r, err := all.Now(t.Context())
		told := ""
		if err != nil {
			told = err.Error()
		}
		if got := namesOf(r); got != tools || namesOf(all.Known()) != tools {
			t.Errorf("there is %q, and known %q, not %q", got, namesOf(all.Known()), tools)
		}
		if diff := cmp.Diff(strings.Join(problems, "\n"), told); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	}
	now("read write search draw",
		"The tools of broken cannot be used: It does not answer.",
		"The tools of panics cannot be used: The source failed: no list.",
		`The tool "write" of one is left out, because Assent has a tool of this name already.`,
		"A tool of one has no name, so it is left out.",
		`The tool "search" of two is left out, because one has a tool of this name already.`)
	now("read write search draw")
	broken.err, broken.list = nil, []string{"mend"}
	now("read write mend search draw")
	if broken.asked != 3 {
		t.Errorf("the source that failed was asked %d times", broken.asked)
	}
}

// TestSourcesAreAskedWhenTheyChange, and not before: a source may start a program to answer.
func TestSourcesAreAskedWhenTheyChange(t *testing.T) {
	s := &source{name: "server", list: []string{"a"}, changed: make(chan struct{})}
	all := tools.NewSources(nil, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := all.Now(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a run that was cancelled gets %v", err)
	}
	first, err := all.Now(t.Context())
	for range 3 {
		if again, err2 := all.Now(t.Context()); err != nil || err2 != nil || namesOf(again) != "a" {
			t.Fatal(namesOf(again), err, err2)
		}
	}
	if s.asked != 1 {
		t.Errorf("it was asked %d times, and not for a run that was cancelled", s.asked)
	}
	before := s.changed
	s.list, s.changed = []string{"b", "a"}, make(chan struct{})
	close(before)
	if again, err := all.Now(t.Context()); err != nil || namesOf(again) != "b a" || namesOf(first) != "a" {
		t.Errorf("after a change there is %q, and the list before is %q: %v", namesOf(again), namesOf(first), err)
	}
}

// slowSource answers when it is let.
type slowSource struct{ asked, let chan struct{} }

func (slowSource) Name() string { return "slow" }

func (s slowSource) Tools(ctx context.Context) ([]tools.Tool, <-chan struct{}, error) {
	close(s.asked)
	select {
	case <-s.let:
		return listOf("late"), nil, nil
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// TestASlowSourceHoldsUpNoHover: what is known can be shown while a source is asked.
func TestASlowSourceHoldsUpNoHover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := slowSource{make(chan struct{}), make(chan struct{})}
		all := tools.NewSources(listOf("read"), slow)
		go func() { _, _ = all.Now(t.Context()) }()
		<-slow.asked
		if got := namesOf(all.Known()); got != "read" {
			t.Errorf("known is %q", got)
		}
		close(slow.let)
		synctest.Wait()
		if got := namesOf(all.Known()); got != "read late" {
			t.Errorf("known is %q", got)
		}
	})
}

// stuckSource answers when it is let, whatever becomes of who asked.
type stuckSource struct {
	name string
	let  chan struct{}
}

func (s stuckSource) Name() string { return s.name }

func (s stuckSource) Tools(context.Context) ([]tools.Tool, <-chan struct{}, error) {
	<-s.let
	return listOf(s.name), nil, nil
}

// TestAStuckSourceHoldsUpNoRun for long: it has no tools until it answers, Stop need not wait for it, and others go on.
func TestAStuckSourceHoldsUpNoRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := stuckSource{"stuck", make(chan struct{})}
		all := tools.NewSources(listOf("read"), stuck, &source{name: "server", list: []string{"a"}})
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		start := time.Now()
		if _, err := all.Now(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("a run that was stopped after a second gets %v after %v", err, time.Since(start))
		}
		got, err := all.Now(t.Context())
		if namesOf(got) != "read a" || err == nil || !strings.Contains(err.Error(), "stuck cannot be used: No answer came within 10 seconds") {
			t.Errorf("there is %q: %v", namesOf(got), err)
		}
		start = time.Now()
		if got, err := all.Now(t.Context()); namesOf(got) != "read a" || err != nil || time.Since(start) != 0 {
			t.Errorf("the next run has %q after %v: %v", namesOf(got), time.Since(start), err)
		}
		close(stuck.let)
		synctest.Wait()
		if got, err := all.Now(t.Context()); namesOf(got) != "read stuck a" || err != nil {
			t.Errorf("after its answer there is %q: %v", namesOf(got), err)
		}
	})
}

func TestBuiltin(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("two built-in tools of one name")
		}
	}()
	if r := tools.NewSources(builtin.Tools(nil, builtin.Options{})).Known(); !strings.HasPrefix(namesOf(r), "get_time calculator tool_search ask_user todo") {
		t.Errorf("without a workspace: %+v", r.Specs())
	}
	tools.NewSources(listOf("a", "a"))
}
