package configfiles_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/jsonc"
	"github.com/assent-ls/assent/lsp/configfiles"
	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/policy"
)

// changed does the change whose title begins so, at the cursor.
func changed(t *testing.T, marked, title string) string {
	t.Helper()
	text, offset := at(t, marked)
	for _, c := range configfiles.RuleChanges(text, offset) {
		if !strings.HasPrefix(c.Title, title) {
			continue
		}
		edits := slices.Clone(c.Edits)
		slices.SortFunc(edits, func(a, b configfiles.Edit) int { return b.Span.Start - a.Span.Start })
		for _, e := range edits {
			text = text[:e.Span.Start] + e.Text + text[e.Span.End:]
		}
		if _, err := jsonc.Parse([]byte(text)); err != nil {
			t.Errorf("%s of %s: %q: %v", title, marked, text, err)
		}
		return text
	}
	return "nothing"
}

func TestRuleChanges(t *testing.T) {
	for _, test := range []struct{ marked, title, want string }{
		{"{\"allow\": [\n  // mine\n  {\"tool\": \"edit_file\"‸}, // why\n  {\"tool\": \"write_file\"}\n]}", "Revoke", "{\"allow\": [\n  // mine\n  // why\n  {\"tool\": \"write_file\"}\n]}"},
		{"{\"allow\": [\n  {\"tool\": \"edit_file\"‸},\n  {\"tool\": \"write_file\"}\n]}", "Revoke: allow edit_file", "{\"allow\": [\n  {\"tool\": \"write_file\"}\n]}"},
		{"{\"allow\": [\n  {\"tool\": \"edit_file\"},\n  {\"tool\": \"write_file\"‸}\n]}", "Revoke", "{\"allow\": [\n  {\"tool\": \"edit_file\"},\n]}"},
		{`{"allow": [{"tool": "edit_file"‸}, {"tool": "write_file"}]}`, "Revoke", `{"allow": [{"tool": "write_file"}]}`},
		{`{"deny": [{"tool": "edit_file"‸}]}`, "Revoke: deny", `{"deny": []}`},
		{`{"allow": [{"command": "go test **"‸, "note": "n"}]}`, "Narrow to all calls `go test`", `{"allow": [{"command": "go test", "note": "n"}]}`},
		{`{"allow": [{"command": "go test **"‸, /* x */ "match": ["go test ./a", "go test -v"]}]}`, "Narrow", `{"allow": [{"command": "go test ./a", /* x */ "match": ["go test ./a"]}]}`},
		{`{"allow": [{"tool": "edit_file", "paths": ["src/**"‸]}]}`, "Narrow", `{"allow": [{"tool": "edit_file", "paths": ["src/*"]}]}`},
		{`{"deny": [{"command": "go test **"‸}]}`, "Narrow", "nothing"},
		{`{"allow": [{"tool": "edit_file"‸}]}`, "Narrow", "nothing"},
		{`{"Allow‸": [{"tool": "edit_file"}]}`, "Change to allow", `{"allow": [{"tool": "edit_file"}]}`},
		{`{"allow": []}‸`, "Revoke", "nothing"},
		{`{"allow": [{"tool": ‸`, "Revoke", "nothing"},
	} {
		if got := changed(t, test.marked, test.title); got != test.want {
			t.Errorf("%s of\n%s\ngot  %s\nwant %s", test.title, test.marked, got, test.want)
		}
	}
}

