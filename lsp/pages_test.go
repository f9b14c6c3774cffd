package lsp_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// A page that a message mentions is asked about when the message is sent: the question is at the mention, its
// answers are code actions, and nothing is got before.
// Promise 9.
func TestAMentionedPageIsAskedAbout(t *testing.T) {
	var got atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { // outside the bubble, whose end would wait for it
		got.Add(1)
		_, _ = w.Write([]byte("<p>The capital is <b>Paris</b>.</p>"))
	}))
	t.Cleanup(server.Close)
	page := server.URL + "/page"
	own, err := json.Marshal(map[string]any{"webFetch": true, "privateHosts": []string{strings.TrimPrefix(server.URL, "http://")}})
	if err != nil {
		t.Fatal(err)
	}
	for answer, want := range map[string]string{
		"Approve once": "The capital is **Paris**.", "Deny": `"` + page + `" is not fetched: you denied it. So nothing is attached.`,
	} {
		t.Run(answer, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got.Store(0)
				script := "turn\nexpect Paris\nsay Seen.\n"
				if answer == "Deny" {
					script = "turn\nexpect you denied it\nsay Seen.\n"
				}
				l := newLabOf(t, userFolder(t, map[string]string{"settings.json": string(own)}), script, lsptest.Options{}, map[string]string{
					chat: "## You\n\nWhat is the capital?\nSee @" + page + ".\n",
				})
				defer l.Leave()
				l.Open(chat)
				l.must(l.Do(chat, "capital", "Send"))
				l.waitDiagnostic(waits + ": get " + page)
				titles := l.Titles(chat, "See @")
				offers := []string{
					"Show what would happen", "Approve once: get " + page, "Allow web_fetch from 127.0.0.1 in this chat", "Always allow web_fetch from 127.0.0.1 here", "Deny", "Stop",
				}
				if diff := cmp.Diff(offers, titles); diff != "" {
					t.Error(diff)
				}
				l.must(l.Do(chat, "See @", "Show what would happen"))
				if n := got.Load(); n != 0 {
					t.Fatalf("%d pages were got before the answer", n)
				}
				l.must(l.Do(chat, "See @", answer))
				l.WaitText(chat, "Seen.")
				l.WaitIdle()
				if text := l.Text(chat); !strings.Contains(text, want) || (got.Load() == 1) != (answer != "Deny") {
					t.Errorf("%d pages were got:\n%s", got.Load(), text)
				}
			})
		})
	}
}
