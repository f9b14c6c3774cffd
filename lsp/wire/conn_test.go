package wire

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/documents"
)

// wireEditor is the other end of a connection, in raw bytes: the tests of the chain say exactly what is sent.
type wireEditor struct {
	t    *testing.T
	conn net.Conn
	exit chan int
	srv  *Conn

	mu     sync.Mutex // guards got
	got    []string
	answer func(method string) string
}

const initialize = `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"capabilities":{"workspace":{"applyEdit":true}}}}`

// serveWire starts a server with rows at the end of a pipe. It must run inside synctest.
func serveWire(t *testing.T, h Handlers) *wireEditor {
	t.Helper()
	near, far := net.Pipe()
	e := &wireEditor{t: t, conn: near, exit: make(chan int, 1), srv: NewConn(far, slog.New(slog.DiscardHandler))}
	go func() {
		e.exit <- e.srv.Serve(context.Background(), func(context.Context, InitializeParams) (InitializeResult, Handlers, error) {
			return InitializeResult{}, h, nil
		})
	}()
	return e
}

// read collects what the server says; answers to its requests are sent if answer knows them: a result, or an error
// after the word "error".
func (e *wireEditor) read() {
	in := bufio.NewReader(e.conn)
	go func() {
		for {
			body, err := readFrame(in, maxMessage)
			if err != nil {
				return
			}
			e.mu.Lock()
			e.got = append(e.got, string(body))
			e.mu.Unlock()
			var msg struct {
				ID     json.RawMessage
				Method string
			}
			if json.Unmarshal(body, &msg) == nil && msg.Method != "" && msg.ID != nil && e.answer != nil {
				kind, answer := "result", e.answer(msg.Method)
				if refusal, ok := strings.CutPrefix(answer, "error "); ok {
					kind, answer = "error", refusal
				}
				if answer != "" {
					go e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%q:%s}`, msg.ID, kind, answer))
				}
			}
		}
	}()
}

func (e *wireEditor) raw(s string) { _, _ = io.WriteString(e.conn, s) } // a server that left is seen elsewhere

func (e *wireEditor) send(bodies ...string) {
	for _, b := range bodies {
		e.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(b), b))
	}
}

// all waits until the server is idle and returns what it said.
func (e *wireEditor) all() []string {
	synctest.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.got...)
}

// codes maps each answered id to its error code, 0 for a result.
func (e *wireEditor) codes() map[string]int {
	codes := map[string]int{}
	for _, body := range e.all() {
		var msg struct {
			ID     json.RawMessage
			Method string
			Error  struct{ Code int }
		}
		if err := json.Unmarshal([]byte(body), &msg); err != nil {
			e.t.Fatal(err)
		}
		if msg.Method == "" {
			codes[string(msg.ID)] = msg.Error.Code
		}
	}
	return codes
}

func (e *wireEditor) close() int {
	e.t.Helper()
	_ = e.conn.Close()
	return <-e.exit
}

type textParams struct {
	Text string `json:"text"`
}

func TestLifecycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := 0
		e := serveWire(t, Handlers{
			Shutdown: func(context.Context) { stopped++ },
			Rows:     []Row{Request("echo", func(_ context.Context, p textParams) (string, error) { return p.Text, nil })},
		})
		e.read()
		e.send(
			`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"too early"}}`,
			`{"jsonrpc":"2.0","method":"unknown/notification"}`,
			initialize,
			`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{}}`,
			`{"jsonrpc":"2.0","id":3,"method":"echo","params":{"text":"hello"}}`,
			`{"jsonrpc":"2.0","id":4,"method":"nobody/knows","params":{}}`,
			`{"jsonrpc":"2.0","id":5,"method":"echo","params":{"text":7}}`,
			`{"jsonrpc":"2.0","id":6,"method":"echo"}`,
			`{"jsonrpc":"2.0","method":"echo","params":{"text":"a request as a notification"}}`,
			`{"jsonrpc":"2.0","method":"$/setTrace","params":{"value":"off"}}`,
		)
		synctest.Wait()
		e.send(
			`{"jsonrpc":"2.0","id":"bye","method":"shutdown"}`,
			`{"jsonrpc":"2.0","id":7,"method":"echo","params":{"text":"too late"}}`,
		)
		want := map[string]int{
			"1": -32002, `"init"`: 0, "2": -32600, "3": 0, "4": -32601, "5": -32602, "6": -32602, `"bye"`: 0, "7": -32600,
		}
		if diff := cmp.Diff(want, e.codes()); diff != "" {
			t.Error(diff)
		}
		e.send(`{"jsonrpc":"2.0","method":"exit"}`)
		if code := <-e.exit; code != 0 || stopped != 1 {
			t.Errorf("exit status %d, stopped %d times", code, stopped)
		}
	})
}

// Invariant 14.
func TestBadInputIsAnswered(t *testing.T) {
	deep := strings.Repeat("[", 200_000)
	for name, c := range map[string]struct {
		raw  string
		want map[string]int
	}{
		"no json":            {frame("{nonsense"), map[string]int{"null": -32700}},
		"nested too deep":    {frame(deep), map[string]int{"null": -32700}},
		"a batch":            {frame("[1,2]"), map[string]int{"null": -32600}},
		"fractional id":      {frame(`{"jsonrpc":"2.0","id":1.5,"method":"echo"}`), map[string]int{"1.5": -32600}},
		"huge id":            {frame(`{"jsonrpc":"2.0","id":9999999999,"method":"echo"}`), map[string]int{"9999999999": -32600}},
		"wrong version":      {frame(`{"jsonrpc":"1.0","id":9,"method":"echo"}`), map[string]int{"9": -32600}},
		"nobody's answer":    {frame(`{"jsonrpc":"2.0","id":77,"result":1}`), map[string]int{}},
		"bad answer":         {frame(`{"jsonrpc":"2.0","id":{},"result":1}`), map[string]int{}},
		"no length":          {"Content-Type: x\r\n\r\n{}", map[string]int{"null": -32700}},
		"negative length":    {"Content-Length: -5\r\n\r\n", map[string]int{"null": -32700}},
		"length is no int":   {"Content-Length: many\r\n\r\n{}", map[string]int{"null": -32700}},
		"absurd length":      {"Content-Length: 9000000000000000000\r\n\r\n{}", map[string]int{"null": -32700}},
		"garbage":            {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", map[string]int{"null": -32700}},
		"a long line":        {strings.Repeat("x", 300_000) + "\n", map[string]int{"null": -32700}},
		"blank lines":        {"\r\n\r\n\r\n", map[string]int{"null": -32700}},
		"length too short":   {"Content-Length: 4\r\n\r\n" + `{"jsonrpc":"2.0"}`, map[string]int{"null": -32700}},
		"empty body":         {"Content-Length: 0\r\n\r\n", map[string]int{"null": -32700}},
		"lower case, spaces": {"content-length :  2\r\n\r\n{}", map[string]int{"null": -32600}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := serveWire(t, Handlers{
					Rows: []Row{Request("echo", func(_ context.Context, p textParams) (string, error) { return p.Text, nil })},
				})
				e.read()
				e.send(initialize)
				e.raw(c.raw)
				e.send(`{"jsonrpc":"2.0","id":1,"method":"echo","params":{"text":"alive"}}`)
				c.want["1"], c.want[`"init"`] = 0, 0
				if diff := cmp.Diff(c.want, e.codes()); diff != "" {
					t.Error(diff)
				}
				if code := e.close(); code != 1 {
					t.Errorf("exit status %d after the editor died", code)
				}
			})
		})
	}
}

func TestTooLargeMessageIsSkipped(t *testing.T) {
	r := bufio.NewReader(io.MultiReader(
		strings.NewReader("Content-Length: 1000\r\n\r\n"), io.LimitReader(zeros{}, 1000), strings.NewReader(frame("{}")),
	))
	var broken *frameError
	if _, err := readFrame(r, 999); !errors.As(err, &broken) {
		t.Fatalf("got %v", err)
	}
	if body, err := readFrame(r, 999); err != nil || string(body) != "{}" {
		t.Errorf("got %q, %v", body, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

func TestTruncatedMessageEndsTheServer(t *testing.T) {
	for _, raw := range []string{"", "Content-Len", "Content-Length: 50\r\n", "Content-Length: 50\r\n\r\n{\"json", "garbage"} {
		synctest.Test(t, func(t *testing.T) {
			release := make(chan struct{})
			defer close(release)
			e := serveWire(t, Handlers{
				Shutdown: func(ctx context.Context) { <-ctx.Done() }, // one that takes all its time
				Rows: []Row{Request("stuck", func(context.Context, None) (None, error) {
					<-release
					return None{}, nil
				})},
			})
			e.read()
			e.send(initialize, `{"jsonrpc":"2.0","id":1,"method":"stuck"}`)
			synctest.Wait()
			start := time.Now()
			e.raw(raw)
			if code := e.close(); code != 1 {
				t.Errorf("%q: exit status %d", raw, code)
			}
			if took := time.Since(start); took > 2*time.Second {
				t.Errorf("%q: left after %v", raw, took)
			}
		})
	}
}

func TestParentDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := serveWire(t, Handlers{})
		died := time.Now().Add(time.Minute)
		e.srv.alive = func(pid int) bool { return pid == 42 && time.Now().Before(died) }
		e.read()
		e.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":42}}`)
		code := <-e.exit
		if late := time.Since(died); code != 1 || late < 0 || late > 2*time.Second {
			t.Errorf("exit status %d, %v after the editor died", code, late)
		}
	})
}

