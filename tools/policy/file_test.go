package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools/policy"
)

func TestParse(t *testing.T) {
	text := `// mine
{
  "deny": [{"paths": ["secret/"], "match": ["secret/a/b.txt", {"tool": "read_file", "arguments": {"path": "secret/x"}}], "not_match": ["src/secret.go"]}],
  "ask": [{"tool": "edit_file", "effect": "edits", "paths": ["docs/**"]}],
  "allow": [
    {"tool": "run_command", "command": "go test **", "note": "no harm", "match": ["go test ./... | go test -v"], "not_match": ["go build", "go test; rm x"]},
    {"effect": "fetches", "host": "*.example.org"},
  ],
}
`
	file, problems := policy.Parse("permissions.json", []byte(text))
	if len(problems) > 0 || file.Broken {
		t.Fatalf("%+v", problems)
	}
	var got []string
	for _, r := range file.Rules {
		got = append(got, string(r.List)+" "+r.Explain())
		if span := text[r.Offset : r.Offset+r.Length]; !strings.HasPrefix(span, "{") || !strings.HasSuffix(span, "}") {
			t.Errorf("the rule stands at %q", span)
		}
	}
	want := []string{
		"deny all calls on secret/",
		"ask edit_file (edits) on docs/**",
		"allow run_command `go test **`",
		"allow all that fetches from *.example.org",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// S26: what is wrong with a file has a place and a sentence; whatever a reader would take for something else makes it
// broken.
func TestProblemsOfAFile(t *testing.T) {
	allow := func(rule string) string { return `{"allow":[` + rule + `]}` }
	for text, want := range map[string]struct {
		at, message string
		broken      bool
	}{
		`{"deny":[}`:                       {"}", "not JSON", true},
		`[]`:                               {"[]", "is an object", true},
		`{"alow":[]}`:                      {`"alow"`, "There is no key", true},
		`{"Allow":[]}`:                     {`"Allow"`, `perhaps you mean "allow"`, true},
		`{"deny":{}}`:                      {"{}", "list of rules", true},
		`{"deny":["x"]}`:                   {`"x"`, "A rule is an object", true},
		allow(`{}`):                        {"{}", "does not say which calls", true},
		allow(`{"note":"x"}`):              {"{", "does not say which calls", true},
		allow(`{"tool":"a","path":["x"]}`): {`"path"`, `perhaps you mean "paths"`, true},
		allow(`{"tool":7}`):                {"7", "text that is not empty", true},
		allow(`{"tool":""}`):               {`""`, "text that is not empty", true},
		allow(`{"tool":"a","paths":"x"}`):  {`"x"`, "list of texts", true},
		allow(`{"tool":"a","paths":[7]}`):  {"[7]", "list of texts", true},
		allow(`{"effect":"edit"}`):         {`"edit"`, "there is no such effect", true},
		allow(`{"effect":2}`):              {"2", "there is no such effect", true},
		allow(`{"paths":["/etc/**"]}`):     {"{", "relative to the workspace", true},
		allow(`{"paths":["../x"]}`):        {"{", "have no ..", true},
		allow(`{"paths":["a/./../x"]}`):    {"{", "have no ..", true},
		allow(`{"paths":["[x"]}`):          {"{", "no pattern", true},
		allow(`{"paths":["x","!x/y"]}`):    {"{", "excepts nothing", true},
		`{"deny":[{"paths":["x "]}]}`:      {"{", "has a space", true},
		allow(`{"paths":["` + strings.Repeat("**/", 7) + `"]}`):                                              {"{", "too many", true},
		allow(`{"command":"go test | rm"}`):                                                                  {"{", "one program", true},
		allow(`{"command":"* rm"}`):                                                                          {"{", "name of a program", true},
		allow(`{"command":"rm $HOME"}`):                                                                      {"{", "literal", true},
		allow(`{"host":"https://example.org/"}`):                                                             {"{", "no host", true},
		allow(`{"command":"go test","match":["go vet"]}`):                                                    {`"go vet"`, "not about this example", false},
		allow(`{"command":"go **","not_match":["go run ."]}`):                                                {`"go run ."`, "about this example", false},
		allow(`{"command":"go test","match":["go test > x; echo $HOME"]}`):                                   {`"go test >`, "not about this example", false},
		allow(`{"tool":"a","match":[{"tools":"a"}]}`):                                                        {"[", "an example is", true},
		allow(`{"tool":"a","match":[7]}`):                                                                    {"[", "an example is", true},
		allow(`{"effect":"reads"}`):                                                                          {"{", "runs without it", false},
		allow(`{"tool":"*"}`):                                                                                {"{", "too wide", false},
		allow(`{"command":"bash **"}`):                                                                       {"{", "too wide", false},
		allow(`{"command":"ls","host":"example.org"}`):                                                       {"{", "about no call", false},
		allow(`{"effect":"edits","host":"example.org"}`):                                                     {"{", "about no call", false},
		allow(`{"command":"ls","paths":["x"]}`):                                                              {"{", "not judged by paths", false},
		allow(`{"command":"go test ./x"},{"command":"go test **"}`):                                          {`{"command":"go test ./x"}`, "does nothing", false},
		allow(`{"tool":"a"},{"tool":"a","note":"again"}`):                                                    {`{"tool":"a","note"`, "does nothing", false},
		`{"allow":[{"effect":"edits","paths":["src/a/**"]}],"deny":[{"effect":"edits","paths":["src/**"]}]}`: {`{"effect":"edits","paths":["src/a/`, "allows nothing", false},
		`{"deny":[{"tool":"read_file","paths":["x"]}]}`:                                                      {"{\"tool", "can still read", false},
		`{"ask":[{"tool":"a"}],"deny":[{"tool":"*"}]}`:                                                       {`{"tool":"a"}`, "does nothing", false},
	} {
		file, problems := policy.Parse("permissions.json", []byte(text))
		if len(problems) != 1 || file.Broken != want.broken {
			t.Errorf("%s: %+v", text, problems)
			continue
		}
		p := problems[0]
		if at := text[p.Offset:]; !strings.HasPrefix(at, want.at) || p.Offset+p.Length > len(text) || !strings.Contains(p.Message, want.message) || !strings.HasSuffix(p.Message, ".") {
			t.Errorf("%s: at %q: %+v", text, at, p)
		}
		if p.Fix != nil {
			mended := text[:p.Fix.Offset] + p.Fix.Text + text[p.Fix.Offset+p.Fix.Length:]
			if again, problems := policy.Parse("permissions.json", []byte(mended)); again.Broken {
				t.Errorf("%s: mended to %s: %+v", text, mended, problems)
			}
		}
	}
}

// An allow rule that fails its own example does not count; one that denies still does.
func TestAFailingExample(t *testing.T) {
	for list, void := range map[policy.List]bool{policy.Allowed: true, policy.Denied: false, policy.Asked: false} {
		file, problems := policy.Parse("p", fmt.Appendf(nil, `{%q:[{"command":"rm **","match":["ls"]}]}`, list))
		if len(problems) != 1 || len(file.Rules) != 1 || (file.Rules[0].Void != "") != void {
			t.Errorf("%s: %+v, %+v", list, file, problems)
		}
	}
}

func TestNarrow(t *testing.T) {
	for _, c := range []struct {
		rule, want policy.Rule
	}{
		{policy.Rule{Command: "go **"}, policy.Rule{Command: "go"}},
		{policy.Rule{Command: "go **", Match: []policy.Example{{Text: "go test"}}}, policy.Rule{Command: "go test", Match: []policy.Example{{Text: "go test"}}}},
		{policy.Rule{Paths: []string{"a", "src/**"}}, policy.Rule{Paths: []string{"a", "src/*"}}},
		{policy.Rule{Host: "*.example.org"}, policy.Rule{Host: "example.org"}},
	} {
		got, ok := policy.Narrow(c.rule)
		if diff := cmp.Diff(c.want, got); !ok || diff != "" {
			t.Errorf("%+v: %v\n%s", c.rule, ok, diff)
		}
	}
	if got, ok := policy.Narrow(policy.Rule{Tool: "edit_file"}); ok {
		t.Errorf("%+v", got)
	}
}

// FuzzPermissions: no file makes reading it fail otherwise than by problems with places in it, and what is broken
// allows nothing more than the rules that are in it.
func FuzzPermissions(f *testing.F) {
	f.Add([]byte(`{"deny":[{"paths":["a/**"],"match":["a/b"]}],"allow":[{"command":"go test **"}]}`))
	f.Add([]byte(`{"allow":[{"tool":"x","not_match":[{"tool":"x","arguments":{"path":1}}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, problems := policy.Parse("p", data)
		for _, p := range problems {
			if p.Offset < 0 || p.Length < 0 || p.Offset+p.Length > len(data) || p.Message == "" {
				t.Errorf("%q: %+v", data, p)
			}
		}
		for _, r := range file.Rules {
			if r.Offset < 0 || r.Offset+r.Length > len(data) || r.Key(r.List) == "" {
				t.Errorf("%q: %+v", data, r)
			}
		}
	})
}
