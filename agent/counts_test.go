package agent_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/openai"
	"github.com/assent-ls/assent/agent/model/openai/quirkserver"
)

// counted is a lab whose model is on llama.cpp's server, with so much context and so many tokens for four bytes. Its
// chat has five long results in it. ready is called once the server is known.
func counted(t *testing.T, context int, dense float64, ready func(*quirkserver.Server)) (l *lab, s *quirkserver.Server, document string) {
	t.Helper()
	l = reads(t, 5, 32768)
	job := l.job(ask)
	job.Options.ContextSize = 32768
	if end := l.end(l.agent.Start(t.Context(), job)); end.Outcome != event.Completed || len(l.notes(compose.ShortenedBlock)) > 0 {
		t.Fatalf("%+v", end)
	}
	document = l.record(ask) + "Thanks.\n"
	s = quirkserver.New(quirkserver.LlamaCpp)
	s.Models, s.Context = []string{"coder"}, 1<<20
	b, err := openai.New(openai.Config{Name: "box", URL: "http://127.0.0.1:9931", Client: &http.Client{Transport: s}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Describe(t.Context(), "coder"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Probe(t.Context(), "coder"); err != nil {
		t.Fatal(err)
	}
	s.Context, s.Dense = context, dense
	if ready != nil {
		ready(s)
	}
	profiles, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	l.agent, l.events = agent.New(b, profiles), &agenttest.Recorder[event.Event]{}
	return l, s, document
}

// What decides is the server's count, however wrong the estimate is: a request is sent once, and is shortened only if it
// has to be. What is shown is what is sent.
func TestTheServersCountDecides(t *testing.T) {
	for _, test := range []struct {
		name      string
		context   int
		dense     float64
		shortened int
		counts    int
	}{
		{"many more tokens than estimated", 1 << 15, 4, 1, 1}, // see TestAnOverflowIsACount
		{"more, and too many to be sure once it was shortened", 16384, 3, 1, 2},
		{"far fewer tokens than estimated", 8192, 0.3, 0, 1},
		{"so few that no count is needed", 1 << 20, 1, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			l, s, document := counted(t, test.context, test.dense, nil)
			before := len(s.Chats())
			shown, err := l.agent.Inspect(t.Context(), l.job(document))
			if err != nil || len(s.Chats()) > before || shown.Uncounted != "" {
				t.Fatalf("%v, %d chats, %s", err, len(s.Chats())-before, shown.Uncounted)
			}
			if fitted := test.shortened > 0; !fitted && !shown.Estimate.Exact {
				t.Errorf("shown is %+v", shown.Estimate)
			}
			room := test.context - model.Reserve(test.context)
			if alone := model.NewMeter().Estimate(shown.Request).Margin(); test.dense < 1 && alone <= room {
				t.Errorf("it would fit by its estimate of %d, too", alone)
			}
			counts := len(s.Requests("/tokenize"))
			l.agent.Meter = model.NewMeter() // Send counts for itself
			if end := l.end(l.agent.Start(t.Context(), l.job(document))); end.Outcome != event.Completed {
				t.Fatalf("%+v", end)
			}
			if n := len(s.Chats()) - before; n != 1 {
				t.Errorf("%d chats", n)
			}
			if n := len(s.Requests("/tokenize")) - counts; n != test.counts {
				t.Errorf("it was counted %d times", n)
			}
			if notes := l.notes(compose.ShortenedBlock); len(notes) != test.shortened {
				t.Errorf("it says %q", notes)
			}
			sent := s.Requests("/v1/chat/completions")
			if body, err := l.agent.Backend().(model.Inspector).Body(t.Context(), shown.Request); err != nil || string(body) != string(sent[len(sent)-1].Body) {
				t.Errorf("shown and sent differ, %v", err)
			}
		})
	}
}

// A server that does not count in time is asked once in a run; the estimate does, and that is said.
func TestACountThatDoesNotCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, s, document := counted(t, 1<<15, 1, func(s *quirkserver.Server) {
			s.Handle("/tokenize", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
			s.Play(quirkserver.Reply{Events: []string{
				`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"f1.txt\"}"}}]}}]}`,
				`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, "[DONE]",
			}})
		})
		before, began := len(s.Chats()), time.Now()
		if end := l.end(l.agent.Start(t.Context(), l.job(document))); end.Outcome != event.Completed {
			t.Fatalf("%+v", end)
		}
		if took := time.Since(began); took != 3*time.Second { // of fake time
			t.Errorf("it took %v", took)
		}
		if chats, counts := len(s.Chats())-before, len(s.Requests("/tokenize")); chats != 2 || counts != 1 {
			t.Errorf("%d chats and %d counts", chats, counts)
		}
		sent := agenttest.Of[event.RequestSent](l.events)
		if why := sent[len(sent)-1].Why; !strings.Contains(why, "the server did not count it: there was no answer within 3s") {
			t.Error(why)
		}
		shown, err := l.agent.Inspect(t.Context(), l.job(document))
		if err != nil || shown.Estimate.Exact || !strings.Contains(shown.Uncounted, "its size is estimated") {
			t.Errorf("%v, %+v, %s", err, shown.Estimate, shown.Uncounted)
		}
	})
}

// A refusal that gives both numbers takes the place of a count: the chat is shortened by them, and asked once more.
func TestAnOverflowIsACount(t *testing.T) {
	l, s, document := counted(t, 1<<15, 4, func(s *quirkserver.Server) {
		s.Handle("/apply-template", http.NotFound)
	})
	before := len(s.Chats())
	if end := l.end(l.agent.Start(t.Context(), l.job(document))); end.Outcome != event.Completed {
		t.Fatalf("%+v", end)
	}
	if n, notes := len(s.Chats())-before, l.notes(compose.ShortenedBlock); n != 2 || len(notes) != 1 {
		t.Errorf("%d chats; it says %q", n, notes)
	}
}

// A context that is smaller than was known is believed, and held from then on.
func TestAnOverflowTellsTheContext(t *testing.T) {
	l, s, document := counted(t, 1<<15, 1, nil)
	info, err := l.agent.Backend().Describe(t.Context(), "coder")
	if err != nil {
		t.Fatal(err)
	}
	l.agent.Pins.Pin(0, info)
	s.Handle("/apply-template", http.NotFound)
	s.Context = 8192
	if end := l.end(l.agent.Start(t.Context(), l.job(document))); end.Outcome != event.Completed {
		t.Fatalf("%+v", end)
	}
	if size, _ := l.agent.Pins.Pinned(info); size != 8192 {
		t.Errorf("the context has %d tokens", size)
	}
}

// A server that was asked to count and then reads much less has cut the prompt, whatever the estimate says.
func TestACutIsSeenByTheCount(t *testing.T) {
	l, s, document := counted(t, 1<<15, 1, nil)
	shown, err := l.agent.Inspect(t.Context(), l.job(document))
	if err != nil || !shown.Estimate.Exact {
		t.Fatalf("%+v, %v", shown.Estimate, err)
	}
	s.Play(quirkserver.Reply{Events: []string{
		`{"choices":[{"index":0,"delta":{"content":"What?"}}]}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
		fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":2}}`, shown.Estimate.Tokens*8/10), "[DONE]",
	}})
	if end := l.end(l.agent.Start(t.Context(), l.job(document))); end.Outcome != event.Completed {
		t.Fatalf("%+v", end)
	}
	if cuts := l.notes(agent.CutBlock); len(cuts) != 1 || !strings.Contains(cuts[0], "It was asked again, with old results shortened.") {
		t.Errorf("it says %q", cuts)
	}
}
