package attach_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/workspace"
)

func TestFindMentions(t *testing.T) {
	for message, want := range map[string][]string{
		"@a.go":                                           {"path a.go"},
		"See @a.go, and (@b/c.go).":                       {"path a.go", "path b/c.go"},
		"@a.go:10-40. @a.go:7: x":                         {"path a.go 10-40", "path a.go 7-7"},
		"@a.go:7:3 @a.go#L3-L9":                           {"path a.go 7-7", "path a.go 3-9"},
		"@a.go:40-10 @a.go:0":                             {"path a.go 40-10", "path a.go 0-0"},
		"@a.go:10–40":                                     {"path a.go 10-40"},
		"@a.go:x @a.go:9999999999":                        {"path a.go:x", "path a.go:9999999999"},
		`@"a b.txt":3-4, @"c d"`:                          {"path a b.txt 3-4", "path c d"},
		"@src/ @./ @src/.":                                {"path src/", "path ./", "path src/"},
		"@alice's @Override":                              {"word alice", "word Override"},
		"**@a.go** [@b.go](x) @a,@b @f(1).txt (@g)":       {"path a.go", "path b.go", "word a", "word b", "path f(1).txt", "word g"},
		"@diff, @selection; @symbol:Server.Run!":          {"diff", "selection", "symbol Server.Run"},
		"@https://a.org/x?q=1&b=(c):8, @HTTP://a.org:80.": {"page https://a.org/x?q=1&b=(c):8", "page HTTP://a.org:80"},
		"<@https://a.org/x> @https:// @ftp://a.org":       {"page https://a.org/x", "path https://", "path ftp://a.org"},
		"@ @. @.. @@ @, @\"\" @symbol:":                   {"word symbol"},
		"me@example.org `@a.go` \\@b.go":                  nil,
		"@\"open":                                         nil,
	} {
		var got []string
		for _, m := range attach.FindMentions(message) {
			said := map[attach.Kind]string{attach.PathMention: "path ", attach.SymbolMention: "symbol ", attach.PageMention: "page "}[m.Kind] + m.Name
			if m.Plain {
				said = "word " + m.Name
			}
			if m.Ranged {
				said += fmt.Sprintf(" %d-%d", m.First, m.Last)
			}
			got = append(got, said)
			if s := message[m.Span.Start:m.Span.End]; s != "@"+m.Text {
				t.Errorf("%q: the span of %q is %q", message, m.Text, s)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", message, diff)
		}
	}
	if got := attach.FindMentions(strings.Repeat("@a.go ", 1000)); len(got) != 20 {
		t.Errorf("%d mentions", len(got))
	}
	// The time is linear, whatever is in a message.
	for _, part := range []string{")", "@", "@\"", "'s", ",@", "`", "<!--", "@a](", "\\"} {
		if got := attach.FindMentions("@a" + strings.Repeat(part, 200_000)); len(got) > 20 {
			t.Errorf("%q: %d mentions", part, len(got))
		}
	}
}

// TestMentionedIsAttached: each kind of path, and a sentence in the place of what cannot be attached.
func TestMentionedIsAttached(t *testing.T) {
	x := newFixture(t, map[string]string{
		"README.md": "one\ntwo\nthree\nfour\n", "src/main.go": "package main\n", "src/deep/b.go": "package deep", "x.bin": "\x00\x01",
		"ask.chat.md": "secret\n", ".env": "secret", "my file.txt": "mine\n", "odd:3": "odd\n", "dos.txt": "a\r\nb\r\nc\r\n", "diff": "a file\n",
		"ignored/x.txt": "x", ".gitignore": "ignored/\n", "Makefile": "all:\n",
	})
	for message, want := range map[string]map[string]string{
		"@README.md":             {"file README.md": "one\ntwo\nthree\nfour\n"},
		"@README.md:2-3":         {"lines 2-3 of README.md": "two\nthree\n"},
		"@README.md:3.":          {"line 3 of README.md": "three\n"},
		"@README.md:3-99":        {"lines 3-4 of README.md": "three\nfour\n"},
		"@README.md:5":           {"mention README.md:5": `"README.md" has only 4 lines. So nothing is attached.`},
		"@README.md:0":           {"mention README.md:0": "Lines count from 1. So nothing is attached."},
		"@README.md:3-2":         {"mention README.md:3-2": "The lines 3-2 end before they begin. So nothing is attached."},
		"@src/":                  {"folder src/": "src/deep/b.go\nsrc/main.go\n"},
		"@src":                   {"folder src/": "src/deep/b.go\nsrc/main.go\n"},
		"@src:1":                 {"mention src:1": `"src" is a folder: it has no lines. So nothing is attached.`},
		"@main.go":               {"file src/main.go": "package main\n"},
		"@deep/b.go:1":           {"line 1 of src/deep/b.go": "package deep\n"},
		"@Makefile @alice":       {"file Makefile": "all:\n"},
		`@"my file.txt"`:         {"file my file.txt": "mine\n"},
		`@"my file.txt":1`:       {"line 1 of my file.txt": "mine\n"},
		"@odd:3":                 {"file odd:3": "odd\n"},
		"@dos.txt:2-3":           {"lines 2-3 of dos.txt": "b\nc\n"},
		"@./diff":                {"file diff": "a file\n"},
		"@ignored/":              {"folder ignored/": "ignored/x.txt\n"},
		"@ignored/x.txt":         {"file ignored/x.txt": "x"},
		"@x.bin":                 {"mention x.bin": `"x.bin" is not a text file (2 bytes). So nothing is attached.`},
		"@x.bin:1":               {"mention x.bin:1": `"x.bin" is not a text file (2 bytes), so it has no lines. So nothing is attached.`},
		"@missing.txt":           {"mention missing.txt": `There is no file "missing.txt". So nothing is attached.`},
		"@nowhere/":              {"mention nowhere/": `There is no folder "nowhere/". So nothing is attached.`},
		"@README.txt":            {"mention README.txt": `There is no file "README.txt". Near: "README.md". So nothing is attached.`},
		"@../up.txt":             {"mention ../up.txt": `"../up.txt" leads outside the workspace: use a path relative to it. So nothing is attached.`},
		"@/etc/passwd":           {"mention /etc/passwd": `"/etc/passwd" is outside the workspace: use a path relative to it. So nothing is attached.`},
		"@ftp://example.org/x":   {"mention ftp://example.org/x": `"ftp://example.org/x" is an address that is not fetched: only pages at https:// and http:// are. So nothing is attached.`},
		"@https://example.org/x": {}, // a run gets it
		"@.env":                  {"mention .env": `".env" is protected: it holds secrets and settings of programs. So nothing is attached.`},
		"@ask.chat.md:1":         {"mention ask.chat.md:1": `"ask.chat.md" is protected: it holds a chat. So nothing is attached.`},
		"README.md @README.md:1": {"line 1 of README.md": "one\n", "file README.md": "one\ntwo\nthree\nfour\n"},
		"`@README.md:1`":         {"file README.md": "one\ntwo\nthree\nfour\n"}, // a quoted name, as ever
		"@README.md @README.md":  {"file README.md": "one\ntwo\nthree\nfour\n"},
	} {
		got := shown(x.first(t, message))
		delete(got, "outline")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", message, diff)
		}
	}
}

