package lsp_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/lsp/lsptest"
)

// What is nowhere in the chat is not approved by a lens or by what is offered with the state: not before the editor
// shows the call, and not after a person took it out.
func TestNothingIsApprovedThatStandsNowhere(t *testing.T) {
	const calls = "turn\ncall edit_file {\"path\":\"list.txt\",\"old_text\":\"two\\n\",\"new_text\":\"2\\n\"}\ncall write_file {\"path\":\"other.txt\",\"content\":\"1\"}\nturn\nsay: Done.\n"
	for name, tt := range map[string]struct {
		edits  lsptest.Edits
		change func(l *lab)
	}{
		"the editor never answers": {lsptest.Mute, func(*lab) {}},
		"the editor takes no edit": {lsptest.Silent, func(*lab) {}},
		"the block is deleted":     {"", func(l *lab) { l.Replace(chat, l.block("edit_file c1"), "") }},
		"the block is renamed":     {"", func(l *lab) { l.Replace(chat, "edit_file c1", "edit_file c9") }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab(t, calls, lsptest.Options{Edits: tt.edits, Assent: takesAll, Settings: map[string]any{"toolFormat": "native"}},
					map[string]string{chat: "## You\n\nIn list.txt change two.\n", "list.txt": "one\ntwo\nthree\n"})
				defer l.Leave()
				l.Open(chat)
				l.must(l.Do(chat, "change two", "Send"))
				onItsWay := tt.edits != "" // then its calls never come into the document
				if !onItsWay {
					l.WaitFor("a question", func() bool { s := newest[ext.State](l, ext.StateMethod); return s != nil && len(s.Waiting) > 0 })
				}
				<-time.After(time.Second)
				synctest.Wait()
				tt.change(l)
				synctest.Wait()
				list, shown := l.lenses()
				for _, lens := range list {
					if strings.Contains(lens.Command.Title, "list.txt") || lens.Range.Start.Line == 0 && lens.Command.Command != ext.Stop {
						t.Errorf("the lenses are\n%s", shown)
					}
				}
				<-time.After(time.Second) // longer than between two states
				s := newest[ext.State](l, ext.StateMethod)
				if want := map[bool]int{true: 0, false: 2}[onItsWay]; len(s.Waiting) != want {
					t.Errorf("%d questions are listed", len(s.Waiting))
				}
				for _, w := range s.Waiting {
					if w.Target != "list.txt" {
						continue
					}
					var offered []string
					for _, a := range w.Actions {
						offered = append(offered, a.Command)
					}
					if got := strings.Join(offered, " "); got != ext.ShowPreview+" "+ext.Deny {
						t.Errorf("with the state comes %q", got)
					}
				}
			})
		})
	}
}

// block is the whole block of a call in the chat.
func (l *lab) block(call string) string {
	text := l.Text(chat)
	text = text[strings.Index(text, "```tool "+call):]
	return text[:strings.Index(text, "\n```\n")+5]
}
