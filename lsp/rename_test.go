package lsp_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/tools/userstate"
)

// Renaming in a chat writes its title into the front matter, whatever is there, and changes nothing else.
func TestAChatIsRenamed(t *testing.T) {
	const plain = "## You\n\nWhat is here?\n"
	for _, encoding := range []string{"utf-8", "utf-16"} {
		for name, tt := range map[string]struct {
			text        string
			line, at    uint32
			placeholder string // empty: nothing can be renamed there
			to, want    string // without want it is refused with what to says
			refusal     string
		}{
			"no front matter":     {plain, 0, 3, "What is here?", "A \"tale\": of\ttwo\ncities", "---\ntitle: \"A \\\"tale\\\": of two cities\"\n---\n\n" + plain, ""},
			"on the title":        {"---\nmodel: m\ntitle: Old 😀 # mine\n---\n" + plain, 2, 9, "Old 😀", "New", "---\nmodel: m\ntitle: New\n---\n" + plain, ""},
			"on another line":     {"---\nmodel: m\n---\n" + plain, 1, 2, "What is here?", "New", "---\nmodel: m\ntitle: New\n---\n" + plain, ""},
			"on the key":          {"---\ntitle: Old\n---\n" + plain, 1, 2, "Old", "New", "---\ntitle: New\n---\n" + plain, ""},
			"on the end":          {"---\nmodel: m\n---\n" + plain, 2, 3, "What is here?", "New", "---\nmodel: m\ntitle: New\n---\n" + plain, ""},
			"behind the title":    {"---\ntitle: Old   \n---\n" + plain, 1, 13, "Old", "New", "---\ntitle: New\n---\n" + plain, ""},
			"a title to write":    {"---\ntitle:\n---\n## You\n\n", 1, 6, "title", "New", "---\ntitle: New\n---\n## You\n\n", ""},
			"CRLF":                {"---\r\ntitle: Old\r\n---\r\n## You\r\n\r\nHi\r\n", 1, 8, "Old", "New", "---\r\ntitle: New\r\n---\r\n## You\r\n\r\nHi\r\n", ""},
			"an empty chat":       {"## You\n\n", 0, 0, "title", "New", "---\ntitle: New\n---\n\n## You\n\n", ""},
			"in a question":       {plain, 2, 3, "-", "New", "", "nothing here has a name"},
			"an empty title":      {plain, 0, 0, "What is here?", " \n", "", "write a title"},
			"a long title":        {plain, 0, 0, "What is here?", strings.Repeat("a", 300), "", "at most 200"},
			"front matter in one": {"---\n{model: m}\n---\n" + plain, 3, 0, "What is here?", "New", "", "cannot take a title"},
		} {
			t.Run(encoding+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					l := newLab(t, "turn\nhang\n", lsptest.Options{Encodings: []string{encoding}}, map[string]string{chat: tt.text, "main.go": program})
					defer l.Leave()
					l.Open(chat)
					l.Open("main.go")
					params := map[string]any{
						"textDocument": map[string]any{"uri": "file://" + l.Dir + "/" + chat}, "position": protocol.Position{Line: tt.line, Character: tt.at},
					}
					var found *struct {
						Range       protocol.Range
						Placeholder string
					}
					l.must(l.Editor.Call("textDocument/prepareRename", params, &found))
					if (found != nil) != (tt.placeholder != "-") || found != nil && (found.Placeholder != tt.placeholder || found.Range.Start.Line != tt.line || found.Range.End.Line != tt.line || found.Range.Start.Character > tt.at || found.Range.End.Character < tt.at) {
						t.Errorf("prepared %+v, want %q", found, tt.placeholder)
					}
					params["newName"] = tt.to
					var edit protocol.WorkspaceEdit
					err := l.Editor.Call("textDocument/rename", params, &edit)
					if tt.want == "" {
						if err == nil || !strings.Contains(err.Error(), tt.refusal) {
							t.Errorf("refused with %v", err)
						}
						return
					}
					l.must(err)
					l.must(l.Choose(protocol.CodeAction{Edit: &edit}))
					if got := l.Text(chat); got != tt.want {
						t.Errorf("got %q, want %q", got, tt.want)
					}
					var none *struct{ Placeholder string }
					l.Ask("textDocument/prepareRename", "main.go", "func", &none)
					if none != nil {
						t.Errorf("a file that is no chat has %+v", none)
					}
				})
			})
		}
	}
}

