package lsp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/lsp/lsptest"
)

// The user's own prompts count as they are on disk: what is not saved, what is no text there, and what is too long is
// said in the file.
func TestTheUsersPromptsAreServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\nexpect: Mine.\njson {\"answer\":\"Yes.\"}\n", lsptest.Options{}, story())
		defer l.Leave()
		l.Open(chat)
		_, err := l.Execute("assent.editPrompt")
		l.must(err)
		shown := l.Shown()
		path := strings.TrimPrefix(string(shown[len(shown)-1].URI), "file://")
		if path != filepath.Join(l.config, "prompts", "system.md") {
			t.Fatalf("shown: %s", path)
		}
		file, err := filepath.Rel(l.Dir, path)
		l.must(err)
		l.Open(file)
		l.Type(file, "Mine.\n")
		l.waitDiagnosed(file, "This is not saved: what is on disk counts.")
		l.Save(file)
		l.WaitFor("no diagnostics", func() bool { return len(l.Diagnostics(file)) == 0 })
		l.must(l.Do(chat, "Fix it", "Send"))
		l.WaitText(chat, "Yes.")
		if wrong := l.model.Mismatches(); len(wrong) > 0 {
			t.Error(wrong)
		}

		l.must(os.WriteFile(path, []byte("caf\xe9"), 0o600))
		l.Type(file, "x")
		l.waitDiagnosed(file, "it is not a text file in UTF-8")
		l.must(os.WriteFile(path, []byte(strings.Repeat("long\n", 8<<10)), 0o600))
		l.Type(file, "x")
		l.waitDiagnosed(file, "it has more than 32 KB")
		l.Type(file, strings.Repeat("much too long ", 2000))
		l.Save(file)
		l.waitDiagnosed(file, "more than half of the 8192 tokens of the context")

		const ours = ".assent/prompts/system.md"
		_, err = l.Execute("assent.editWorkspacePrompt")
		l.must(err)
		l.Open(ours)
		l.Type(ours, "not saved")
		if err := l.Do(ours, "not saved", "Reset system prompt to built-in"); err == nil || !strings.Contains(err.Error(), "save it first") {
			t.Errorf("what is not saved was lost: %v", err)
		}
		l.must(l.Do(file, "Mine", "Reset system prompt to built-in"))
		if _, err := os.Stat(path); err == nil {
			t.Error("it is still there")
		}
		kept, err := filepath.Glob(filepath.Join(l.state.Dir(), "prompts", "*-system.md"))
		if err != nil || len(kept) != 1 {
			t.Errorf("kept: %v, %v", kept, err)
		}
		l.Close(file)
	})
}

// Commands that mean no prompt say what is missing, and make nothing.
func TestPromptCommandsWithoutAPrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab(t, "turn\nhang\n", lsptest.Options{}, map[string]string{"README.md": "x\n", chat: "## You\n\nHi.\n", ".assent/prompts/notes.md": "x\n"})
		defer l.Leave()
		if _, err := l.Execute("assent.editModelPrompt"); err == nil || !strings.Contains(err.Error(), "it is not known which model is meant") {
			t.Errorf("without a chat: %v", err)
		}
		l.Open(chat)
		for _, argument := range []string{`{}`, `{"uri":"file:///nowhere/x.chat.md"}`, `{"uri":"%zz"}`, `{"uri":"untitled:1"}`, `{"uri":1}`, `[]`, `null`} {
			for _, command := range []string{"assent.editModelPrompt", "assent.resetPrompt"} {
				if _, err := l.Execute(command, json.RawMessage(argument)); err == nil && command == "assent.editModelPrompt" {
					t.Errorf("%s %s worked", command, argument)
				}
			}
		}
		if made, err := filepath.Glob(filepath.Join(l.config, "prompts", "*")); err != nil || len(made) > 0 {
			t.Errorf("made: %v, %v", made, err)
		}
		l.Open(".assent/prompts/notes.md")
		<-time.After(5 * time.Second)
		if d := l.Diagnostics(".assent/prompts/notes.md"); len(d) > 0 {
			t.Errorf("a file that is no prompt has %+v", d)
		}
		l.must(os.Remove(filepath.Join(l.Dir, ".assent/prompts/notes.md")))
		l.must(os.Remove(filepath.Join(l.Dir, ".assent/prompts")))
		l.must(os.Symlink("../..", filepath.Join(l.Dir, ".assent/prompts")))
		if _, err := l.Execute("assent.editWorkspacePrompt", map[string]any{"uri": "file://" + l.Dir + "/" + chat}); err == nil {
			t.Error("a prompt was made behind a link")
		}
	})
}
