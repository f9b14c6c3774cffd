package formats

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// TestWithWords: whatever words a user chooses, a model reads them, every tool, and a call that the format decodes; of
// the format's own words it reads none.
func TestWithWords(t *testing.T) {
	const words = "Rufe Werkzeuge so auf."
	tools := testTools()
	for _, name := range everyName() {
		f, err := byEveryName(name)
		if err != nil {
			t.Fatal(err)
		}
		all := func(f toolcall.Format) (text string) {
			for _, m := range f.Request("Be brief.", []toolcall.Turn{{Role: model.RoleUser, Text: "Hi."}}, tools, toolcall.Hints{}).Messages {
				text += m.Text + "\n\n"
			}
			return text
		}
		own, other := all(f), all(WithWords(f, words))
		if name == "native" {
			if other != own {
				t.Errorf("native: the server's words are another's: %s", other)
			}
			continue
		}
		if strings.Count(other, words) != 1 || !strings.Contains(other, "Be brief.") || !strings.Contains(other, "Hi.") || own == other || all(WithWords(f, " ")) != own {
			t.Errorf("%s: it reads\n%s", name, other)
		}
		for _, tool := range tools {
			if !strings.Contains(other, "- "+tool.Name+"(") {
				t.Errorf("%s: %s is missing in\n%s", name, tool.Name, other)
			}
		}
		if again := all(f); again != own {
			t.Errorf("%s: the format itself was changed", name)
		}
		if name == "guided" { // its calls are constrained by a schema
			continue
		}
		_, call, _ := strings.Cut(other, "A call:\n")
		for _, after := range []string{"\n\nBe brief.", "\n\nHi."} {
			call, _, _ = strings.Cut(call, after)
		}
		if got := decodeEveryWay(t, WithWords(f, words), tools, true, strings.TrimSpace(call)); len(got.Calls) != 1 {
			t.Errorf("%s: the call that it is shown is read as %+v:\n%s", name, got, call)
		}
		if none := WithWords(f, words).Request("", []toolcall.Turn{{Role: model.RoleUser, Text: "Hi."}}, nil, toolcall.Hints{}).Messages; strings.Contains(none[0].Text, words) {
			t.Errorf("%s: without tools it reads %+v", name, none)
		}
	}
}
