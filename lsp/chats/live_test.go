package chats

import (
	"context"
	"testing"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/lsp/ext"
)

// slowHost is an editor during whose showing of output something else happens.
type slowHost struct {
	Host
	meanwhile func()
	shown     []ext.Output
}

func (s *slowHost) ShowOutput(_ context.Context, o ext.Output) {
	s.meanwhile()
	s.shown = append(s.shown, o)
}

func (s *slowHost) UpdateOutput(o ext.Output) { s.shown = append(s.shown, o) }

// A call that prints or ends while its output is being shown is shown as it is then.
func TestOutputIsShownWhileACallEnds(t *testing.T) {
	host := &slowHost{}
	h := &shownCalls{chat: &Chat{Chats: &Chats{Options: Options{Host: host}}, uri: "file:///a.chat.md"}, live: map[string]liveCall{}}
	h.output(event.CallOutput{ID: "c1", Text: "one\n"})
	host.meanwhile = func() {
		h.output(event.CallOutput{ID: "c1", Text: "two\n"})
		h.ended("c1")
	}
	if err := h.show(t.Context(), "c1", "title"); err != nil {
		t.Fatal(err)
	}
	if last := host.shown[len(host.shown)-1]; last.Text != "one\ntwo" || !last.Over {
		t.Errorf("%+v", host.shown)
	}
	o := Output{h}
	if got := o.End("c1"); got != "" || len(o.Printing()) > 0 || h.show(t.Context(), "c1", "title") == nil {
		t.Errorf("after its end it prints %q, %v", got, o.Printing())
	}
}
