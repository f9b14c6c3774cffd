package lsptest_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/lsp/wire"
)

// shouter is a small server: its one action turns a line into capitals, by an edit of the version it last saw.
type shouter struct {
	client *wire.Client
	delay  time.Duration // between reading the document and sending the edit

	mu      sync.Mutex // guards the fields below
	text    string
	version int32
}

func (s *shouter) saw(text string, version int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text, s.version = text, version
}

func (s *shouter) seen() (string, int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text, s.version
}

func (s *shouter) serve(t *testing.T) lsptest.Serve {
	t.Helper()
	return func(ctx context.Context, stream io.ReadWriteCloser) int {
		conn := wire.NewConn(stream, slog.New(slog.DiscardHandler))
		s.client = conn.Client()
		return conn.Serve(ctx, func(_ context.Context, p wire.InitializeParams) (r wire.InitializeResult, h wire.Handlers, err error) {
			r.Capabilities.PositionEncoding = wire.ChooseEncoding(p.Capabilities.General.PositionEncodings)
			h.Rows = []wire.Row{
				wire.Notification("initialized", func(context.Context, struct{}) error { return nil }),
				wire.Notification("textDocument/didOpen", s.didOpen),
				wire.Notification("textDocument/didChange", s.didChange),
				wire.Request("textDocument/codeAction", s.codeAction),
				wire.Request("workspace/executeCommand", s.executeCommand),
			}
			return r, h, nil
		})
	}
}

func (s *shouter) didOpen(_ context.Context, p protocol.DidOpenTextDocumentParams) error {
	s.saw(p.TextDocument.Text, p.TextDocument.Version)
	return nil
}

func (s *shouter) didChange(_ context.Context, p wire.DidChangeParams) error {
	text, _ := s.seen() // a small server: it does not follow the text
	s.saw(text, p.TextDocument.Version)
	return nil
}

func (s *shouter) codeAction(_ context.Context, p protocol.CodeActionParams) ([]protocol.CodeAction, error) {
	return []protocol.CodeAction{{
		Title:   "Shout",
		Command: &protocol.Command{Title: "Shout", Command: "shout", Arguments: []any{p.TextDocument.URI, p.Range.Start.Line}},
	}}, nil
}

func (s *shouter) executeCommand(ctx context.Context, p protocol.ExecuteCommandParams) (any, error) {
	uri := protocol.DocumentURI(p.Arguments[0].(string))
	line := uint32(p.Arguments[1].(float64))
	text, version := s.seen()
	text = strings.ToUpper(strings.Split(text, "\n")[line])
	progress := s.client.StartProgress("Shouting", nil)
	defer progress.End("done")
	<-time.After(s.delay)
	edit := protocol.TextEdit{NewText: strings.TrimSuffix(text, "\r")}
	edit.Range.Start.Line, edit.Range.End.Line, edit.Range.End.Character = line, line, 1000
	answer, err := s.client.ApplyEdit(ctx, uri, version, edit)
	switch {
	case err != nil:
		return nil, err
	case !answer.Applied:
		return nil, s.client.ShowMessage(ctx, protocol.MessageTypeInfo, "The document changed meanwhile.")
	}
	return nil, s.client.PublishDiagnostics(uri, version, []protocol.Diagnostic{{
		Range: edit.Range, Severity: protocol.DiagnosticSeverityInformation, Message: "loud",
	}})
}

func TestScenarios(t *testing.T) {
	lsptest.RunScenarios(t, "testdata/*.txtar", func(t *testing.T, _ string, _ []byte) lsptest.Serve {
		t.Helper()
		return (&shouter{delay: time.Second}).serve(t)
	})
}

// Editors of every kind, in which somebody types while an edit is on its way.
func TestEditsMeanwhile(t *testing.T) {
	for _, c := range []struct {
		edits   lsptest.Edits
		hold    time.Duration
		want    string
		message bool
		failure string
	}{
		{lsptest.Honest, 0, "hello\nmore\n", true, ""},
		{lsptest.Honest, 150 * time.Millisecond, "hello\nmore\n", true, ""},
		{lsptest.Drops, 150 * time.Millisecond, "hello\nmore\n", false, ""},
		{lsptest.Silent, 0, "hello\nmore\n", false, "did not answer"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &shouter{delay: time.Second}
			env := lsptest.NewEnv(t, s.serve(t), t.TempDir(), lsptest.Options{Edits: c.edits, Hold: c.hold})
			env.Open("a.txt")
			env.Type("a.txt", "hello\n")
			synctest.Wait()
			_, version := s.seen()
			s.saw(env.Text("a.txt"), version)
			go func() {
				<-time.After(time.Second / 2)
				env.Type("a.txt", "more\n")
			}()
			err := env.Do("a.txt", "hello", "Shout")
			if (err != nil) != (c.failure != "") || (err != nil && !strings.Contains(err.Error(), c.failure)) {
				t.Errorf("%s: %v", c.edits, err)
			}
			if got := env.Text("a.txt"); got != c.want {
				t.Errorf("%s: %q", c.edits, got)
			}
			if told := len(env.Messages()) > 0; told != c.message {
				t.Errorf("%s: messages %q", c.edits, env.Messages())
			}
			env.Leave()
		})
	}
}

func TestDie(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env := lsptest.NewEnv(t, (&shouter{}).serve(t), t.TempDir(), lsptest.Options{})
		env.Die()
	})
}
