package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools"
)

// slow is a collector that takes its time to answer.
type slow time.Duration

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-time.After(time.Duration(s)):
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(""))}, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// finished is an exporter to a slow collector, after so many runs ended at once; said gets what the user is told.
func finished(t *testing.T, answer time.Duration, runs int, said *[]string) *Exporter {
	t.Helper()
	e, err := New(Options{Endpoint: "http://collector.example:4318"})
	if err != nil {
		t.Fatal(err)
	}
	e.client.Transport = slow(answer)
	for range runs {
		e.Run("chat", func(sentence string) { *said = append(*said, sentence) }).Emit(event.Finished{Outcome: event.Completed})
	}
	return e
}

// TestSlowCollectors: how long each is waited for, at the end of the program and before it, and what is told.
func TestSlowCollectors(t *testing.T) {
	for _, c := range []struct {
		answer time.Duration
		runs   int
		pause  time.Duration // before the program ends
		ends   time.Duration // it takes so long to end
		says   string
	}{
		{answer: 900 * time.Millisecond, runs: 1, ends: 900 * time.Millisecond},
		{answer: time.Hour, runs: 1, ends: time.Second, says: "the program ended before they were sent"},
		{answer: 600 * time.Millisecond, runs: 2, ends: time.Second, says: "the program ended before they were sent"},
		{answer: time.Hour, runs: 1, pause: 6 * time.Second, says: "there is no answer within 5s"},
		{answer: time.Hour, runs: 3, pause: 16 * time.Second, says: "there is no answer within 5s"},
		{answer: time.Millisecond, runs: maxQueue, pause: time.Second},
		{answer: 4 * time.Second, runs: 3 * maxQueue, ends: time.Second, says: "the collector answers too slowly"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var said []string
			began := time.Now()
			e := finished(t, c.answer, c.runs, &said)
			if time.Since(began) != 0 {
				t.Errorf("%+v: the runs were held up", c)
			}
			e.mu.Lock()
			waiting := len(e.queue)
			e.mu.Unlock()
			if waiting > maxQueue {
				t.Errorf("%d batches wait", waiting)
			}
			time.Sleep(c.pause)
			began = time.Now()
			e.Close()
			if took := time.Since(began); took != c.ends {
				t.Errorf("%+v: it ends after %v", c, took)
			}
			if told := strings.Join(said, "\n"); len(said) > 1 || (told == "") != (c.says == "") || !strings.Contains(told, c.says) {
				t.Errorf("%+v: it says %q", c, told)
			}
		}) // which fails if a goroutine is left
	}
}

func TestEndpoints(t *testing.T) {
	for endpoint, want := range map[string]string{
		"http://127.0.0.1:4318":                 "http://127.0.0.1:4318/v1/traces",
		"http://127.0.0.1:4318/":                "http://127.0.0.1:4318/v1/traces",
		"https://me:word@host/api/otel/traces":  "https://me:word@host/api/otel/traces",
		"https://host/v1/traces?project=assent": "https://host/v1/traces?project=assent",
		"http://[::1]:4318":                     "http://[::1]:4318/v1/traces",
		"127.0.0.1:4318":                        "", "localhost": "", "grpc://host:4317": "", "file:///tmp/x": "", "http://": "", "http://:4318": "", "http://h#x": "", "http://a b": "", "http://hunter2\x7f": "",
	} {
		e, err := New(Options{Endpoint: endpoint})
		switch {
		case want == "" && (err == nil || strings.Contains(err.Error(), "hunter2")):
			t.Errorf("%q: %v", endpoint, err)
		case want != "" && (err != nil || e.address.String() != want):
			t.Errorf("%q: %v, %v", endpoint, e, err)
		}
	}
	if e, err := New(Options{}); e != nil || err != nil {
		t.Error(e, err)
	}
	var none *Exporter
	none.Run("chat", nil).Emit(event.Finished{})
	none.Close()
}

// TestAnswersOfCollectors: what is read of them is bounded, and only what they say is believed.
func TestAnswersOfCollectors(t *testing.T) {
	for answer, want := range map[string]string{
		"":                      "",
		"{}":                    "",
		`{"partialSuccess":{}}`: "",
		`{"partialSuccess":{"rejectedSpans":"0"}}`:                       "",
		`{"partialSuccess":{"rejectedSpans":"3","errorMessage":"full"}}`: "it did not take 3 spans: full",
		`{"partialSuccess":{"rejectedSpans":3}}`:                         "it did not take 3 spans: ",
		"\x0a\x00":                                                       "",
		"<html>":                                                         "",
	} {
		got := ""
		if err := rejected([]byte(answer)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q", answer, got)
		}
	}
}