// TestMentionsCountAsRead only where the whole file was shown; what is known is not attached again.
func TestMentionsCountAsRead(t *testing.T) {
	x := newFixture(t, map[string]string{"a.txt": "a\n", "b.txt": "b\nc\n", "long.txt": lines(2000), "empty.txt": ""})
	x.turn(t, "@a.txt @b.txt:1 @long.txt @empty.txt", false)
	for name, text := range map[string]string{"a.txt": "a\n", "b.txt": "b\nc\n", "long.txt": lines(2000), "empty.txt": ""} {
		if _, current := x.reads.Knows(filepath.Join(x.ws.Root(), name), text); current != (name == "a.txt" || name == "empty.txt") {
			t.Errorf("%s counts as read: %v", name, current)
		}
	}
	if again := x.turn(t, "@a.txt", false); len(again) > 0 {
		t.Errorf("attached again: %+v", again)
	}
	for _, m := range attach.FindMentions("@long.txt @b.txt:1 @empty.txt") {
		fresh := fixture{x.ws, tools.NewReadSet()}
		if _, err := fresh.mentioned().Look(t.Context(), m, 1000); err != nil {
			t.Error(err)
		}
		if _, current := fresh.reads.Knows(filepath.Join(x.ws.Root(), m.Name), ""); current {
			t.Errorf("%s counts as read, and was only looked at", m.Name)
		}
	}
}

