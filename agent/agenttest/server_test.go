package agenttest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/agent/model"
)

// ask posts a body to a handler and returns what it answered.
func ask(t *testing.T, handler http.Handler, path, body string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body)))
	return w.Code, w.Body.String()
}

// post starts a chat over the network. The caller closes the body.
func post(t *testing.T, base *url.URL) *http.Response {
	t.Helper()
	body := strings.NewReader(helloChat + "}")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base.String()+"/api/chat", body)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func scripted(t *testing.T, script string) *Server {
	t.Helper()
	parsed, err := ParseScript(script)
	if err != nil {
		t.Fatal(err)
	}
	return NewServer(parsed)
}

const helloChat = `{"model":"qwen2.5-coder:1.5b","messages":[{"role":"user","content":"say \"hello\""}]`

func TestMismatches(t *testing.T) {
	for _, test := range []struct{ name, turn, body, want string }{
		{"expected", "expect: bye", helloChat + "}", `script, turn 1: the request does not contain \"bye\"`},
		{"not expected", "expect-not: say \"hello", helloChat + "}", "the request contains"},
		{"the last message", "expect-last: user", helloChat + "}", "the last message does not contain"},
		{"native call without tools", "call ls {}", helloChat + "}", "offers no tools"},
		{"guided without format", "json {}", helloChat + "}", "has no format"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := scripted(t, "turn\n"+test.turn)
			code, answer := ask(t, s, "/api/chat", test.body)
			if code != http.StatusInternalServerError || !strings.Contains(answer, test.want) {
				t.Errorf("%d %s", code, answer)
			}
			if got := s.Mismatches(); len(got) != 1 {
				t.Errorf("mismatches: %q", got)
			}
		})
	}
}

func TestMatches(t *testing.T) {
	s := scripted(t, `
turn
expect: say "hello"
expect: tool definition: {"function":{"name":"ls"}}
expect: "num_ctx":512
expect-last: hello
call ls {}
turn repeat
json {"a": 1}
`)
	tools := helloChat + `,"tools":[{"function":{"name":"ls"}}],"format":{"type":"object"},"options":{"num_ctx":512}}`
	for range 3 {
		if code, answer := ask(t, s, "/api/chat", tools); code != http.StatusOK || !strings.HasSuffix(answer, "}\n") {
			t.Errorf("%d %s", code, answer)
		}
	}
	if s.Remaining() != 0 || len(s.Mismatches()) != 0 || len(s.Chats()) != 3 {
		t.Errorf("%d turns left, mismatches %q, %d chats", s.Remaining(), s.Mismatches(), len(s.Chats()))
	}
}

func TestTurnsRunOut(t *testing.T) {
	s := scripted(t, "turn\nsay: once")
	if s.Remaining() != 1 {
		t.Errorf("%d turns left", s.Remaining())
	}
	ask(t, s, "/api/chat", helloChat+"}")
	if code, answer := ask(t, s, "/api/chat", helloChat+"}"); code != http.StatusInternalServerError || !strings.Contains(answer, "only 1 turns") {
		t.Errorf("%d %s", code, answer)
	}
}

// What real servers refuse, this one refuses.
func TestRefusals(t *testing.T) {
	s := scripted(t, "model plain capabilities=completion\nturn repeat\nsay: never")
	for _, test := range []struct {
		path, body string
		code       int
		want       string
	}{
		{"/api/chat", `{"model":"other"}`, http.StatusNotFound, "model 'other' not found"},
		{"/api/show", `{"model":"other"}`, http.StatusNotFound, "model 'other' not found"},
		{"/api/chat", `{"model":"plain","tools":[{}]}`, http.StatusBadRequest, "does not support tools"},
		{"/api/chat", `{"model":"plain","think":true}`, http.StatusBadRequest, "does not support thinking"},
		{"/api/chat", `{`, http.StatusBadRequest, "EOF"},
		{"/api/nothing", `{}`, http.StatusNotFound, "not found"},
	} {
		if code, answer := ask(t, s, test.path, test.body); code != test.code || !strings.Contains(answer, test.want) {
			t.Errorf("%s %s: %d %s", test.path, test.body, code, answer)
		}
	}
}

// Loading takes its time once per context size, and what is loaded shows.
func TestLoading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scripted(t, "slow-load 10s\nturn repeat\nsay: hi")
		for _, test := range []struct {
			size string
			want time.Duration
		}{{"512", 10 * time.Second}, {"512", 0}, {"1024", 10 * time.Second}} {
			started := time.Now()
			ask(t, s, "/api/chat", helloChat+`,"options":{"num_ctx":`+test.size+`}}`)
			if took := time.Since(started); took != test.want {
				t.Errorf("context %s took %v, want %v", test.size, took, test.want)
			}
		}
		if _, answer := ask(t, s, "/api/ps", ""); !strings.Contains(answer, `"context_length":1024`) {
			t.Error(answer)
		}
	})
}

