package lsp_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// What the user's own settings, or the flags of the server, change in every chat is what the model gets, and the chat
// says so. A tool that does not exist is told, and allows nothing.
func TestALaunchChangesWhatAModelGets(t *testing.T) { synctest.Test(t, aLaunchChanges) }

func aLaunchChanges(t *testing.T) {
	own := map[string]string{"settings.json": `{"tools":["read_file","red_file"],"toolSystemPrompt":"Call them so.","legacyToolCallFormat":"hermes"}`}
	l := newLabOf(t, userFolder(t, own), "turn\nexpect Call them so.\nexpect - read_file(\nexpect-not edit_file\nsay Hello.\n", lsptest.Options{}, map[string]string{chat: "## You\n\nHi.\n"})
	defer l.Leave()
	l.Open(chat)
	l.must(l.Do(chat, "Hi", "Send"))
	l.WaitFor("the reply", func() bool { return strings.Contains(l.Text(chat), "Hello.") })
	l.WaitIdle()
	for _, said := range []string{"The setting toolSystemPrompt takes", "only these tools: read_file, red_file.", "the format hermes."} {
		if strings.Count(l.Text(chat), said) != 1 {
			t.Errorf("no %q in\n%s", said, l.Text(chat))
		}
	}
	l.WaitFor("the mistake", func() bool {
		return strings.Contains(l.Dump(), `there is no tool "red_file", perhaps you mean read_file`)
	})
	l.checkAfterRun()
}
