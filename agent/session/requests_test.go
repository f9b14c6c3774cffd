package session_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/guidance/intent"
	"github.com/assent-ls/assent/agent/model"
)

// ordinary are requests for a change that were once taken for questions, or for nothing clear.
var ordinary = []string{
	"Read the port from the environment in server.go", "Print the total after the loop in sum.py", "Check for nil in Parse",
	"Translate README.md into German", "Describe each function in main.go with a doc comment",
	"Was im README falsch ist, bitte korrigieren.", "Add 17 and 25 to the list in numbers.txt",
	"Show the version in the footer of index.html", "Count the lines in sum.py and print the count at its end", "List the endpoints in README.md",
	"Tell me in README.md how to build it", "Explain the flag -v in README.md", "Summarize CHANGELOG.md at the top of it", "Say hello in main.go",
	"Look for typos in README.md and get rid of them", "Can the port in server.go come from the environment?", "Why not log the error in Parse?",
	"Help text for -v, please, in main.go", "Compare the totals in sum.py with a tolerance", "Find unused imports in main.go and drop them",
	"Suggest a better name for parse, and use it",
}

// labelled is one of testdata/requests.tsv.
type labelled struct{ language, label, text string }

func messages(t *testing.T) (all []labelled) {
	t.Helper()
	text, err := os.ReadFile("testdata/requests.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		all = append(all, labelled{fields[0], fields[1], strings.ReplaceAll(fields[2], `\n`, "\n")})
	}
	for _, text := range ordinary {
		all = append(all, labelled{"ours", "change", text})
	}
	return all
}

// looks is what a model does that looks before it changes anything, fails, computes, repeats itself, writes a call that
// cannot be read, and tells of a change that it did not make. long is one that looks for long.
func looks(long bool) []agenttest.Reply {
	replies := says(
		`{"do":"look","tool":"search_files","arguments":{"pattern":"port"}}`,
		`{"do":"look","tool":"read_file","arguments":{"path":"server.go"}}`,
		`{"do":"look","tool":"read_file","arguments":{"path":"nowhere.go"}}`,
		`{"do":"compute","tool":"calculator","arguments":{"expression":"17 + 25"}}`,
		`{"do":"look","tool":"list_directory","arguments":{"path":"."}}`, `{"do":"look","tool":"list_directory","arguments":{"path":"."}}`,
	)
	for i := range 8 {
		if long {
			replies = append(replies, agenttest.Say(fmt.Sprintf(`{"do":"look","tool":"find_files","arguments":{"pattern":"*%d"}}`, i)))
		}
	}
	return append(replies, says(`{"do":"look","tool":"read_file","arguments":{"path":}}`, `{"do":"talk","answer":"I have changed server.go."}`)...)
}

// No request for a change is left without the tools that edit files, in the first request or in any later one of the
// run, whatever its words are taken for. How often they are taken for the right thing is only told.
// F15.
func TestARequestForAChangeKeepsTheEditingTools(t *testing.T) {
	t.Parallel()
	count, kept, guesses := map[string]int{}, map[string]int{}, map[string]int{}
	l := newLab(t)
	for name, text := range map[string]string{
		"server.go": "package main\n\nconst port = 8080\n", "sum.py": "total = 0\nfor x in [1, 2]:\n    total += x\n", "numbers.txt": "1\n2\n",
		"main.go": "package main\n\n// Parse parses.\nfunc Parse(s *string) {}\n\nfunc main() {}\n", "index.html": "<footer></footer>\n", "CHANGELOG.md": "# Changelog\n",
	} {
		l.write(name, text)
	}
	for _, m := range messages(t) {
		script := looks(m.language == "ours")
		l.backend.Then = func(r model.Request) agenttest.Reply {
			if r.Format == nil || len(script) == 0 { // asked for apart
				return agenttest.Say("I do not know.")
			}
			next := script[0]
			script = script[1:]
			return next
		}
		before := len(l.backend.Requests())
		requests, _ := guide(t, l, m.text)
		requests = requests[before:]
		if len(requests) < 7 {
			t.Errorf("%s: only %d requests", m.text, len(requests))
		}
		in := "not English"
		if m.language == "en" || m.language == "ours" {
			in = "English"
		}
		key := m.label + ", " + in
		count[key]++
		guesses[key+", taken for "+intent.Of(m.text).String()]++
		for i, r := range requests {
			if r.Format == nil || canEdit(r) {
				continue
			}
			if m.label == "change" {
				t.Errorf("%s: %s: reply %d cannot edit: %.300s", m.language, m.text, i+1, r.Format)
			}
			kept[key]--
			break
		}
		kept[key]++
	}
	for _, key := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%-22s %3d messages, %3d keep the editing tools in every reply", key, count[key], kept[key])
	}
	for _, key := range slices.Sorted(maps.Keys(guesses)) {
		t.Logf("%-42s %3d", key, guesses[key])
	}
}

func canEdit(r model.Request) bool {
	return strings.Contains(string(r.Format), `"const":"edit_file"`) && strings.Contains(string(r.Format), `"const":"write_file"`)
}

// mayCall reports whether a reply to a request may be a call of a tool.
func mayCall(t *testing.T, r model.Request, tool, arguments string) bool {
	t.Helper()
	var schema jsonschema.Schema
	if err := json.Unmarshal(r.Format, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, does := range []string{"look", "change", "run", "compute", "files"} {
		for _, done := range []string{"", `"done":"no",`} {
			var value any
			if json.Unmarshal([]byte(`{`+done+`"do":"`+does+`","tool":"`+tool+`","arguments":`+arguments+`}`), &value) == nil && resolved.Validate(value) == nil {
				return true
			}
		}
	}
	return false
}
