package lsp_test

import (
	"testing"
	"testing/synctest"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// What a reply took of the context is shown while nothing is written: Emacs shows an answer at the place that it had in
// an older text. An editor that can ask again is told to.
func TestNoHintWhileAReplyIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		caps := lensing()
		caps["workspace"].(map[string]any)["inlayHint"] = map[string]bool{"refreshSupport": true}
		l := newLab(t, "turn\nsay: Good day.\nturn\nsay: \"Well, \"\nhang\n", lsptest.Options{Capabilities: caps}, map[string]string{chat: "## You\n\nHi\n"})
		defer l.Leave()
		told := 0
		hints := func(when string, want int) {
			t.Helper()
			synctest.Wait()
			var list []struct{ Label string }
			l.Ask("textDocument/inlayHint", chat, "", &list)
			if len(list) != want {
				t.Errorf("%s: %v, want %d", when, list, want)
			}
			now := len(l.Editor.Own("workspace/inlayHint/refresh"))
			if now == told {
				t.Errorf("%s: the editor was not told", when)
			}
			told = now
		}
		l.Open(chat)
		l.must(l.Do(chat, "Hi", "Send"))
		l.WaitText(chat, "Good day.")
		l.WaitIdle()
		hints("after the first reply", 1)
		l.Type(chat, "How are you?")
		l.must(l.Do(chat, "How are", "Send"))
		l.WaitText(chat, "Well,")
		hints("in the second reply", 0)
		_, err := l.Execute("assent.stop")
		l.must(err)
		l.WaitIdle()
		hints("after it", 1)
	})
}