// All chats of all folders are found, as they are in the editor or on disk, with their questions.
func TestChatsAreFoundAsSymbols(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\nhang\n", lsptest.Options{}, map[string]string{
			chat:                                    "## You\n\nOld words.\n",
			".assent/chats/2000-01-01-1.chat.md":    "---\ntitle: Weather \u202e map\n---\n\n## You\n\nHow warm?\n\n## Assistant\n\n## You\nis no heading here? It is.\n\n## You\n\nAnd then?\n",
			".assent/chats/.gitignore":              "*\n",
			"deep/er/closed.chat.md":                "## You\n\nFar away\n",
			"ignored/x.chat.md":                     "## You\n\nNever\n",
			".gitignore":                            "ignored/\n",
			"notes.md":                              "## You\n\nNo chat\n",
			"odd/\xff.chat.md":                      "## You\n\nOdd name\n",
			"odd/bid\u202edi.chat.md":               "## You\n",
			".assent/chats/2000-01-01-2.chat.md":    "\x00\xff\n## You\n\nWarm\x00 bytes\n",
			".assent/chats/2000-01-01-long.chat.md": "## You\n\nLong\n" + strings.Repeat("x\n", 5<<20),
		})
		defer l.Leave()
		l.Open(chat)
		l.Replace(chat, "Old words", "Unsaved words")
		find := func(query string) string {
			var list []protocol.SymbolInformation
			l.must(l.Editor.Call("workspace/symbol", map[string]any{"query": query}, &list))
			var all []string
			for _, s := range list {
				at := strings.TrimPrefix(string(s.Location.URI), "file://"+l.Dir+"/")
				all = append(all, strings.Join([]string{s.Name, s.ContainerName, at, string('0' + rune(s.Location.Range.Start.Line))}, "|"))
			}
			return strings.Join(all, "\n")
		}
		for query, want := range map[string]string{
			"unsaved": "Unsaved words.||ask.chat.md|0",
			"Old":     "",
			"wmap":    "Weather <U+202E> map||.assent/chats/2000-01-01-1.chat.md|0",
			"then":    "And then?|Weather <U+202E> map|.assent/chats/2000-01-01-1.chat.md|=",
			"faraway": "Far away||deep/er/closed.chat.md|0",
			"far":     "Far away||deep/er/closed.chat.md|0",
			"never":   "",
			"No chat": "",
			"biddi":   "bid<U+202E>di||odd/bid%E2%80%AEdi.chat.md|0",
		} {
			if got := find(query); got != want {
				t.Errorf("%q finds\n%s\nwant\n%s", query, got, want)
			}
		}
		if all := find(""); !strings.Contains(all, "Far away") || !strings.Contains(all, "Unsaved words") {
			t.Errorf("all are\n%s", all)
		}
		l.must(l.Editor.Call("workspace/symbol", map[string]any{"query": strings.Repeat("x", 1<<16)}, nil))
	})
}

// In a folder that the editor knows by a link, an open chat is found once, under the name that the editor has for it.
func TestChatsBehindALinkAreFoundOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		link := filepath.Join(t.TempDir(), "link")
		l := &lab{config: t.TempDir()}
		files := t.TempDir()
		for name, text := range map[string]string{chat: "## You\n\nOpen one\n", "other.chat.md": "## You\n\nClosed one\n"} {
			if err := os.WriteFile(filepath.Join(files, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(files, link); err != nil {
			t.Fatal(err)
		}
		_, transport := agenttest.StartInMemory(t, "turn\nhang\n")
		state, err := userstate.OpenState(filepath.Join(t.TempDir(), "state"))
		if err != nil {
			t.Fatal(err)
		}
		l.Env = lsptest.NewEnv(t, serveWith(t, state, l.config, transport), link, lsptest.Options{})
		defer l.Leave()
		l.Open(chat)
		var list []protocol.SymbolInformation
		l.must(l.Editor.Call("workspace/symbol", map[string]any{"query": ""}, &list))
		var got []string
		for _, s := range list {
			got = append(got, s.Name+" "+strings.TrimPrefix(string(s.Location.URI), "file://"+link+"/"))
		}
		slices.Sort(got)
		if diff := cmp.Diff([]string{"Closed one other.chat.md", "Open one ask.chat.md"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// A title is changed in the version of the document that it was made for, where the editor takes that.
func TestARenameHasTheVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\nhang\n", lsptest.Options{Capabilities: lensing()}, map[string]string{chat: "## You\n\nHi\n"})
		defer l.Leave()
		l.Open(chat)
		l.Type(chat, "More\n")
		var edit protocol.WorkspaceEdit
		l.must(l.Editor.Call("textDocument/rename", map[string]any{
			"textDocument": map[string]any{"uri": l.uri(chat)}, "position": protocol.Position{}, "newName": "New",
		}, &edit))
		if len(edit.Changes) != 0 || len(edit.DocumentChanges) != 1 || edit.DocumentChanges[0].TextDocument.Version == nil || *edit.DocumentChanges[0].TextDocument.Version == 0 {
			t.Errorf("%+v", edit)
		}
	})
}