func TestMentionsAreBounded(t *testing.T) {
	files := map[string]string{"long.txt": lines(3000), "one.txt": strings.Repeat("x", 50_000), "huge.txt": strings.Repeat("a\n", 6<<20)}
	for i := range 300 {
		files[fmt.Sprintf("many/%03d.txt", i)] = "x"
	}
	x := newFixture(t, files)
	for message, end := range map[string]string{
		"@long.txt":        " of a file\n[lines 1 to 637 of 3000: read_file shows the rest]",
		"@long.txt:2-2999": " of a file\n[lines 639 to 2999 are not shown here: read_file shows them]",
		"@one.txt:1":       "[lines 1 to 1 are not shown here: read_file shows them]",
		"@many/":           "many/199.txt\n… 100 more files",
		"@huge.txt":        `"huge.txt" has 12 MB: files of up to 10 MB can be used. So nothing is attached.`,
	} {
		blocks := attach.Turn(t.Context(), []attach.Source{x.mentioned()}, attach.Message{Text: message})
		if len(blocks) != 1 || len(blocks[0].Text()) > 12_200 || !strings.HasSuffix(blocks[0].Text(), end) {
			t.Errorf("%s: %d blocks: %.100q ... ends with %q", message, len(blocks), blocks[0].Text(), blocks[0].Text()[max(0, len(blocks[0].Text())-90):])
		}
	}
	blocks := attach.Turn(t.Context(), []attach.Source{x.mentioned()}, attach.Message{Text: "@long.txt @long.txt:1-900 @many/ @one.txt"})
	total := 0
	for _, b := range blocks {
		total += len(b.Text())
	}
	if len(blocks) != 4 || total > 12_800 {
		t.Errorf("%d blocks with %d bytes", len(blocks), total)
	}
}

// TestADeniedMentionIsRefused: what a rule denies is neither attached, nor listed, nor completed.
func TestADeniedMentionIsRefused(t *testing.T) {
	const canary = "canary-7391"
	x := newFixture(t, map[string]string{"secret/key.txt": canary, "private.txt": canary, "src/a.go": "package a"})
	if err := os.Symlink("secret/key.txt", filepath.Join(x.ws.Root(), "link.txt")); err != nil {
		t.Fatal(err)
	}
	x.ws.Deny(func() *workspace.Denials {
		return &workspace.Denials{Why: func(rel string) string {
			if rel == "private.txt" || rel == "secret" || strings.HasPrefix(rel, "secret/") {
				return "A rule says so."
			}
			return ""
		}}
	})
	for _, mention := range []string{"@secret/key.txt", "@secret/key.txt:1", "@secret/", "@private.txt", "@link.txt", "@./", "@key.txt", "@symbol:canary"} {
		for _, b := range x.turn(t, mention, false) {
			if strings.Contains(b.Text(), canary) || mention == "@./" && strings.Contains(b.Text(), "key.txt") || mention != "@./" && !strings.HasPrefix(b.Name, "mention ") {
				t.Errorf("%s gives %+v", mention, b)
			}
		}
	}
	for _, prefix := range []string{"", "s", "secret/", "p", "k", "key"} {
		list, _ := x.mentioned().Complete(t.Context(), prefix)
		for _, c := range list {
			if c.Text != "src/" && c.Text != "diff" && c.Text != "selection" && c.Text != "symbol:" {
				t.Errorf("%q offers %q", prefix, c.Text)
			}
		}
	}
}

