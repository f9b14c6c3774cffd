package lsp_test

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/lsptest"
)

// TestTheEditorIsAsked: a model calls tools whose answers the editor gives. Columns go over the wire in the encoding of
// the connection, and the edits that format a file become an edit that is asked about.
func TestTheEditorIsAsked(t *testing.T) {
	for _, encoding := range []string{"utf-8", "utf-16"} {
		t.Run(encoding, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				asked := map[string]string{}
				var file string
				answer := func(method string, params json.RawMessage) (any, error) {
					mu.Lock()
					defer mu.Unlock()
					asked[method] = string(params)
					switch method {
					case ext.DiagnosticsMethod:
						own := ext.Diagnostic{URI: file, Severity: 4, Source: "assent", Message: "ours"}
						return ext.Diagnostics{Diagnostics: []ext.Diagnostic{own, {URI: file, Severity: 1, Source: "gopls", Message: "undefined: Count"}}}, nil
					case ext.DefinitionMethod:
						return ext.Locations{Locations: []ext.Location{{URI: file, Range: ext.Range{Start: ext.Position{Line: 1}}}}}, nil
					case ext.FormatMethod:
						at := func(line uint32) ext.Range {
							return ext.Range{Start: ext.Position{Line: line}, End: ext.Position{Line: line}}
						}
						return ext.Edits{Edits: []ext.Edit{{Range: at(2), NewText: "// two\n"}, {Range: at(1), NewText: "// one\n"}}}, nil
					}
					return nil, errors.New("not asked for")
				}
				script := "turn\ncall get_diagnostics {}\nturn\ncall find_definition {\"path\":\"a.go\",\"symbol\":\"Count\"}\n" +
					"turn\ncall format_file {\"path\":\"a.go\"}\nturn\nsay: Done.\n"
				l := newLab(t, script, lsptest.Options{
					Encodings: []string{encoding}, Settings: map[string]any{"toolFormat": "native"},
					Assent: map[string]any{"editor": []string{"diagnostics", "definition", "format"}}, Answer: answer,
				}, map[string]string{chat: "## You\n\nLook.\n", "a.go": "package a\nvar 💡ä, Count int\n"})
				defer l.Leave()
				file = l.uri("a.go")
				l.Open(chat)
				l.Open("a.go")
				l.must(l.Do(chat, "Look", "Send"))
				l.waitDiagnostic("Waits for your answer: format a.go")
				text := l.Text(chat)
				for _, want := range []string{"a.go:1: error: undefined: Count (gopls)\n", "a.go:2: var 💡ä, Count int\n"} {
					if !strings.Contains(text, want) {
						t.Errorf("the chat lacks %q:\n%s", want, text)
					}
				}
				if strings.Contains(text, "ours") {
					t.Error("our own diagnostics came back")
				}
				column := map[string]string{"utf-8": "12", "utf-16": "9"}[encoding]
				mu.Lock()
				if want := `{"uri":"` + file + `","position":{"line":1,"character":` + column + `}}`; asked[ext.DefinitionMethod] != want {
					t.Errorf("asked %s", asked[ext.DefinitionMethod])
				}
				mu.Unlock()
				l.must(l.Do(chat, "format_file c3", "Approve once"))
				l.WaitText(chat, "Done.")
				if got := l.Text("a.go"); got != "package a\n// one\nvar 💡ä, Count int\n// two\n" {
					t.Errorf("the file is %q", got)
				}
			})
		})
	}
}

// TestTypedWhileTheEditorFormats: edits are those of the text that the editor had.
func TestTypedWhileTheEditorFormats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l *lab
		l = newLab(t, "turn\ncall format_file {\"path\":\"a.go\"}\nturn\nsay: Done.\n", lsptest.Options{
			Settings: map[string]any{"toolFormat": "native"}, Assent: map[string]any{"editor": []string{"format"}},
			Answer: func(string, json.RawMessage) (any, error) {
				l.Type("a.go", "// typed\n")
				return ext.Edits{Edits: []ext.Edit{{Range: ext.Range{Start: ext.Position{Line: 1}, End: ext.Position{Line: 2}}}}}, nil
			},
		}, map[string]string{chat: "## You\n\nFormat it.\n", "a.go": "package a\nvar b int\n"})
		defer l.Leave()
		l.Open(chat)
		l.Open("a.go")
		l.must(l.Do(chat, "Format", "Send"))
		l.WaitText(chat, "Done.")
		if got := l.Text(chat); !strings.Contains(got, "the editor's text is another one") {
			t.Errorf("the chat is\n%s", got)
		}
	})
}

// TestAnEditorThatAnswersBadly: each is a result that the model can act on; nothing is changed.
// Promise 4.
func TestAnEditorThatAnswersBadly(t *testing.T) {
	for name, tt := range map[string]struct {
		answer any
		err    error
		want   string
	}{
		"an error":      {nil, errors.New("busy"), "The editor could not answer: assent/editor/format: the editor refused: busy."},
		"another shape": {map[string]any{"edits": 7}, nil, "The editor could not answer: assent/editor/format: the editor's answer does not fit"},
		"overlapping": {ext.Edits{Edits: []ext.Edit{
			{Range: ext.Range{End: ext.Position{Line: 2}}}, {Range: ext.Range{Start: ext.Position{Line: 1}, End: ext.Position{Line: 2}}},
		}}, nil, "gave edits that overlap"},
		"turned around": {ext.Edits{Edits: []ext.Edit{{Range: ext.Range{Start: ext.Position{Line: 1}}}}}, nil, "a range that is turned around"},
		"nothing":       {ext.Edits{}, nil, `"a.go" is formatted already: nothing was changed.`},
		"null":          {nil, nil, `"a.go" is formatted already: nothing was changed.`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab(t, "turn\ncall format_file {\"path\":\"a.go\"}\nturn\nsay: Done.\n", lsptest.Options{
					Settings: map[string]any{"toolFormat": "native"}, Assent: map[string]any{"editor": []string{"format"}},
					Answer: func(string, json.RawMessage) (any, error) { return tt.answer, tt.err },
				}, map[string]string{chat: "## You\n\nFormat it.\n", "a.go": "package a\nvar b int\n"})
				defer l.Leave()
				l.Open(chat)
				l.Open("a.go")
				l.must(l.Do(chat, "Format", "Send"))
				l.WaitText(chat, "Done.")
				if got := l.Text(chat); !strings.Contains(strings.ToLower(got), strings.ToLower(tt.want)) {
					t.Errorf("the chat is\n%s", got)
				}
				if got := l.Text("a.go"); got != "package a\nvar b int\n" {
					t.Errorf("the file is %q", got)
				}
			})
		})
	}
}
