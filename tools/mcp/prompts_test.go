package mcp_test

import (
	"strings"
	"testing"
)

// Prompts are listed of servers that run, and filled with the words behind them.
func TestPrompts(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "canary-of-the-token")
	p := newPlace(t)
	p.declares("notes", fake("prompting", "TOKEN", "${env:GITHUB_TOKEN}"), "plain", fake("echo"))
	if all := p.source.Prompts(t.Context(), "notes"); all != nil {
		t.Errorf("it was started to be looked at: %v", all)
	}
	if _, problems := p.now(); problems != "" {
		t.Fatal(problems)
	}
	all := p.source.Prompts(t.Context(), "notes")
	if len(all) != 3 || all[2].Name != "review" || all[2].About != "it is [secret]<U+202E>" || len(all[2].Arguments) != 2 || !all[2].Arguments[0].Needed {
		t.Errorf("%+v", all)
	}
	for words, want := range map[string]string{
		`main.go`:                    "map[file:main.go]|",
		`"my file.go" in two  words`: "map[file:my file.go style:in two  words]|",
		`a "b c"`:                    "map[file:a style:b c]|",
		`a "b" c`:                    `map[file:a style:"b" c]|`,
		``:                           `! /notes:review needs words behind it, and "file" is missing`,
	} {
		text, rest, err := p.source.Prompt(t.Context(), "notes", "review", words)
		got := text + "|" + rest
		if err != nil {
			got = "! " + err.Error()
		}
		if got != want {
			t.Errorf("%q: %s", words, got)
		}
	}
	text, rest, err := p.source.Prompt(t.Context(), "notes", "long", "more words")
	if err != nil || rest != "more words" || len(text) > 17_000 || !strings.Contains(text, "bytes more are left out") || strings.Contains(text, "canary") || !strings.Contains(text, "[secret]<U+001B>") {
		t.Errorf("%d bytes, %q, %v: %.100s", len(text), rest, err, text)
	}
	if text, _, err := p.source.Prompt(t.Context(), "notes", "picture", ""); err != nil || text != "[A part that is no text is left out.]" {
		t.Errorf("%q, %v", text, err)
	}
	for of, why := range map[[2]string]string{{"notes", "none"}: "has no prompt", {"plain", "review"}: "has no prompt", {"nobody", "x"}: "no server"} {
		if _, _, err := p.source.Prompt(t.Context(), of[0], of[1], ""); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%v: %v", of, err)
		}
	}
}