// TestComplete offers what can be attached, and nothing that is protected or ignored.
func TestComplete(t *testing.T) {
	x := newFixture(t, map[string]string{
		"README.md": "r", "src/main.go": "m", "src/model/a.go": "a", "src/model/b.go": "b", "src/.env": "secret", ".git/config": "g",
		"ask.chat.md": "secret", ".gitignore": "*.log\n", "x.log": "x", "src/my file.txt": "x",
	})
	for prefix, want := range map[string][]string{
		"": {".gitignore", "README.md", "src/"}, "R": {"README.md"}, "readme": {"README.md"}, "src/m": {"src/main.go", "src/model/", `"src/my file.txt"`},
		"main": {"src/main.go"}, `"src/mo`: {`"src/model/"`}, "b.": {"src/model/b.go"},
		"src/model/": {"src/model/a.go", "src/model/b.go"}, "nothing": nil, "no/such": nil, "README.md/": nil, "../": nil, ".git/": nil, "ask": nil,
	} {
		list, more := x.mentioned().Complete(t.Context(), prefix)
		var got []string
		for _, c := range list {
			if strings.ContainsAny(c.Text, "./") {
				got = append(got, c.Text)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || more {
			t.Errorf("%q: more %v: %s", prefix, more, diff)
		}
		for _, c := range list {
			found := attach.FindMentions("@" + c.Text)
			if len(found) != 1 || found[0].Text != c.Text {
				t.Fatalf("%q is no mention: %+v", c.Text, found)
			}
			if _, err := x.mentioned().Look(t.Context(), found[0], 1000); err != nil && slices.Contains(got, c.Text) {
				t.Errorf("%q is offered: %v", c.Text, err)
			}
		}
	}
	many := map[string]string{}
	for i := range 80 {
		many[fmt.Sprintf("%02d.txt", i)] = "x"
	}
	if got, more := newFixture(t, many).mentioned().Complete(t.Context(), ""); len(got) != 50 || !more {
		t.Errorf("%d are offered, and more: %v", len(got), more)
	}
}

// TestSelection: what was taken in an editor is attached as it was then, and nothing that is denied, protected or elsewhere.
func TestSelection(t *testing.T) {
	x := newFixture(t, map[string]string{"a.txt": "one\ntwo\n", ".env": "canary", "private.txt": "canary"})
	x.ws.Deny(func() *workspace.Denials {
		return &workspace.Denials{Why: func(rel string) string {
			if rel == "private.txt" {
				return "A rule says so."
			}
			return ""
		}}
	})
	at := func(name string) string { return filepath.Join(x.ws.Root(), name) }
	for name, tt := range map[string]struct {
		taken *attach.Selection
		want  string // the name of the block and what it holds
	}{
		"lines":     {&attach.Selection{Path: at("a.txt"), First: 2, Last: 2, Text: "TWO\n"}, "selection: lines 2-2 of a.txt: TWO\n"},
		"none":      {nil, "mention selection: There is no selection: "},
		"protected": {&attach.Selection{Path: at(".env"), First: 1, Last: 1, Text: "canary"}, `mention selection: ".env" is protected`},
		"denied":    {&attach.Selection{Path: at("private.txt"), First: 1, Last: 1, Text: "canary"}, "mention selection: "},
		"elsewhere": {&attach.Selection{Path: "/etc/passwd", First: 1, Last: 1, Text: "canary"}, `mention selection: "/etc/passwd" is outside the workspace`},
		"too long":  {&attach.Selection{Path: at("a.txt"), First: 1, Last: 9, Text: strings.Repeat("x", 13_000)}, "mention selection: The selection has 13000 bytes, which are too much"},
	} {
		source := attach.NewMentioned(attach.MentionOptions{Workspace: x.ws, Reads: x.reads, Selection: func() *attach.Selection { return tt.taken }})
		blocks := attach.Turn(t.Context(), []attach.Source{source}, attach.Message{Text: "See @selection."})
		got := ""
		for _, b := range blocks {
			got += b.Name + ": " + b.Text()
		}
		if !strings.HasPrefix(got, tt.want) || strings.Contains(got, "canary") {
			t.Errorf("%s: %.100q", name, got)
		}
	}
}

// FuzzTyped: what was typed of a mention is what is behind its "@" at the end of the text.
func FuzzTyped(f *testing.F) {
	for _, seed := range []string{"See @src/ma", "@", `@"my fi`, "`@a", "x\r\n@a b", "@a`", "@\"a\" @\"b c", "\\@a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		start, prefix, ok := attach.Typed(text)
		if ok && text[start:] != "@"+prefix {
			t.Fatalf("%q: %q at %d", text, prefix, start)
		}
		for _, m := range attach.FindMentions(text) {
			if text[m.Span.Start:m.Span.End] != "@"+m.Text {
				t.Fatalf("%q: %+v", text, m)
			}
		}
	})
}

// TestManyDiagnostics: what language servers say is attached by whole lines, and what is left out is said.
func TestManyDiagnostics(t *testing.T) {
	x := newFixture(t, map[string]string{"a.go": "a"})
	said := strings.Repeat("a.go:1: error: no\n", 5000) + "the end"
	source := attach.NewMentioned(attach.MentionOptions{
		Workspace: x.ws, Reads: x.reads, Diagnostics: func(context.Context) (string, error) { return said, nil },
	})
	block, ok := source.Resolve(t.Context(), "diagnostics", 100)
	want := strings.Repeat("a.go:1: error: no\n", 5) + "[4996 lines more are not shown here]"
	if !ok || block.Name != "diagnostics" || block.Text() != want {
		t.Errorf("%q: %q", block.Name, block.Text())
	}
	failing := attach.NewMentioned(attach.MentionOptions{
		Workspace: x.ws, Reads: x.reads, Diagnostics: func(context.Context) (string, error) { return "", errors.New("the editor did not answer") },
	})
	if block, _ := failing.Resolve(t.Context(), "diagnostics", 100); block.Name != "mention diagnostics" || !strings.HasPrefix(block.Text(), "The editor did not answer.") {
		t.Errorf("%q: %q", block.Name, block.Text())
	}
}

// What a symbol or a selection shows is known, in each file.
func TestSymbolsAndSelectionsAreKnown(t *testing.T) {
	const one, two = "a = 1\r\n\r\ndef load():\r\n    return 1\r\n\r\nb = 2\r\n", "def load():\n    return 2\n\nc = 3\n"
	x := newFixture(t, map[string]string{"one.py": one, "two.py": two})
	abs := func(name string) string { return filepath.Join(x.ws.Root(), name) }
	source := attach.NewMentioned(attach.MentionOptions{
		Workspace: x.ws, Reads: x.reads, Selection: func() *attach.Selection {
			return &attach.Selection{Path: abs("two.py"), First: 4, Last: 4, Text: "c = 3\n"}
		},
	})
	blocks := attach.Turn(t.Context(), []attach.Source{source}, attach.Message{Text: "@symbol:load @selection"})
	if len(blocks) != 2 {
		t.Fatalf("%v", blocks)
	}
	if path, lines, ok := attach.ShownLines(blocks[1].Name, blocks[1].Text()); !ok || path != "two.py" || lines != "c = 3\n" {
		t.Errorf("%q shows %q, %q, %v", blocks[1].Name, path, lines, ok)
	}
	for _, tt := range []struct {
		file, all, text string
		known           bool
	}{
		{"one.py", one, "    return 1\r\n", true},
		{"one.py", one, "b = 2\r\n", false},
		{"one.py", one, "a = 1\r\n", false},
		{"two.py", two, "def load():\n", true},
		{"two.py", two, "c = 3\n", true},
	} {
		at := strings.Index(tt.all, tt.text)
		if _, _, ok := x.reads.Shows(abs(tt.file), tt.all, at, at+len(tt.text)); ok != tt.known {
			t.Errorf("%s: %q is known: %v", tt.file, tt.text, ok)
		}
	}
}

// TestMentionedLinesAreKnown, and nothing else of their file: also not what had no room.
func TestMentionedLinesAreKnown(t *testing.T) {
	x := newFixture(t, map[string]string{"dos.txt": "a\r\nb\r\nc\r\nd", "long.txt": lines(2000)})
	x.turn(t, "@dos.txt:2-3 @long.txt:1-1900", true)
	abs := func(name string) string { return filepath.Join(x.ws.Root(), name) }
	for text, known := range map[string]bool{"b\r\n": true, "b\r\nc\r\n": true, "a\r\n": false, "c\r\nd": false, "d": false} {
		const all = "a\r\nb\r\nc\r\nd"
		at := strings.Index(all, text)
		if _, _, ok := x.reads.Shows(abs("dos.txt"), all, at, at+len(text)); ok != known {
			t.Errorf("%q is known: %v", text, ok)
		}
	}
	all := lines(2000)
	for line, known := range map[string]bool{"line 7 of a file\n": true, "line 1890 of a file\n": false} {
		at := strings.Index(all, line)
		if _, _, ok := x.reads.Shows(abs("long.txt"), all, at, at+len(line)); ok != known {
			t.Errorf("%q is known: %v", line, ok)
		}
	}
	if read, _ := x.reads.Knows(abs("dos.txt"), "x"); read {
		t.Error("all of the file counts as read")
	}
}

// TestAMentionIsAttachedOnce, however often it is in a message: a folder is listed, and what is missing looked for,
// a single time.
func TestAMentionIsAttachedOnce(t *testing.T) {
	x := newFixture(t, map[string]string{"src/a.go": "package a\n"})
	blocks := attach.Turn(t.Context(), []attach.Source{x.mentioned()}, attach.Message{Text: strings.Repeat("@src/ @nope.txt @src/a.go:1 ", 6)})
	var names []string
	for _, b := range blocks {
		names = append(names, b.Name)
	}
	if diff := cmp.Diff([]string{"folder src/", "mention nope.txt", "line 1 of src/a.go"}, names); diff != "" {
		t.Error(diff)
	}
}

// TestAnImageThatIsNotSentSaysWhy: a head that lies about its size costs no memory.
func TestAnImageThatIsNotSentSaysWhy(t *testing.T) {
	const head = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\xea\x60\x00\x00\xea\x60\x08\x06\x00\x00\x00\x80\xd2\x75\x42"
	x := newFixture(t, map[string]string{"big.png": head + "\x00\x00\x00\x00IEND\xaeB`\x82", "cut.png": head[:20] + "\x00", "half.jpg": "\xff\xd8\xff\x00"})
	for message, want := range map[string]string{
		"@big.png":  `"big.png" has 60000×60000 pixels: images of up to 50 million are sent. So nothing is attached.`,
		"@cut.png":  `"cut.png" is broken: it begins like an image and cannot be read. So nothing is attached.`,
		"@half.jpg": `"half.jpg" is broken: it begins like an image and cannot be read. So nothing is attached.`,
	} {
		blocks := x.turn(t, message, false)
		if len(blocks) != 1 || blocks[0].Text() != want {
			t.Errorf("%s: %+v", message, blocks)
		}
	}
}