// Invariant 14.
func TestPanicIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := serveWire(t, Handlers{Rows: []Row{
			Request("panic", func(context.Context, None) (None, error) { panic("boom") }),
			Notification("panic/too", func(context.Context, None) error { panic("boom") }),
			Request("fail", func(context.Context, None) (None, error) { return None{}, errors.New("a sentence") }),
		}})
		e.read()
		e.send(
			initialize, `{"jsonrpc":"2.0","method":"panic/too"}`, `{"jsonrpc":"2.0","id":1,"method":"panic"}`,
			`{"jsonrpc":"2.0","id":2,"method":"fail"}`,
		)
		if diff := cmp.Diff(map[string]int{`"init"`: 0, "1": -32603, "2": -32803}, e.codes()); diff != "" {
			t.Error(diff)
		}
		e.close()
	})
}

func TestOrderAndCancel(t *testing.T) {
	for _, id := range []string{"8", `"eight"`} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			var text string
			e := serveWire(t, Handlers{Rows: []Row{
				Notification("append", func(_ context.Context, p textParams) error {
					<-time.After(time.Second) // in a bubble: others run first if they may
					mu.Lock()
					defer mu.Unlock()
					text += p.Text
					return nil
				}),
				Request("text", func(context.Context, None) (string, error) {
					mu.Lock()
					defer mu.Unlock()
					return text, nil
				}),
				Request("slow", func(ctx context.Context, _ None) (None, error) {
					<-ctx.Done()
					return None{}, ctx.Err()
				}),
			}})
			e.read()
			e.send(
				initialize,
				`{"jsonrpc":"2.0","id":`+id+`,"method":"slow"}`,
				`{"jsonrpc":"2.0","id":`+id+`,"method":"slow"}`,
				`{"jsonrpc":"2.0","method":"append","params":{"text":"a"}}`,
				`{"jsonrpc":"2.0","id":1,"method":"text"}`,
				`{"jsonrpc":"2.0","method":"append","params":{"text":"b"}}`,
				`{"jsonrpc":"2.0","id":2,"method":"text"}`,
			)
			<-time.After(5 * time.Second)
			all := strings.Join(e.all(), "\n")
			for _, want := range []string{`"result":"a"`, `"result":"ab"`, `"code":-32600`} {
				if !strings.Contains(all, want) {
					t.Errorf("no %s in\n%s", want, all)
				}
			}
			e.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":` + id + `}}`)
			if e.codes()[id] != -32800 {
				t.Errorf("not cancelled:\n%s", strings.Join(e.all(), "\n"))
			}
			e.close()
		})
	}
}

func TestCancelOvertakesWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := false
		e := serveWire(t, Handlers{Rows: []Row{
			Notification("slow", func(context.Context, None) error { <-time.After(time.Minute); return nil }),
			Request("later", func(context.Context, None) (None, error) { ran = true; return None{}, nil }),
		}})
		e.read()
		e.send(
			initialize, `{"jsonrpc":"2.0","method":"slow"}`, `{"jsonrpc":"2.0","id":1,"method":"later"}`,
			`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`,
		)
		<-time.After(2 * time.Minute)
		if codes := e.codes(); codes["1"] != -32800 || ran {
			t.Errorf("codes %v, ran: %v", codes, ran)
		}
		e.close()
	})
}

func TestClientRequests(t *testing.T) {
	for name, c := range map[string]struct {
		init, answer string
		want         string // in what was sent
		err          error
		applied      bool
	}{
		"versions declared": {
			`{"capabilities":{"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true}}}}`,
			`{"applied":true}`, `"documentChanges":[{"textDocument":{"uri":"file:///a","version":3}`, nil, true,
		},
		"a known client": {
			`{"clientInfo":{"name":"Neovim"},"capabilities":{"workspace":{"applyEdit":true}}}`,
			`{"applied":false}`, `"version":3`, nil, false,
		},
		"plain": {`{"capabilities":{"workspace":{"applyEdit":true}}}`, `{"applied":true}`, `"changes":{"file:///a":[`, nil, true},
		"an error": {
			`{"capabilities":{"workspace":{"applyEdit":true}}}`,
			`error {"code":-32603,"message":"busy"}`, `workspace/applyEdit`, nil, false,
		},
		"not allowed": {`{"capabilities":{}}`, `{"applied":true}`, ``, ErrUnsupported, false},
		"no answer":   {`{"capabilities":{"workspace":{"applyEdit":true}}}`, ``, `$/cancelRequest`, ErrNoAnswer, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := serveWire(t, Handlers{})
				e.answer = func(string) string { return c.answer }
				e.read()
				e.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + c.init + `}`)
				synctest.Wait()
				start := time.Now()
				edits := []protocol.TextEdit{{NewText: "x"}}
				got, err := e.srv.Client().ApplyEdit(context.Background(), "file:///a", 3, edits...)
				if !errors.Is(err, c.err) || got.Applied != c.applied {
					t.Errorf("applied %v, %v", got.Applied, err)
				}
				if took := time.Since(start); took > clientTimeout {
					t.Errorf("took %v", took)
				}
				if all := strings.Join(e.all(), "\n"); !strings.Contains(all, c.want) {
					t.Errorf("no %s in\n%s", c.want, all)
				}
				e.close()
			})
		})
	}
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := serveWire(t, Handlers{})
		reported := make(chan struct{}) // the client answers once something is reported
		e.answer = func(string) string { <-reported; return "null" }
		e.read()
		e.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"window":{"workDoneProgress":true}}}}`)
		synctest.Wait()
		cancelled := 0
		p := e.srv.Client().StartProgress("Assent", func() { cancelled++ })
		p.Report("loading the model", nil)
		close(reported)
		synctest.Wait()
		p.Report("writing", nil)
		e.send(
			`{"jsonrpc":"2.0","method":"window/workDoneProgress/cancel","params":{"token":"assent-1"}}`,
			`{"jsonrpc":"2.0","method":"window/workDoneProgress/cancel","params":{"token":"assent-1"}}`,
			`{"jsonrpc":"2.0","method":"window/workDoneProgress/cancel","params":{"token":"another"}}`,
			`{"jsonrpc":"2.0","method":"window/workDoneProgress/cancel"}`,
		)
		synctest.Wait()
		p.End("stopped")
		p.End("again")
		p.Report("too late", nil)
		all := strings.Join(e.all()[1:], "\n")
		want := `{"jsonrpc":"2.0","method":"window/workDoneProgress/create","params":{"token":"assent-1"},"id":1}
{"jsonrpc":"2.0","method":"$/progress","params":{"token":"assent-1","value":{"kind":"begin","title":"Assent","cancellable":true,"message":"loading the model"}}}
{"jsonrpc":"2.0","method":"$/progress","params":{"token":"assent-1","value":{"kind":"report","message":"writing"}}}
{"jsonrpc":"2.0","method":"$/progress","params":{"token":"assent-1","value":{"kind":"end","message":"stopped"}}}`
		if diff := cmp.Diff(want, all); diff != "" || cancelled != 1 {
			t.Errorf("cancelled %d times, %s", cancelled, diff)
		}
		e.close()
	})
}

// An editor that is stopped (Ctrl-Z) reads nothing for a long time. The server must neither grow nor lock up.
func TestEditorThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		big := strings.Repeat("x", 1<<20)
		e := serveWire(t, Handlers{Rows: []Row{
			Request("big", func(context.Context, None) (string, error) { return big, nil }),
		}})
		e.send(initialize)
		synctest.Wait()
		client, ctx := e.srv.Client(), context.Background()
		for i := range 200 {
			diagnostics := []protocol.Diagnostic{{Message: fmt.Sprint(i, big[:10_000])}}
			if err := client.PublishDiagnostics("file:///a", int32(i), diagnostics); err != nil {
				t.Fatal(err)
			}
		}
		for id := range 30 {
			e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"big"}`, id))
		}
		synctest.Wait()
		out := e.srv.stream.out
		out.mu.Lock()
		waiting := out.bytes
		out.mu.Unlock()
		if waiting > outboxRoom+3<<20 { // one message may exceed it, and is counted twice while it is queued
			t.Errorf("%d bytes wait to be written", waiting)
		}
		if _, err := client.ApplyEdit(ctx, "file:///a", 1); !errors.Is(err, ErrNoAnswer) {
			t.Errorf("got %v", err)
		}
		e.read() // it wakes up
		codes := e.codes()
		if len(codes) != 31 {
			t.Errorf("%d answers", len(codes))
		}
		if n := strings.Count(strings.Join(e.all(), "\n"), "publishDiagnostics"); n > 2 {
			t.Errorf("%d publishDiagnostics, though newer ones replace those that wait", n)
		}
		if code := e.close(); code != 1 {
			t.Errorf("exit status %d", code)
		}
	})
}

