package lsp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/convert"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/wire"
)

// codeChatActions offers to begin a chat about the chosen lines of a document, or, to a person who asked for the menu,
// about what the cursor is in. Without a selection nothing is offered by itself: that would put a mark on every line.
func (s *Server) codeChatActions(ctx context.Context, params wire.CodeActionParams) []protocol.CodeAction {
	uri := string(params.TextDocument.URI)
	snapshot, open := s.store.Get(uri)
	if !open || transcript.IsChat(uri) ||
		!chosen(snapshot, s.spanOf(snapshot, params.Range)) && params.Context.TriggerKind != invoked {
		return nil
	}
	if _, _, err := codeFile(s, uri); err != nil {
		return nil
	}
	code := ext.Code{URI: uri, Range: new(convert.ToExtRange(params.Range))}
	var out []protocol.CodeAction
	problems := othersProblems(params.Context.Diagnostics)
	if len(problems) == 0 && params.Context.TriggerKind == invoked {
		problems = problemsOn(ctx, s, uri, params.Range)
	}
	if len(problems) > 0 {
		fix := code
		fix.Problems = problems[:min(len(problems), chats.MaxProblems)]
		out = append(out, commandAction(fixTitle(len(problems)), ext.FixCode, fix))
	}
	for _, name := range []string{ext.AskAbout, ext.ExplainCode, ext.EditCode, ext.TestCode, ext.DocumentCode} {
		c, _ := commandNamed(name)
		out = append(out, commandAction(c.Title, name, code))
	}
	return append(
		out, commandAction("Chats that touched this file", ext.SearchChats, ext.Search{URI: uri, File: true}),
	)
}

func fixTitle(problems int) string {
	switch {
	case problems == 1:
		return "Fix this diagnostic"
	case problems > chats.MaxProblems:
		return fmt.Sprintf("Fix the first %d of %d diagnostics", chats.MaxProblems, problems)
	}
	return fmt.Sprintf("Fix these %d diagnostics", problems)
}

// chosen reports whether a span is a selection: a block cursor is on one character.
func chosen(d documents.Snapshot, span transcript.Span) bool {
	if span.End-span.Start > utf8.UTFMax {
		return true
	}
	return utf8.RuneCountInString(strings.ReplaceAll(d.Text.Slice(span.Start, span.End), "\r\n", "\n")) > 1
}

// codeFile finds the file of a document that a chat can be about: in an open folder, and not protected. The error is a
// sentence.
func codeFile(s *Server, uri string) (root, rel string, err error) {
	path, err := documents.PathOf(uri)
	if err != nil {
		return "", "", fmt.Errorf("%s is no file yet: save it in the workspace first", wire.DisplayPath(uri))
	}
	root = s.folders.Holding(path)
	if root == "" {
		return "", "", fmt.Errorf("%s is in no folder that the editor has open", wire.DisplayPath(uri))
	}
	at, err := s.folders.Of(path)
	if err != nil {
		return "", "", err
	}
	p, err := at.Workspace.Resolve(path)
	switch {
	case err != nil:
		return "", "", err
	case p.Protected != "":
		return "", "", errors.New(p.Protected + " So no chat about it is begun")
	}
	return root, p.Rel, nil
}

// about serves a command that begins a chat about a part of an open document.
func about(topic chats.Topic) handler[ext.Code] {
	return func(s *Server, ctx context.Context, code ext.Code) error {
		switch {
		case code.URI == "":
			return errors.New(
				"say which document: choose some lines of it, and take this from its menu of code actions",
			)
		case transcript.IsChat(code.URI):
			return errors.New("this is a chat: write there what you want, or begin from a file")
		}
		root, rel, err := codeFile(s, code.URI)
		if err != nil {
			return err
		}
		snapshot, open := s.store.Get(code.URI)
		if !open {
			return fmt.Errorf("%s is not open in the editor", wire.DisplayPath(code.URI))
		}
		if topic == chats.Fix && len(code.Problems) == 0 {
			code.Problems = problemsOn(ctx, s, code.URI, placeOf(code))
		}
		first, last := linesOf(s, snapshot, code)
		mention, err := attach.WriteMention(rel, first, last)
		if err != nil {
			return err
		}
		return s.chats.Begin(ctx, root, topic, mention, problemsIn(s, snapshot, code.Problems))
	}
}

// placeOf is the range that is meant; without one the whole document.
func placeOf(code ext.Code) protocol.Range {
	switch {
	case code.Range != nil:
		return convert.FromExtRange(*code.Range)
	case code.Position != nil:
		return convert.FromExtRange(ext.Range{Start: *code.Position, End: *code.Position})
	}
	return protocol.Range{End: protocol.Position{Line: math.MaxUint32}}
}

// linesOf are the lines, from 1, that are meant: the chosen ones, else those of what the cursor or the first problem is
// in; 0: the whole file.
func linesOf(s *Server, d documents.Snapshot, code ext.Code) (first, last int) {
	text := d.Text.String()
	lineAt := func(offset int) int { return strings.Count(text[:offset], "\n") + 1 }
	if code.Range == nil && code.Position == nil {
		return 0, 0
	}
	span := s.spanOf(d, placeOf(code))
	if chosen(d, span) {
		// the end is before the first character of the line below
		if strings.HasSuffix(text[span.Start:span.End], "\n") {
			span.End--
		}
		return wholeOr(text, lineAt(span.Start), lineAt(span.End))
	}
	at := lineAt(span.Start)
	if len(code.Problems) > 0 {
		at = lineAt(s.spanOf(d, convert.FromExtRange(code.Problems[0].Range)).Start)
	}
	if first, last, ok := attach.Around(text, at); ok {
		return first, last
	}
	return wholeOr(text, at, at)
}

// wholeOr is the given lines, or 0 where nothing is on them.
func wholeOr(text string, first, last int) (int, int) {
	n := 0
	for line := range strings.Lines(text) {
		if n++; n >= first && n <= last && strings.TrimSpace(line) != "" {
			return first, last
		}
	}
	return 0, 0
}
