package wire

import (
	"cmp"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"go.lsp.dev/protocol"
)

// texts are what a message may come to.
var texts = []string{
	"Short.",
	strings.Repeat("x", lineColumns), strings.Repeat("x", lineColumns+1), strings.Repeat("word ", 100),
	"line\nline\r\nline", strings.Repeat("日本", 60), strings.Repeat("e\u0301", 60), "\u202e" + strings.Repeat("🙂", 60), "[label](command:run)" + strings.Repeat("\x00", 60),
}

// A client that does not say that it can show more gets one short line, and the whole in its log; the others get all of
// it.
// F14.
func TestMessagesFitIntoALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := serveClient(t, `{}`, nil)
		for _, text := range texts {
			client := e.srv.Client()
			for _, show := range []func() error{
				func() error { return client.ShowMessage(t.Context(), protocol.MessageTypeError, text) },
				func() error { return client.ShowNow(protocol.MessageTypeError, text) },
			} {
				before := len(e.all())
				if err := show(); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				shown, logged := "", ""
				for _, body := range e.all()[before:] {
					var msg struct {
						Method string
						Params protocol.ShowMessageParams
					}
					if err := json.Unmarshal([]byte(body), &msg); err != nil {
						t.Fatal(err)
					}
					if msg.Method == "window/logMessage" {
						logged = msg.Params.Message
						continue
					}
					shown = msg.Params.Message
					if msg.Params.Type < protocol.MessageTypeWarning {
						t.Errorf("%q is shown as an error", shown)
					}
				}
				if !fits(shown) {
					t.Errorf("%q does not fit into a line", shown)
				}
				if strings.HasSuffix(shown, "…") != (logged != "") || !strings.HasPrefix(logged, strings.TrimSuffix(shown, " …")) && logged != "" {
					t.Errorf("%q is shown and %q logged", shown, logged)
				}
			}
			var wire interface{ Error() string }
			if err := client.refusal(errors.New(text)); !errors.As(err, &wire) || !fits(wire.Error()) {
				t.Errorf("an error does not fit into a line: %v", err)
			}
		}
		e.close()
	})
	synctest.Test(t, func(t *testing.T) {
		e := serveClient(t, `{"experimental":{"assent":{"messages":true}}}`, nil)
		long := strings.Repeat("word ", 100) + "end"
		if got := e.srv.Client().message(protocol.MessageTypeError, long); got.Message != long || got.Type != protocol.MessageTypeError {
			t.Errorf("%q is shown as %v", got.Message, got.Type)
		}
		e.close()
	})
}

// fits reports whether a text is one line of 52 columns at most, however an editor shows what is not ASCII.
func fits(text string) bool {
	width := 0
	for _, r := range text {
		if width++; r >= 0x80 {
			width++
		}
		if r < ' ' {
			return false
		}
	}
	return width <= 52
}

// All messages go through one function: nothing else names the method.
// F14.
func TestMessagesAreSentAtOnePlace(t *testing.T) {
	sent := map[string]int{}
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && entry.Name() == "lsptest" {
			return cmp.Or(err, fs.SkipDir)
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", name), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(text.Value, `"window/showMessage`) {
				sent[name]++
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(sent) != 1 || sent["wire/message.go"] != 2 {
		t.Errorf("window/showMessage is sent at %v", sent)
	}
}