// More messages than the budget holds at once: what is done with must be given back.
func TestBudgetIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		noted := 0
		e := serveWire(t, Handlers{Rows: []Row{
			Notification("note", func(context.Context, None) error { noted++; return nil }),
			Request("ask", func(context.Context, None) (None, error) { return None{}, nil }),
			Request("fail", func(context.Context, None) (None, error) { panic("boom") }),
		}})
		e.read()
		e.send(initialize)
		const rounds = 2000
		for i := range rounds {
			e.send(
				`{"jsonrpc":"2.0","method":"note"}`,
				fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ask"}`, 3*i),
				fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"fail"}`, 3*i+1),
				fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"unknown"}`, 3*i+2),
			)
		}
		if codes := e.codes(); len(codes) != 3*rounds+1 || noted != rounds {
			t.Errorf("%d answers, %d notes", len(codes), noted)
		}
		e.close()
	})
}

func TestProcessAlive(t *testing.T) {
	if !processAlive(os.Getpid()) {
		t.Error("this process is dead")
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && processAlive(child.Process.Pid) {
		t.Error("a process that ended is alive")
	}
}

func TestNewTableRefusesTwice(t *testing.T) {
	row := Request("a", func(context.Context, None) (None, error) { return None{}, nil })
	if _, err := newTable([]Row{row, row}); err == nil {
		t.Error("a method was bound twice")
	}
}

func TestChooseEncoding(t *testing.T) {
	for _, c := range []struct {
		offered []documents.Encoding
		want    documents.Encoding
	}{
		{nil, documents.UTF16},
		{[]documents.Encoding{"utf-16"}, documents.UTF16},
		{[]documents.Encoding{"utf-8", "utf-16", "utf-32"}, documents.UTF8},
		{[]documents.Encoding{"utf-32", "utf-8"}, documents.UTF32},
		{[]documents.Encoding{"ebcdic"}, documents.UTF16},
	} {
		if got := ChooseEncoding(c.offered); got != c.want {
			t.Errorf("%v: got %s, want %s", c.offered, got, c.want)
		}
	}
}

// Invariant 14.
func FuzzReadFrame(f *testing.F) {
	for _, seed := range []string{
		frame("{}"), "Content-Length: -1\r\n\r\n", "x\n\n" + frame("[]"), "Content-Length: 3\r\n\r\n{}}}" + frame("{}"), "\r\n", ":\xf8\xf8",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		in := string(input) + frame(`{"a":1}`) + frame(`{"b":2}`)
		r := bufio.NewReader(strings.NewReader(in))
		last := ""
		for range len(in) {
			body, err := readFrame(r, 1<<10)
			var broken *frameError
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				// Garbage that announces no length can spoil at most the message behind it.
				if !strings.ContainsAny(string(input), "0123456789") && last != `{"b":2}` {
					t.Errorf("out of step: the last message was %q", last)
				}
				return
			}
			if err != nil && !errors.As(err, &broken) {
				t.Fatalf("an error of another kind: %v", err)
			}
			if len(body) > 1<<10 {
				t.Errorf("a message of %d bytes", len(body))
			}
			last = string(body)
		}
		t.Fatal("the reader does not come to an end")
	})
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{}}`, `{"jsonrpc":"2.0","id":"x","result":null}`, `{"id":{}}`, `[`, `{"method":7}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		s := newStream(nil, slog.New(slog.DiscardHandler))
		msg, err := s.decode(body)
		if (msg == nil) == (err == nil) {
			t.Fatalf("%v, %v", msg, err)
		}
		if err != nil && strings.Contains(err.Error(), "panicked") {
			t.Error(err)
		}
	})
}
