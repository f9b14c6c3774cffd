package configfiles_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/internal/jsonc"
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

// known are the tools of a workspace, with one server that does not run.
var known = policy.Known{
	Tools: []policy.KnownTool{
		{Name: "edit_file", Effect: "edits"},
		{Name: "read_file", Effect: "reads"},
		{Name: "run_command", Effect: "runs"},
		{Name: "write_file", Effect: "edits"},
		{Name: "count_lines", Origin: "the user", Effect: "calls"},
		{Name: "theirs", Origin: "the workspace", Effect: "calls"},
		{Name: "echo", Origin: "server notes", Effect: "calls"},
	},
	Origins: []string{"the user", "the workspace", "server notes", "server idle"},
}

// A rule that is about nothing says so, and so does one that allows what a broader rule denies.
// F13.
func TestRulesAboutNothing(t *testing.T) {
	for rules, want := range map[string]string{
		`{"allow": [{"tool": "count_lines"}]}`:                                                                                "",
		`{"allow": [{"tool": "edit_file", "paths": ["src/**"]}]}`:                                                             "",
		`{"allow": [{"tool": "echo", "origin": "server notes"}]}`:                                                             "",
		`{"allow": [{"tool": "anything", "origin": "server idle"}]}`:                                                          "",
		`{"deny": [{"tool": "Edit_File"}]}`:                                                                                   "",
		`{"deny": [{"tool": "echo"}]}`:                                                                                        "",
		`{"allow": [{"tool": "edit_fiel"}]}`:                                                                                  `There is no tool "edit_fiel": perhaps you mean "edit_file".`,
		`{"allow": [{"tool": "Edit_File"}]}`:                                                                                  `There is no tool "Edit_File": perhaps you mean "edit_file".`,
		`{"deny": [{"tool": "write_fil"}]}`:                                                                                   `There is no tool "write_fil" now: perhaps you mean "write_file". The tools of server idle are not known until it is started.`,
		`{"allow": [{"tool": "theirs"}]}`:                                                                                     `The rule allows nothing: theirs comes from the workspace. Add "origin": "the workspace" to the rule.`,
		`{"allow": [{"tool": "echo"}]}`:                                                                                       `The rule allows nothing: echo comes from server notes. Add "origin": "server notes" to the rule.`,
		`{"allow": [{"tool": "echo", "origin": "server note"}]}`:                                                              `No tool has the origin "server note": perhaps you mean "server notes".`,
		`{"deny": [{"origin": "user"}]}`:                                                                                      `No tool has the origin "user".`,
		`{"allow": [{"tool": "edit_file", "origin": "the user"}]}`:                                                            `The rule is about no call: edit_file of the user is not there.`,
		`{"deny": [{"effect": "edits"}], "allow": [{"tool": "edit_file"}]}`:                                                   `The rule allows nothing: "all that edits" in "deny" covers it.`,
		`{"deny": [{"paths": ["**"]}], "allow": [{"tool": "write_file"}]}`:                                                    `The rule allows nothing: "all calls on **" in "deny" covers it.`,
		`{"ask": [{"effect": "calls"}], "allow": [{"tool": "count_lines"}]}`:                                                  `The rule allows nothing: "all that calls" in "ask" covers it.`,
		`{"deny": [{"tool": "Edit_File"}], "allow": [{"tool": "edit_file"}]}`:                                                 `The rule allows nothing: "Edit_File" in "deny" covers it.`,
		`{"deny": [{"effect": "edits", "paths": ["src/**"]}], "allow": [{"tool": "edit_file"}]}`:                              "",
		`{"deny": [{"effect": "calls", "origin": "server notes"}], "allow": [{"tool": "theirs", "origin": "the workspace"}]}`: "",
	} {
		var got []string
		for _, d := range configfiles.UserPermissions.DiagnosePermissions(rules, known) {
			got = append(got, d.Message)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s\ngot  %s\nwant %s", rules, strings.Join(got, "|"), want)
		}
	}
}

// What a rule can be about is completed: the tools and the origins that there are.
func TestCompleteToolsAndOrigins(t *testing.T) {
	schema := configfiles.UserPermissions.RulesSchema(known)
	for marked, want := range map[string]string{
		`{"allow": [{"tool": "‸"}]}`: `"*" "edit_file" "read_file" "run_command" "write_file" "count_lines" "theirs" "echo"`,
		`{"deny": [{"origin": ‸}]}`:  `"the user" "the workspace" "server notes" "server idle"`,
	} {
		text, offset := at(t, marked)
		var got []string
		for _, c := range configfiles.Complete(schema, text, offset) {
			got = append(got, c.Label)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s", marked, strings.Join(got, " "))
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
		for _, d := range kind.DiagnosePermissions(text, known) {
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
