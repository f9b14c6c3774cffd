package formats

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// ours are formats as users may declare them. All that is tested of every format is tested of them, too.
func ours() []model.DeclaredFormat {
	return []model.DeclaredFormat{
		{Name: "ours-tags", Start: "<<call>>", End: "<</call>>", NameKey: "fn", ArgumentsKey: "with"},
		{Name: "ours-words", Start: "BEGIN CALL", End: "END CALL", NameKey: "name", ArgumentsKey: "arguments"},
		{Name: "ours-signs", Start: "@@@[", End: "]@@@", NameKey: "arguments", ArgumentsKey: "name"}, // as mixed up as can be
	}
}

func everyName() []string {
	names := Names()
	for _, d := range ours() {
		names = append(names, d.Name)
	}
	return names
}

func byEveryName(name string) (toolcall.Format, error) { return With(ours()).ByName(name) }

func forEveryModel(names []string, opened bool) (toolcall.Format, error) {
	return With(ours()).ForModel(names, opened)
}

// TestDeclaredFormat: what its own models write, in the ways of theirs.
func TestDeclaredFormat(t *testing.T) {
	if err := CheckDeclared(ours()); err != nil {
		t.Fatal(err)
	}
	f, err := byEveryName("Ours-Tags")
	if err != nil {
		t.Fatal(err)
	}
	for reply, want := range map[string]outcome{
		`<<call>>{"fn": "ping", "with": {"host": "db1"}}<</call>>`:                                                  {Calls: []string{p1}, Order: "C"},
		"Let me see.\n<<call>>\n{\"with\": {\"host\": \"db1\"}, \"fn\": \"ping\"}\n<</call>>":                       {Text: "Let me see.", Calls: []string{p1}, Order: "TC"},
		`<<call>>{"fn": "uptime"}<</call>><<call>>{"fn": "ping", "with": {"host": "db1"}}<</call>>`:                 {Calls: []string{"uptime {}", p1}, Order: "CC"},
		`<<call>>[{"fn": "uptime", "with": {}}, {"fn": "ping", "with": {"host": "db1"}}]<</call>>`:                  {Calls: []string{"uptime {}", p1}, Order: "CC"},
		`<<call>>{"fn": "ping", "with": {"host": "<</call>>"}}<</call>>`:                                            {Calls: []string{`ping {"host":"<</call>>"}`}, Order: "C"},
		`<<call>>{"name": "ping", "arguments": {"host": "db1"}}<</call>>`:                                           {Calls: []string{p1}, Order: "C"},
		`<<call>>{"fn": "ping", "with": {"host": "db1"}, "arguments": {"host": "evil"}}<</call>>`:                   {Calls: []string{p1}, Order: "C"},
		`<<call>>{"arguments": {"host": "evil"}, "name": "uptime", "fn": "ping", "with": {"host": "db1"}}<</call>>`: {Calls: []string{p1}, Order: "C"},
	} {
		got := decodeEveryWay(t, f, testTools(), true, reply)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", reply, diff)
		}
	}
	const quoted = "It is written `<<call>>{\"fn\": \"uptime\", \"with\": {}}<</call>>` there."
	if got := decodeEveryWay(t, f, testTools(), true, quoted); got.Text != quoted || len(got.Calls) > 0 || len(got.Notices) != 1 {
		t.Errorf("a call that is shown: %+v", got)
	}
	if got := decodeEveryWay(t, f, testTools(), false, `<<call>>{"fn": "ping", "with": {"host": "db1"}}`); len(got.Calls) > 0 {
		t.Errorf("a call that was cut runs: %+v", got)
	}
	request := f.Request("Be brief.", nil, testTools(), toolcall.Hints{}).Messages[0].Text
	if !strings.Contains(request, "<<call>>\n{\"fn\": NAME, \"with\": {...}}\n<</call>>") || !strings.Contains(request, `"name": "ping"`) {
		t.Errorf("the model is told\n%s", request)
	}
	// The marks that it is to write itself, and those that nothing else may hold.
	if diff := cmp.Diff([]string{"<<call>>", "<</call>>"}, OwnMarks(f)[:2]); diff != "" {
		t.Error(diff)
	}
	thinking, err := byEveryName("ours-tags+thinking")
	if err != nil {
		t.Fatal(err)
	}
	if got := decodeEveryWay(t, thinking, testTools(), true, `<<call>>{"fn": "uptime"}<</call>></think>Yes.`); len(got.Calls) > 0 {
		t.Errorf("a call in a thought runs: %+v", got)
	}
}

func TestDeclaredFormatsThatWouldBeTakenForOthers(t *testing.T) {
	for want, d := range map[string]model.DeclaredFormat{
		"there is a format of this name already": {Name: "hermes", Start: "<<a>>", End: "<<b>>"},
		"format of this name already":            {Name: "json", Start: "<<a>>", End: "<<b>>"}, // another name of one
		"is a marker of the format":              {Name: "mine", Start: "<tool_call>", End: "<<b>>"},
		"a marker of the format":                 {Name: "mine", Start: "</tool_call>", End: "<<b>>"},
		"begins the calls of the format":         {Name: "mine", Start: "<<a>>", End: "[TOOL_CALLS]"},
		"one of the thoughts of the format":      {Name: "mine", Start: "<think>", End: "<<b>>"},
		"which is declared, too":                 {Name: "mine", Start: "<<call>>", End: "<<b>>"},
	} {
		d.Where = "mine.toml:3"
		err := CheckDeclared(append(ours(), d))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "mine.toml:3: format ") {
			t.Errorf("%s: %v", want, err)
		}
	}
}
