package lsp_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/lsptest"
	"github.com/assent-ls/assent/tools/mcp/login/logintest"
)

// said waits for a message to the person that has these words.
func (l *lab) said(words string) string {
	l.T.Helper()
	var found string
	l.WaitFor(words, func() bool {
		for _, m := range l.Messages() {
			if strings.Contains(m, words) {
				found = m
				return true
			}
		}
		return false
	})
	return found
}

// TestALoginWhereTheServerStands: the action asks the server, and shows where it leads; only when it is chosen again
// somebody else is asked, and the browser opened.
func TestALoginWhereTheServerStands(t *testing.T) {
	guarded := logintest.Serve(t)
	l := newLab(t, "turn\nhang\n", lsptest.Options{}, map[string]string{"README.md": "x\n"})
	defer l.Leave()
	mine := l.inConfig("mcp.json", fmt.Sprintf(`{"mcpServers": {"tickets": {"url": %q}, "token": {"url": %q, "headers": {"Authorization": "x"}}}}`, guarded.URL, guarded.URL))
	l.Open(mine)
	if titles := l.Titles(mine, "token"); slices.ContainsFunc(titles, func(title string) bool { return strings.Contains(title, "Log ") && !strings.Contains(title, "the log") }) {
		t.Errorf("the menu is %q", titles)
	}
	l.must(l.Do(mine, "tickets", "Start this server"))
	l.said("Nothing was started: the server tickets wants you to log in")
	if titles := l.Titles(mine, "tickets"); !strings.HasPrefix(titles[0], "Show the log") || !slices.Contains(titles, "Log in at this server: tickets") {
		t.Errorf("the menu is %q", titles)
	}
	old := l.CodeActions(mine, "tickets")
	old = old[slices.IndexFunc(old, func(a protocol.CodeAction) bool { return strings.HasPrefix(a.Title, "Log in at this server") }):]
	for want := 1; want <= 2; want++ { // the same action again names no place, so it is no consent
		l.WaitFor("an end of the login before", func() bool { return l.Choose(old[0]) == nil })
		l.WaitFor("a question", func() bool {
			return len(slices.DeleteFunc(l.Messages(), func(m string) bool { return !strings.Contains(m, "sends you to "+guarded.Authority+" to log in") })) == want
		})
	}
	if asked := guarded.Asked.Load(); asked > 0 || len(l.Shown()) > 0 {
		t.Errorf("asked %d times, shown %v", asked, l.Shown())
	}
	l.must(l.Do(mine, "tickets", "Log in at "+guarded.Authority))
	l.WaitFor("a browser", func() bool { return len(l.Shown()) == 1 })
	shown := l.Shown()[0]
	if err := l.Do(mine, "tickets", "Log in at "+guarded.Authority); err == nil || !strings.Contains(err.Error(), "a login at the server tickets goes on") {
		t.Error(err)
	}
	if !shown.External || !strings.HasPrefix(string(shown.URI), guarded.Authority+"/authorize?") {
		t.Errorf("%+v", shown)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, string(shown.URI), nil)
	l.must(err)
	answer, err := http.DefaultClient.Do(r)
	l.must(err)
	l.must(answer.Body.Close())
	l.said("You are logged in at the server tickets")
	l.started(1)
	l.must(l.Do(mine, "tickets", "Log out of this server"))
	l.said("could not be told")
	if titles := l.Titles(mine, "tickets"); !slices.Contains(titles, "Log in at this server: tickets") {
		t.Errorf("the menu is %q", titles)
	}
	for _, m := range l.Messages() {
		if strings.Contains(m, logintest.Token) {
			t.Error(m)
		}
	}
}