func TestDiagnosePermissions(t *testing.T) {
	text := `{"allow": [{"tool": "edit_file"}, {"command": "bash **"}, {"tool": "edit_file", "paths": ["src/**"]}], "dney": []}`
	for kind, want := range map[configfiles.Kind][]string{
		configfiles.UserPermissions:      {"too wide", "covers it", `no key "dney"`},
		configfiles.WorkspacePermissions: {"too wide", "covers it", `no key "dney"`, "a workspace's file allows nothing"},
	} {
		var got []string
		for _, d := range kind.DiagnosePermissions(text) {
			got = append(got, fmt.Sprintf("%d %q: %s", d.Severity, text[d.Span.Start:d.Span.End], d.Message))
		}
		all := strings.Join(got, "\n")
		for _, w := range want {
			if !strings.Contains(all, w) {
				t.Errorf("%v does not say %q:\n%s", kind, w, all)
			}
		}
		if kind == configfiles.UserPermissions && strings.Contains(all, "allows nothing. Put") {
			t.Errorf("the user's own file does not allow:\n%s", all)
		}
	}
}

func TestHoverRule(t *testing.T) {
	text := `{"allow": [{"command": "go test **", "note": "fast", "match": ["go test ./a && go test -v"], "not_match": ["go build"]}]}`
	r, ok := configfiles.RuleAt(text, 20)
	if !ok {
		t.Fatal("no rule")
	}
	now := time.Unix(10_000, 0)
	decide := func(line command.Line) policy.Decision {
		return policy.Decision{Verdict: policy.Ask, Reason: "It was tried."}
	}
	got := configfiles.HoverRule(r, 14, now.Add(-2*time.Minute), now, decide)
	for _, want := range []string{"**allow**", "`go test **`", "fast", "Matched 14 calls, last 2 minutes ago.", "the rule is about it; `[\"go\" \"test\" \"./a\"]`; `[\"go\" \"test\" \"-v\"]`; decision in the sandbox: ask, since: It was tried.", "`go build`: the rule is not about it"} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not say %q:\n%s", want, got)
		}
	}
	for d, want := range map[time.Duration]string{time.Second: "less than a minute", 90 * time.Second: "1 minute ago", 3 * time.Hour: "3 hours ago", 49 * time.Hour: "2 days ago"} {
		if got := configfiles.Matched(2, now.Add(-d), now); !strings.Contains(got, want) {
			t.Errorf("%v: %s", d, got)
		}
	}
	if got := configfiles.Matched(0, time.Time{}, now); got != "No call has matched it yet." {
		t.Error(got)
	}
}

// Keys and values of rules complete from their declaration, in a file of any state.
func TestCompleteRules(t *testing.T) {
	for _, test := range []struct{ marked, choose, want string }{
		{`{‸}`, "deny", `{"deny": []}`},
		{`{"deny": [{‸}]}`, "paths", `{"deny": [{"paths": []}]}`},
		{`{"deny": [‸]}`, "{}", `{"deny": [{}]}`},
		{`{"allow": [{"tool": "edit_file", "pa‸"}]}`, "paths", `{"allow": [{"tool": "edit_file", "paths": []}]}`},
		{`{"deny": [{"pa‸"tool": "edit_file"}]}`, "paths", `{"deny": [{"paths": [],"tool": "edit_file"}]}`},
		{`{"allow": [{"effect": "‸`, `"edits"`, `{"allow": [{"effect": "edits"`},
	} {
		if got := completed(t, configfiles.UserPermissions, test.marked, test.choose); got != test.want {
			t.Errorf("%s at %s:\ngot  %s\nwant %s", test.choose, test.marked, got, test.want)
		}
	}
}

func TestGrantsOfTheFile(t *testing.T) {
	text, offset := at(t, "{\"version\": 1, \"data\": [\n {\"id\": \"A\", \"rule\": {\"id\": \"no\"}},\n {\"id\"‸: \"B\"}]}")
	id, span, ok := configfiles.GrantAt(text, offset)
	if !ok || id != "B" || text[span.Start:span.End] != `{"id": "B"}` {
		t.Errorf("%q, %v, %v", id, span, ok)
	}
	for _, other := range []string{"", "[]", `{"other": [{"id": "A"}]}`, `{"data": {"id": "A"}}`} {
		if id, _, ok := configfiles.GrantAt(other, len(other)/2); ok {
			t.Errorf("%s has %q", other, id)
		}
	}
}
