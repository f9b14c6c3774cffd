package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/documents"
)

// serveClient starts a server that has met a client with these capabilities, which answers each method so.
func serveClient(t *testing.T, capabilities string, answers map[string]string) *wireEditor {
	t.Helper()
	e := serveWire(t, Handlers{})
	e.answer = func(method string) string { return answers[method] }
	e.read()
	e.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":` + capabilities + `}}`)
	synctest.Wait()
	return e
}

func TestShowDocument(t *testing.T) {
	at := protocol.Range{Start: protocol.Position{Line: 6}, End: protocol.Position{Line: 6}}
	for name, c := range map[string]struct {
		capabilities, answer string
		want                 []string // methods sent
	}{
		"shown":   {`{"window":{"showDocument":{"support":true}}}`, `{"success":true}`, []string{"window/showDocument"}},
		"cannot":  {`{}`, ``, []string{"window/showMessage"}},
		"did not": {`{"window":{"showDocument":{"support":true}}}`, `{"success":false}`, []string{"window/showDocument", "window/showMessage"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := serveClient(t, c.capabilities, map[string]string{"window/showDocument": c.answer})
				if err := e.srv.Client().ShowDocument(context.Background(), "file:///w/a%20b.md", at, "A call waits"); err != nil {
					t.Error(err)
				}
				var got []string
				for _, body := range e.all()[1:] {
					var msg struct{ Method string }
					if err := json.Unmarshal([]byte(body), &msg); err != nil {
						t.Fatal(err)
					}
					got = append(got, msg.Method)
					if msg.Method == "window/showMessage" && !strings.Contains(body, "A call waits: /w/a b.md, line 7.") {
						t.Errorf("the message says %s", body)
					}
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Error(diff)
				}
				e.close()
			})
		})
	}
}

func TestConfiguration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := serveClient(t, `{"workspace":{"configuration":true}}`, map[string]string{"workspace/configuration": `[{"model":"m"}]`})
		got, err := e.srv.Client().Configuration(context.Background(), "assent")
		if string(got) != `{"model":"m"}` || err != nil {
			t.Errorf("got %s, %v", got, err)
		}
		e.close()
	})
	synctest.Test(t, func(t *testing.T) {
		e := serveClient(t, `{}`, nil)
		if _, err := e.srv.Client().Configuration(context.Background(), "assent"); !errors.Is(err, ErrUnsupported) {
			t.Errorf("got %v", err)
		}
		e.close()
	})
}

// A request that waits when the editor dies ends at once.
func TestCallEndsWithTheConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := serveClient(t, `{"workspace":{"applyEdit":true}}`, nil)
		failed := make(chan error, 1)
		go func() {
			_, err := e.srv.Client().ApplyEdit(context.Background(), "file:///a", 1)
			failed <- err
		}()
		synctest.Wait()
		e.close()
		if err := <-failed; !errors.Is(err, errClosed) {
			t.Errorf("got %v", err)
		}
		if err := e.srv.Client().ShowMessage(context.Background(), protocol.MessageTypeInfo, "anybody?"); !errors.Is(err, errClosed) {
			t.Errorf("got %v", err)
		}
		e.srv.Client().StartProgress("nobody sees it", nil).End("")
	})
}

// The library's reader would block on a second answer to a call that nobody waits for any more.
func TestSecondAnswerIsDropped(t *testing.T) {
	answer := frame(`{"jsonrpc":"2.0","id":1,"result":1}`)
	in := struct {
		io.Reader
		io.WriteCloser
	}{strings.NewReader(answer + answer + answer), nopCloser{&bytes.Buffer{}}}
	s := newStream(in, slog.New(slog.DiscardHandler))
	call, err := jsonrpc2.NewCall(jsonrpc2.NewNumberID(1), "a", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(context.Background(), call); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Read(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Read(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("got %v", err)
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// What a client says in a shape that is not the protocol's counts as not said, and the rest holds: some write an empty
// list for an empty object.
func TestOddCapabilities(t *testing.T) {
	for _, odd := range []string{
		`"textDocument":{"codeLens":[]}`, `"textDocument":{"codeLens":true}`, `"textDocument":{"rename":{"dynamicRegistration":0}}`, `"textDocument":{"foldingRange":[]}`,
		`"textDocument":{"semanticTokens":{"requests":true,"tokenTypes":"all"}}`, `"textDocument":[]`, `"window":[]`, `"general":{"positionEncodings":{}}`, `"experimental":7`,
	} {
		synctest.Test(t, func(t *testing.T) {
			e := serveWire(t, Handlers{})
			e.read()
			e.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{` + odd + `,"workspace":{"codeLens":[],"applyEdit":true}}}}`)
			if code, answered := e.codes()["1"]; !answered || code != 0 || !e.srv.Client().Capabilities().Workspace.ApplyEdit {
				t.Errorf("%s: %d %+v", odd, code, e.srv.Client().Capabilities())
			}
			e.close()
		})
	}
}

// Only who takes edits without saying so, and names neither itself nor an encoding, is taken for ALE, which counts
// bytes.
func TestCountsBytes(t *testing.T) {
	for _, c := range []struct {
		info    string
		assumed bool
		offered []documents.Encoding
		want    bool
	}{
		{assumed: true, want: true},
		{},
		{info: "vim", assumed: true},
		{assumed: true, offered: []documents.Encoding{documents.UTF16}},
	} {
		client := &Client{}
		params := InitializeParams{}
		params.ClientInfo.Name, params.Capabilities.General.PositionEncodings = c.info, c.offered
		client.introduced(params)
		if c.assumed {
			client.AssumeEdits()
		}
		if got := client.CountsBytes(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