// A hold ends by one release, whichever comes first, or with the client.
func TestHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := scripted(t, "turn repeat\nsay: before\nhold\nsay: after")
		s.Release()
		if _, answer := ask(t, s, "/api/chat", helloChat+"}"); !strings.Contains(answer, "after") {
			t.Errorf("released ahead, it answered %s", answer)
		}
		answered := make(chan string, 1)
		go func() {
			_, answer := ask(t, s, "/api/chat", helloChat+"}")
			answered <- answer
		}()
		synctest.Wait()
		select {
		case answer := <-answered:
			t.Errorf("not released, it answered %s", answer)
		default:
		}
		s.Release()
		if answer := <-answered; !strings.Contains(answer, "after") {
			t.Errorf("released, it answered %s", answer)
		}

		ctx, leave := context.WithCancel(t.Context())
		left := httptest.NewRecorder()
		time.AfterFunc(time.Second, leave)
		s.ServeHTTP(left, httptest.NewRequestWithContext(ctx, http.MethodPost, "/api/chat", strings.NewReader(helloChat+"}")))
		if answer := left.Body.String(); !strings.Contains(answer, "before") || strings.Contains(answer, "after") {
			t.Errorf("a client that left was answered %s", answer)
		}
	})
}

// Promise 4.
func TestState(t *testing.T) {
	s := scripted(t, "turn\nexpect: bye\nturn\nsay: x")
	ask(t, s, "/api/chat", helloChat+"}")
	_, answer := ask(t, s, "/scripted/state", "")
	var state struct {
		Requests   []Request
		Mismatches []string
		Remaining  int
	}
	if err := json.Unmarshal([]byte(answer), &state); err != nil {
		t.Fatal(err)
	}
	if len(state.Requests) != 1 || state.Requests[0].Text != "user: say \"hello\"\n" || !state.Requests[0].Answered ||
		len(state.Mismatches) != 1 || state.Remaining != 1 {
		t.Errorf("%+v", state)
	}
}

// A script must be able to break every promise that a stream makes.
func TestFaultsOnTheWire(t *testing.T) {
	for _, test := range []struct{ name, turn, want string }{
		{"raw", "raw: <x>\nend-without-done", "<x>\n"},
		{"error line", "error-line: bad \"luck\"", "{\"error\":\"bad \\\"luck\\\"\"}\n"},
		{"status", "status 503 busy", "{\"error\":\"busy\"}\n"},
		{"end without done", "end-without-done", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, answer := ask(t, scripted(t, "turn\n"+test.turn), "/api/chat", helloChat+"}"); answer != test.want {
				t.Errorf("got %q", answer)
			}
		})
	}
	_, whole := ask(t, scripted(t, "turn\nno-newline\nsay: a"), "/api/chat", helloChat+"}")
	if lines := strings.Split(whole, "\n"); len(lines) != 2 || !strings.Contains(lines[1], `"done":true`) {
		t.Errorf("got %q", whole)
	}
	_, base := Start(t, "turn\nsay: a\ncut")
	response := post(t, base)
	defer func() { _ = response.Body.Close() }()
	if body, err := io.ReadAll(response.Body); err == nil || !strings.Contains(string(body), `"content":"a"`) {
		t.Errorf("a cut stream gave %q, %v", body, err)
	}
}

func TestWaitGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := scripted(t, "").WaitGone(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func TestScripted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := &model.Error{Kind: model.Incomplete, Sentence: "broken"}
		b := &Scripted{Replies: []Reply{
			Say("hello"),
			{Chunks: []model.Chunk{{Text: "half"}}, Err: broken},
			CallTool("ls", `{"path":"."}`),
			{Chunks: []model.Chunk{{Text: "slow"}}, Pause: time.Hour, Hang: true},
		}}
		chat := func(ctx context.Context) (chunks []model.Chunk, err error) {
			err = b.Chat(ctx, model.Request{}, func(c model.Chunk) error {
				chunks = append(chunks, c)
				return nil
			})
			return chunks, err
		}
		if chunks, err := chat(t.Context()); err != nil || len(chunks) != 2 || chunks[1].Done == nil {
			t.Errorf("%+v, %v", chunks, err)
		}
		if chunks, err := chat(t.Context()); !errors.Is(err, broken) || len(chunks) != 1 {
			t.Errorf("%+v, %v", chunks, err)
		}
		if chunks, err := chat(t.Context()); err != nil || chunks[0].Calls[0].Name != "ls" {
			t.Errorf("%+v, %v", chunks, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
		defer cancel()
		if chunks, err := chat(ctx); !errors.Is(err, context.DeadlineExceeded) || len(chunks) != 1 {
			t.Errorf("%+v, %v", chunks, err)
		}
		if _, err := chat(t.Context()); err == nil {
			t.Error("a fifth reply")
		}
		if _, err := b.Describe(t.Context(), "absent"); err == nil {
			t.Error("a model that is not there")
		}
		if len(b.Requests()) != 5 {
			t.Errorf("%d requests", len(b.Requests()))
		}
	})
}

// A client that closes as soon as it has the last line did not go away.
func TestAnsweredIsNotGone(t *testing.T) {
	server, base := Start(t, "turn repeat\nsay: hi")
	const chats = 50
	for range chats {
		response := post(t, base)
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() && !strings.Contains(lines.Text(), `"done":true`) {
		}
		_ = response.Body.Close()
	}
	err := server.Wait(t.Context(), func(requests []Request) bool {
		answered := 0
		for _, r := range requests {
			if r.Gone {
				t.Fatal("an answered client counts as gone")
			}
			if r.Answered {
				answered++
			}
		}
		return answered == chats
	})
	if err != nil {
		t.Error(err)
	}
}
