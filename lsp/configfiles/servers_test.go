package configfiles_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-ls/assent/lsp/configfiles"
)

// The keys and values of a server are offered, also while the file is broken.
func TestCompleteServers(t *testing.T) {
	for _, test := range []struct{ marked, choose, want string }{
		{`{‸}`, "mcpServers", `{"mcpServers": {}}`},
		{`{"mcpServers": {"a": {‸}}}`, "command", `{"mcpServers": {"a": {"command": ""}}}`},
		{`{"mcpServers": {"a": {"com‸`, "command", `{"mcpServers": {"a": {"command": ""`},
		{`{"servers": {"a": {"command": "x", ‸`, "args", `{"servers": {"a": {"command": "x", "args": []`},
		{"{\"mcpServers\": {\"a\": {\"url\": \"http:\n ‸\n}, \"b\": {", "headers", "{\"mcpServers\": {\"a\": {\"url\": \"http:\n \"headers\": {}\n}, \"b\": {"},
		{`{"mcpServers": {"a": {"type": ‸`, `"websocket"`, `{"mcpServers": {"a": {"type": "websocket"`},
		{`{"mcpServers": {"a": {"disabled": ‸`, "true", `{"mcpServers": {"a": {"disabled": true`},
		{`{"a": {"env‸`, "env", `{"a": {"env": {}`},
		{`{"mcpServers": {"a": {"env": {‸}}}}`, "command", "nothing"},
		{`{"mcpServers": {‸}}`, "command", "nothing"},
	} {
		for _, kind := range []configfiles.Kind{configfiles.UserServers, configfiles.WorkspaceServers} {
			if got := completed(t, kind, test.marked, test.choose); got != test.want {
				t.Errorf("%s at %s:\ngot  %s\nwant %s", test.choose, test.marked, got, test.want)
			}
		}
	}
	text, offset := at(t, `{"mcpServers": {"a": {"head‸ers": {}}}}`)
	if said, _, _ := configfiles.Hover(configfiles.UserServers.Schema(), text, offset); !strings.Contains(said, "What each request to a server elsewhere carries.") {
		t.Errorf("the hover says %q", said)
	}
}

func TestServerAt(t *testing.T) {
	for marked, want := range map[string]string{
		"{\"mcpServers\": {\n  ‸\"a\": {},\n  \"b\": {}\n}}":                "a",
		"{\"mcpServers\": {\n‸  \"a\": {},\n  \"b\": {}\n}}":                "a",
		"{\"mcpServers\": {\n  \"a\": {},‸\n  \"b\": {}\n}}":                "a",
		"{\"mcpServers\": {\n  \"a\": {},\n‸  \"b\": {}\n}}":                "b",
		"{\"mcpServers\": {\n  \"b\": {\n \"command\": ‸\"x\n}\n}}":         "b",
		"{\"mcpServers\": {\"a\": {}, \"b\": {‸}}}":                         "b",
		"{\"servers\": {\"a\": {\"env\": {\"mcpServers‸\": {\"x\": {}}}}}}": "a",
		"{\"a\": {\"command\": ‸":                                           "a",
		"{\"mcpServers\": {\n\"a\": {}\n}\n‸}":                              "",
		"{\"mcpServers\": {\"a\": ‸":                                        "",
		"{\n\"mcpServers\": {\n},\n\"inputs\": {\"x\": {‸}}}":               "",
		"‸":                   "",
		"[{‸}]":               "",
		"{\"a\\u0062\": {‸}}": "ab",
	} {
		text, offset := at(t, marked)
		got, ok := configfiles.ServerAt(text, offset)
		if ok != (want != "") || got.Name != want {
			t.Errorf("%s: %+v, want %q", marked, got, want)
		}
	}
}

func TestDiagnoseServers(t *testing.T) {
	text := "{\n  \"mcpServers\": {\n    \"a b\": {\"command\": \"x\"},\n    \"c\": {\"comand\": \"x\"}\n  },\n  \"inputs\": []\n}"
	var got []string
	for _, d := range configfiles.DiagnoseServers(text) {
		got = append(got, fmt.Sprintf("%s=%.40s", text[d.Span.Start:d.Span.End], d.Message))
	}
	want := []string{`"a b"=The server "a b" is left out: its name m`, `"comand"=The server "c" is left out: there is no `, `"inputs"=There is no key "inputs" here; the serve`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// A file of a megabyte in one line has its place and its problem told, too.
func TestManyServersInOneLine(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"mcpServers": {`)
	for i := 0; b.Len() < 1<<20-100; i++ {
		fmt.Fprintf(&b, `"s%d": {"command": "x"},`, i)
	}
	b.WriteString("}}")
	text := b.String()
	configfiles.ServerAt(text, 3)
	found, _ := configfiles.ServerAt(text, len(text)/2)
	problems := configfiles.DiagnoseServers(text)
	if found.Name == "" || len(problems) != 1 || !strings.Contains(problems[0].Message, "more than 64 servers") {
		t.Errorf("%+v, %d problems", found, len(problems))
	}
}

// FuzzServers: whatever is written, the places of servers and of what is wrong lie in the text.
func FuzzServers(f *testing.F) {
	for _, seed := range []string{`{"mcpServers": {"a": {"command": "x"}}}`, `{"a": {`, `{"servers": {"a": {"args": 1}}, "x"`, "{\"a\": {}\r\n}", `{"mcpServers": {"a": {}, "a": {}}}`} {
		f.Add(seed, len(seed)/2)
	}
	f.Fuzz(func(t *testing.T, text string, offset int) {
		if offset < 0 || offset > len(text) {
			return
		}
		inside := func(s configfiles.Span) {
			if s.Start < 0 || s.End < s.Start || s.End > len(text) {
				t.Fatalf("%q: %+v", text, s)
			}
		}
		for _, s := range configfiles.Servers(text) {
			inside(s.Key)
			inside(s.Whole)
		}
		for _, d := range configfiles.DiagnoseServers(text) {
			inside(d.Span)
		}
		configfiles.ServerAt(text, offset)
	})
}