// TestTimesOfCalls: what is told of calls by the events of a run, in the orders in which they come.
func TestTimesOfCalls(t *testing.T) {
	type step struct {
		after time.Duration
		event any // a stage, or how a call ended
	}
	const ms = time.Millisecond
	took := func(d time.Duration) event.CallEnded { return event.CallEnded{Result: tools.Result{Took: d}} }
	for name, c := range map[string]struct {
		steps []step
		want  string // of each call: when it began and ended, and how long it waited, in milliseconds
	}{
		"one":                 {[]step{{1 * ms, event.Executing}, {5 * ms, took(5 * ms)}}, "1-6 "},
		"asked":               {[]step{{1 * ms, event.Waiting}, {10 * ms, event.Executing}, {5 * ms, took(5 * ms)}}, "1-16/10 "},
		"denied":              {[]step{{1 * ms, event.Waiting}, {10 * ms, event.CallEnded{Denied: true}}, {0, event.CallEnded{NotRun: true}}}, "1-11/10 11-11 "},
		"asked twice":         {[]step{{1 * ms, event.Waiting}, {10 * ms, event.Executing}, {1 * ms, event.Waiting}, {20 * ms, event.Executing}, {2 * ms, took(2 * ms)}}, "1-34/30 "},
		"side by side":        {[]step{{1 * ms, event.Executing}, {9 * ms, took(9 * ms)}, {0, took(4 * ms)}, {0, took(6 * ms)}, {0, event.Waiting}, {3 * ms, event.Executing}, {1 * ms, took(1 * ms)}}, "1-10 1-5 1-7 10-14/3 "},
		"stopped at once":     {[]step{{1 * ms, event.CallEnded{NotRun: true}}}, "1-1 "},
		"a question about it": {[]step{{1 * ms, event.Waiting}, {10 * ms, event.Loading}, {1 * ms, event.RequestSent{}}, {0, event.RequestEnded{}}, {2 * ms, event.Executing}, {3 * ms, took(3 * ms)}}, "14-17 "},
	} {
		synctest.Test(t, func(t *testing.T) {
			e, err := New(Options{Endpoint: "http://collector.example"})
			if err != nil {
				t.Fatal(err)
			}
			r := newRun(e, "chat", nil)
			for _, s := range c.steps {
				time.Sleep(s.after)
				switch emitted := s.event.(type) {
				case event.Stage:
					r.Emit(event.Progress{Stage: emitted})
				case event.Event:
					r.Emit(emitted)
				}
			}
			got := ""
			for _, s := range r.spans {
				if !strings.HasPrefix(s.Name, "execute_tool") {
					continue
				}
				at := func(unix int64) int64 { return time.Unix(0, unix).Sub(r.root.began).Milliseconds() }
				got += fmt.Sprintf("%d-%d", at(s.Start), at(s.End))
				for _, a := range s.Attributes {
					if a.Key == "assent.call.waited" {
						got += fmt.Sprintf("/%.0f", *a.Value.Double*1000)
					}
				}
				got += " "
			}
			if got != c.want {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
		})
	}
}

// kept is a collector that keeps what it gets.
type kept struct{ posted []request }

func (k *kept) RoundTrip(r *http.Request) (*http.Response, error) {
	var got request
	err := json.NewDecoder(r.Body).Decode(&got)
	k.posted = append(k.posted, got)
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, err
}

// TestWhatAPersonChangedIsInTheTrace: the arguments of a call are those with which it ran.
func TestWhatAPersonChangedIsInTheTrace(t *testing.T) {
	e, err := New(Options{Endpoint: "http://collector.example", Content: true})
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(e, "chat", nil)
	r.Emit(event.CallAdded{Call: toolcall.Call{ID: "c1", Arguments: json.RawMessage(`{"path":"theirs"}`)}})
	r.Emit(event.CallWaiting{Question: event.Question{AskedCall: event.AskedCall{CallID: "c1", Arguments: json.RawMessage(`{"path":"mine"}`)}}})
	r.Emit(event.CallEnded{ID: "c1"})
	if raw, err := json.Marshal(r.spans); err != nil || !strings.Contains(string(raw), "mine") || strings.Contains(string(raw), "theirs") {
		t.Errorf("%v: %s", err, raw)
	}
}

// TestNamesThatAreNoNames: what a model wrote as the name of a tool is in no trace unless it looks like one.
func TestNamesThatAreNoNames(t *testing.T) {
	e, err := New(Options{Endpoint: "http://collector.example"})
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(e, "chat", nil)
	for _, name := range []string{"/home/me/hunter2.txt", "The password is hunter2.", "", "hunter2\n", strings.Repeat("hunter2", 10)} {
		r.Emit(event.CallEnded{ID: "c1", Name: name})
	}
	raw, err := json.Marshal(r.spans)
	if text := string(raw); err != nil || strings.Contains(text, "hunter2") || strings.Count(text, `"execute_tool _OTHER"`) != 5 {
		t.Errorf("%v: %s", err, raw)
	}
	r.Emit(event.CallEnded{ID: "c2", Name: "read_file"})
	if raw, err := json.Marshal(r.spans); err != nil || !strings.Contains(string(raw), `"execute_tool read_file"`) {
		t.Errorf("%v: %s", err, raw)
	}
}

// refusing is a collector that takes nothing.
type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusForbidden, Status: "403 Forbidden", Body: http.NoBody}, nil
}

