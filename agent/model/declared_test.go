package model

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const mine = "[[format]]\nname = \"mine\"\nstart = \"<<call>>\"\nend = \"<</call>>\"\n"

func TestDeclaredFormats(t *testing.T) {
	const row = "\n[[profile]]\nname = \"my\"\nnames = [\"my*\"]\nformats = [\"mine\", \"text\"]\nconstraint = \"never\"\n"
	p, err := LoadProfiles([]byte(row), []byte(mine+"arguments_key = \"with\"\n")) // whatever the order of the files
	if err != nil {
		t.Fatal(err)
	}
	want := DeclaredFormat{"mine", "<<call>>", "<</call>>", "name", "with", "profiles 2:2"}
	if got := p.Declared(); len(got) != 1 || got[0] != want {
		t.Errorf("declared %+v", got)
	}
	if profile, _ := p.For(Info{Name: "my:1b", Capabilities: chatTools}); profile.Formats[0] != "mine" {
		t.Errorf("its formats are %q", profile.Formats)
	}
	if got := builtin(t).Declared(); len(got) > 0 {
		t.Errorf("the built-in file declares %+v", got)
	}
	again, err := LoadProfiles([]byte(mine), []byte(strings.ReplaceAll(mine, "call", "tool")))
	if got := again.Declared(); err != nil || len(got) != 1 || got[0].Start != "<<tool>>" {
		t.Errorf("the later file counts: %+v, %v", got, err)
	}
}

func TestDeclaredFormatsThatCannotBe(t *testing.T) {
	for _, test := range []struct{ old, now, want string }{
		{`start = "<<call>>"`, `start = ""`, "it needs start, the marker of a call"},
		{`start = "<<call>>"`, ``, "it needs start"},
		{`end = "<</call>>"`, ``, "it needs end"},
		{`"<<call>>"`, `"  \t "`, "start is white space"},
		{`"<</call>>"`, `"\n"`, "end is white space"},
		{`"<<call>>"`, `" <<call>>"`, "begins or ends with white space"},
		{`"<<call>>"`, `"<<a\nb>>"`, "must be one line"},
		{`"<<call>>"`, `"<<a\u200bb>>"`, "that can be seen"},
		{`"<<call>>"`, fmt.Sprintf("%q", strings.Repeat("x", 101)), "at most 100 bytes"},
		{`"<<call>>"`, `"a"`, "too short"},
		{`"<<call>>"`, `"[{\""`, "how JSON or code itself begins"},
		{`"<<call>>"`, "\"```json\"", "how JSON or code itself begins"},
		{`"<</call>>"`, `"<<call>>"`, "one of start and end holds the other"},
		{`"<</call>>"`, `"<<call>>!"`, "one of start and end holds the other"},
		{`"mine"`, `"My Format"`, "its name must begin with a small letter"},
		{`"mine"`, `""`, "its name must begin"},
		{"end =", "name_key = \"a b\"\nend =", "name_key must be a word"},
		{"end =", "arguments_key = \"tool_calls\"\nend =", `arguments_key may not be "tool_calls"`},
		{"end =", "name_key = \"id\"\nend =", `name_key may not be "id"`},
		{"end =", "name_key = \"x\"\narguments_key = \"x\"\nend =", "are the same"},
		{"end =", "stop = \"x\"\nend =", `unknown key "stop"`},
		{"end =", "name_key = 7\nend =", "incompatible types"},
		{"[[format]]", mine + "[[format]]", "another one here has this name"},
	} {
		text := strings.Replace(mine, test.old, test.now, 1)
		_, err := LoadProfiles([]byte("# mine\n" + text))
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "profiles 1:") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", text, err)
		}
	}
	file := filepath.Join(t.TempDir(), "a.toml")
	if err := os.WriteFile(file, []byte(strings.Replace(mine, "<<call>>", " ", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadProfileFiles(file); err == nil || !strings.HasPrefix(err.Error(), file+`:2: format "mine": start is white space`) {
		t.Errorf("%v", err)
	}
}
