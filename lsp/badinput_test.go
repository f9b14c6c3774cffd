package lsp_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// TestBadPlaces asks about places and documents that are not there: an answer or one sentence, and the server lives.
func TestBadPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\njson {\"answer\":\"Alive.\"}\n", lsptest.Options{}, story())
		defer l.Leave()
		l.Open(chat)
		l.must(l.Do(chat, "Fix it", "Send"))
		at := func(line, character uint32) map[string]uint32 {
			return map[string]uint32{"line": line, "character": character}
		}
		for _, name := range []string{chat, "never.chat.md", "README.md", ".assent/settings.json", "%zz"} {
			document := map[string]string{"uri": "file://" + l.Dir + "/" + name}
			for _, place := range []map[string]uint32{at(0, 0), at(1<<31, 5), at(2, 1<<31), at(1<<32-1, 1<<32-1)} {
				for _, end := range []map[string]uint32{place, at(0, 0)} {
					_ = l.Editor.Call("textDocument/codeAction", map[string]any{
						"textDocument": document, "range": map[string]any{"start": place, "end": end}, "context": map[string]any{"diagnostics": []any{}},
					}, nil)
				}
				for _, method := range []string{"textDocument/hover", "textDocument/completion", "textDocument/inlayHint", "textDocument/prepareRename", "textDocument/inlineCompletion"} {
					_ = l.Editor.Call(method, map[string]any{"textDocument": document, "position": place}, nil)
				}
				for _, command := range []string{"assent.retry", "assent.branch", "assent.undoEdit", "assent.resume", "assent.restoreReply"} {
					if (command == "assent.retry" || command == "assent.branch") && name != "never.chat.md" {
						continue // these work at any place, and from any other document mean the only chat
					}
					_, err := l.Execute(command, map[string]any{"uri": document["uri"], "position": place, "id": "c1"})
					if err == nil {
						t.Errorf("%s in %s worked", command, name)
					}
				}
			}
			for _, method := range []string{"textDocument/documentSymbol", "textDocument/foldingRange", "textDocument/documentLink", "textDocument/codeLens", "textDocument/semanticTokens/full"} {
				_ = l.Editor.Call(method, map[string]any{"textDocument": document}, nil)
			}
		}
		for _, arguments := range [][]any{{1}, {"x"}, {nil}, {map[string]any{"uri": 1}}, {map[string]any{}, map[string]any{}}} {
			_, _ = l.Execute("assent.approve", arguments...)
		}
		for _, d := range []string{"never.chat.md", chat} {
			l.must(l.Editor.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]string{"uri": "file://" + l.Dir + "/" + d}}))
		}
		l.must(l.Editor.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]string{"uri": "file://" + l.Dir + "/never.md"}}))
		if _, err := l.Execute("assent.retry", map[string]any{"uri": "file://" + l.Dir + "/never.chat.md"}); err == nil {
			t.Error("Retry of a chat that is not open worked on another one")
		}
		l.WaitText(chat, "Alive.")
		l.checkAfterRun()
	})
}

// TestRandomChats opens files of random bytes as chats, and edits them.
func TestRandomChats(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	words := []string{"## You\n", "## Assistant\n", "```", "````", "\n", "\r\n", "\r", "tool x c1\n", "result c1 ok\n", "---\n", "model: [", "\x00", "\xff\xfe", "𝄞", "path: |\n  x\n", "~~~", " ", "\t"}
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn repeat\njson {\"answer\":\"ok\"}\n", lsptest.Options{Encodings: []string{"utf-8"}}, nil)
		defer l.Leave()
		for range 60 {
			var b strings.Builder
			for range random.IntN(60) {
				if random.IntN(4) == 0 {
					b.WriteByte(byte(random.UintN(256)))
				}
				b.WriteString(words[random.IntN(len(words))])
			}
			l.must(os.WriteFile(filepath.Join(l.Dir, chat), []byte(strings.ToValidUTF8(b.String(), "\uFFFD")), 0o600))
			l.Open(chat)
			uri := map[string]string{"uri": "file://" + l.Dir + "/" + chat}
			for _, method := range []string{"textDocument/documentSymbol", "textDocument/foldingRange", "textDocument/documentLink", "textDocument/codeLens", "textDocument/semanticTokens/full"} {
				l.must(l.Editor.Call(method, map[string]any{"textDocument": uri}, nil))
			}
			l.CodeActions(chat, "")
			_, _ = l.Execute("assent.send") // many have nothing to send
			synctest.Wait()
			l.WaitIdle()
			<-time.After(10 * time.Second)
			l.Type(chat, words[random.IntN(len(words))])
			l.CodeActions(chat, "")
			l.Close(chat)
		}
	})
}

// TestHugeChat opens 100 MB: code actions answer, and memory stays within a few copies; docs/performance.md has
// times. With -short or the race detector it opens a tenth; `make test` has all of it in a run without that detector.
func TestHugeChat(t *testing.T) {
	size := 100 << 20
	if race || testing.Short() {
		size /= 10
	}
	turn := "## You\n\nWhy?\n\n## Assistant\n\n" + strings.Repeat("Because it is so, and was so before.\n", 200) + "\n"
	text := strings.Repeat(turn, size/len(turn)) + "## You\n\nLast one.\n"
	l := newLab(t, "turn\nhang\n", lsptest.Options{}, map[string]string{chat: text})
	defer l.Leave()
	l.Open(chat)
	ask := func() time.Duration {
		began := time.Now()
		var actions []any
		l.must(l.Editor.Call("textDocument/codeAction", map[string]any{
			"textDocument": map[string]string{"uri": "file://" + l.Dir + "/" + chat}, "range": map[string]any{
				"start": map[string]int{"line": 2}, "end": map[string]int{"line": 2},
			}, "context": map[string]any{"diagnostics": []any{}},
		}, &actions))
		if len(actions) == 0 {
			t.Error("there are no actions")
		}
		return time.Since(began)
	}
	first, again := ask(), ask()
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	t.Logf("%d MB: opening %v, a code action %v, heap %d MB with the editor's own copies", len(text)>>20, first, again, memory.HeapAlloc>>20)
	if limit := uint64(12 * size); memory.HeapAlloc > limit {
		t.Errorf("the heap holds %d MB", memory.HeapAlloc>>20)
	}
}