// TestTheTokenOfACollectorIsNotShown: it may be the user, the password or a part of the query.
func TestTheTokenOfACollectorIsNotShown(t *testing.T) {
	for _, endpoint := range []string{"https://hunter2@host/v1", "https://me:hunter2@host/v1", "https://host/v1?key=hunter2"} {
		e, err := New(Options{Endpoint: endpoint})
		if err != nil {
			t.Fatal(err)
		}
		e.client.Transport = refusing{}
		var said string
		e.Run("chat", func(sentence string) { said += sentence }).Emit(event.Finished{Outcome: event.Completed})
		e.Close()
		if strings.Contains(said, "hunter2") || !strings.Contains(said, "https://host/v1 ") {
			t.Errorf("%s: %q", endpoint, said)
		}
	}
}

// TestARunThatBreaksOff: a bug that ends a run in the middle of a request leaves no span without an end.
func TestARunThatBreaksOff(t *testing.T) {
	e, err := New(Options{Endpoint: "http://collector.example", Content: true})
	if err != nil {
		t.Fatal(err)
	}
	k := &kept{}
	e.client.Transport = k
	r := e.Run("chat", nil)
	for _, emitted := range []event.Event{event.RequestSent{}, event.TextDelta{Text: "Well"}, event.Finished{Outcome: event.Broken, Err: errors.New("panic in a run")}} {
		r.Emit(emitted)
	}
	e.Close()
	if len(k.posted) != 1 || len(k.posted[0].ResourceSpans[0].ScopeSpans[0].Spans) != 2 {
		t.Fatalf("%+v", k.posted)
	}
	spans := k.posted[0].ResourceSpans[0].ScopeSpans[0].Spans
	if chat, run := spans[0], spans[1]; chat.Start == 0 || chat.End < chat.Start || run.End < chat.End || chat.ParentID != run.ID || run.Status == nil {
		t.Errorf("%+v", spans)
	}
}

// TestTypesOfAttributes are those that the semantic conventions give them: a collector may keep one column for each.
func TestTypesOfAttributes(t *testing.T) {
	e, err := New(Options{Endpoint: "http://collector.example"})
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(e, "chat", nil)
	request := model.Request{Model: "m", MaxTokens: 5, Sampling: model.Sampling{Temperature: new(0.0), TopP: new(1.0), TopK: new(20), Seed: new(7)}}
	r.Emit(event.RequestSent{Asked: event.Asked{Request: request}})
	r.Emit(event.RequestEnded{Done: model.Done{Reason: "stop", PromptTokens: 3, OutputTokens: 2}})
	r.Emit(event.StepEnded{})
	types := map[string]string{}
	for _, a := range r.spans[0].Attributes {
		for kind, is := range map[string]bool{"double": a.Value.Double != nil, "int": a.Value.Int != nil, "string": a.Value.Text != nil, "string[]": a.Value.Array != nil} {
			if is && strings.HasPrefix(a.Key, "gen_ai.") {
				types[strings.TrimPrefix(a.Key, "gen_ai.")] = kind
			}
		}
	}
	want := map[string]string{
		"operation.name": "string", "provider.name": "string", "request.model": "string", "request.max_tokens": "int", "request.seed": "int",
		"request.temperature": "double", "request.top_k": "double", "request.top_p": "double",
		"response.finish_reasons": "string[]", "usage.input_tokens": "int", "usage.output_tokens": "int",
	}
	if diff := cmp.Diff(want, types); diff != "" {
		t.Error(diff)
	}
}
