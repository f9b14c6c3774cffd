package schema

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/workspace"
)

// specs are the built-in tools.
func specs(t *testing.T) map[string]tools.Spec {
	t.Helper()
	ws, err := workspace.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	all := map[string]tools.Spec{}
	for _, tool := range builtin.Tools(ws, builtin.Options{}) {
		all[tool.Spec().Name] = tool.Spec()
	}
	return all
}

// fits reports whether arguments fit one of some schemas.
func fits(t *testing.T, schemas []json.RawMessage, arguments string) bool {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(arguments), &value); err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(schemas, func(raw json.RawMessage) bool {
		var schema jsonschema.Schema
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatal(err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		return resolved.Validate(value) == nil
	})
}

func TestArguments(t *testing.T) {
	long := strings.Repeat("x = 1\n", 30) + ".small {\n  margin: 10px;\n}\n.nav {\n  margin: 10px;\n}\n"
	place := Place{
		Files: []string{"README.md", "src/main.go", "src/long.css"}, Folders: []string{".", "src"}, Short: []string{"README.md"}, Whole: []string{"README.md", "src/main.go"},
		Read: []File{{"src/long.css", long}}, Request: "Move README.md to docs, and rename margin",
	}
	all := specs(t)
	for _, tt := range []struct {
		tool, arguments string
		want            bool
	}{
		{"read_file", `{"path":"src/main.go"}`, true},
		{"read_file", `{"path":"main.go"}`, false},
		{"read_file", `{"path":"src/long.css","start_line":9}`, true},
		{"list_directory", `{"path":"src"}`, true},
		{"list_directory", `{"path":"source"}`, false},
		{"search_files", `{"pattern":"x"}`, true},
		{"search_files", `{"pattern":"x","path":"nowhere"}`, false},
		{"search_files", `{"pattern":"four words at most"}`, true},
		{"search_files", `{"pattern":"which file says when we open"}`, false},
		{"search_files", `{"pattern":"a \"b\""}`, false},
		{"delete_file", `{"path":"READ.md"}`, false},
		{"move_file", `{"from":"README.md","to":"docs/"}`, true},
		{"move_file", `{"from":"README.md","to":"docs/README.md"}`, true},
		{"move_file", `{"from":"README.md","to":"src/README.md"}`, true},
		{"move_file", `{"from":"README.md","to":"docs"}`, false},
		{"move_file", `{"from":"README.md","to":"elsewhere/README.md"}`, false},
		{"calculator", `{"expression":"2 * (3.5 + 1)"}`, true},
		{"calculator", `{"expression":"-2**8 % 3"}`, true},
		{"calculator", `{"expression":"sqrt(2)"}`, true},
		{"calculator", `{"expression":"sum(data['mm'])"}`, false},
		{"calculator", `{"expression":"README.md"}`, false},
		{"write_file", `{"path":"new.md"}`, true},
		{"edit_file", `{"path":"README.md"}`, true},
		{"edit_file", `{"path":"src/long.css"}`, false},
		{"edit_file", `{"path":"src/long.css","old_text":".nav {","new_text":"y"}`, true},
		{"edit_file", `{"path":"src/long.css","old_text":".nav {\n  margin: 10px;","new_text":"y"}`, true},
		{"edit_file", `{"path":"src/long.css","old_text":"  margin: 10px;","new_text":"y"}`, false}, // it is there twice
		{"edit_file", `{"path":"src/long.css","old_text":"margin","new_text":"y","replace_all":true}`, true},
		{"edit_file", `{"path":"src/long.css","old_text":"margin","new_text":"y"}`, false},
		{"edit_file", `{"path":"src/main.go","old_text":"anything","new_text":"y"}`, true}, // it was not read: the tool answers with it
	} {
		if got := fits(t, Arguments(all[tt.tool], place), tt.arguments); got != tt.want {
			t.Errorf("%s %s: %v", tt.tool, tt.arguments, got)
		}
	}
	for _, name := range []string{"run_command", "get_time", "find_files"} {
		if got := Arguments(all[name], place); got != nil {
			t.Errorf("%s is narrowed to %s", name, got)
		}
	}
}

// A short file is read as a whole: what a model may write there has no lines to choose.
func TestShortFilesAreReadWhole(t *testing.T) {
	place := Place{Files: []string{"short.md", "long.md"}, Whole: []string{"short.md"}}
	for _, schema := range Arguments(specs(t)["read_file"], place) {
		short, lines := strings.Contains(string(schema), `"short.md"`), strings.Contains(string(schema), "start_line")
		if short == lines {
			t.Errorf("%s", schema)
		}
	}
}

// Where little is known, or too much, a tool keeps its own schema.
func TestArgumentsOfAnUnknownPlace(t *testing.T) {
	all := specs(t)
	many := make([]string, MaxPaths+1)
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
	}
	endless := File{"endless.txt", strings.Repeat("the same line\n", 300_000)} // nothing is quadratic in it
	for _, place := range []Place{{}, {Files: many, Folders: many}, {Read: []File{endless}}} {
		for tool, arguments := range map[string]string{
			"read_file": `{"path":"anything"}`, "list_directory": `{"path":"anything"}`, "edit_file": `{"path":"a","old_text":"b","new_text":"c"}`, "move_file": `{"from":"a","to":"b/"}`,
		} {
			if !fits(t, Arguments(all[tool], place), arguments) {
				t.Errorf("%s %s does not fit", tool, arguments)
			}
		}
	}
}

// Each text that can be replaced occurs once, whatever the file.
func TestLines(t *testing.T) {
	for _, text := range []string{
		"", "\n\n\n", "a\na\na\n", "one\n\ntwo", "x\r\ny\r\nx\r\n", "a\nb\na\nb\n", "ab\nb\n", strings.Repeat("}\n", 50), "é\xff\né\n", strings.Repeat("long ", 100) + "\nshort\n",
	} {
		for _, line := range Lines(text) {
			if strings.Count(text, line) != 1 || strings.TrimSpace(line) == "" {
				t.Errorf("%q of %q", line, text)
			}
		}
	}
	if got := Lines("[a]\ntimeout = 1\n[b]\ntimeout = 1\n"); !slices.Equal(got, []string{"[a]", "[a]\ntimeout = 1", "[b]", "[b]\ntimeout = 1"}) {
		t.Errorf("%q", got)
	}
}

// The patterns are of the kind that model servers turn into grammars: anchored, without what those do not know.
func TestPatternsAreAnchored(t *testing.T) {
	for _, raw := range []json.RawMessage{arithmetic, newPath(Place{}), newPath(Place{Request: "a.txt to b+c (d)/e.tar.gz", Folders: []string{"x.y", "src"}})} {
		var schema struct{ Pattern string }
		if err := json.Unmarshal(raw, &schema); err != nil {
			t.Fatal(err)
		}
		if _, err := regexp.Compile(schema.Pattern); err != nil || !strings.HasPrefix(schema.Pattern, "^") || !strings.HasSuffix(schema.Pattern, "$") || strings.Contains(schema.Pattern, "(?") {
			t.Errorf("%s: %v", schema.Pattern, err)
		}
	}
}

// A search looks in all folders but for those that the request has the name of, and for words; a name that is replaced
// was said.
func TestWhatWasSaid(t *testing.T) {
	all := specs(t)
	place := Place{
		Files: []string{"README.md"}, Folders: []string{".", "src", "src/old parts", "docs"},
		Request: "roundUp is a bad name, call it \"ceil to\" in the old parts.",
	}
	for _, tt := range []struct {
		tool, arguments string
		want            bool
	}{
		{"search_files", `{"pattern":"roundUp","path":"."}`, true},
		{"search_files", `{"pattern":"roundUp"}`, true},
		{"search_files", `{"pattern":"roundUp","path":"src/old parts"}`, true},
		{"search_files", `{"pattern":"roundUp","path":"src"}`, false},
		{"search_files", `{"pattern":"roundUp","path":"docs"}`, false},
		{"list_directory", `{"path":"docs"}`, true},
		{"search_files", `{"pattern":".*"}`, false},
		{"search_files", `{"pattern":"a.*"}`, true},
		{"search_files", `{"pattern":"größe"}`, true},
		{"replace_everywhere", `{"old_text":"roundUp","new_text":"ceil to"}`, true},
		{"replace_everywhere", `{"old_text":"roundUp","new_text":"ceilTo"}`, false},
		{"replace_everywhere", `{"old_text":"src","new_text":"roundUp"}`, false},
		{"replace_everywhere", `{"old_text":"roundUp","new_text":"bad","path":"docs"}`, true},
	} {
		if got := fits(t, Arguments(all[tt.tool], place), tt.arguments); got != tt.want {
			t.Errorf("%s %s: %v", tt.tool, tt.arguments, got)
		}
	}
	for i := range 41 {
		place.Request += fmt.Sprintf(" word%d", i)
	}
	if !fits(t, Arguments(all["replace_everywhere"], place), `{"old_text":"anything","new_text":"other"}`) {
		t.Error("a long request narrows it")
	}
}

// No folder that exists is excluded as the place of a new path, however many there are and whatever their names are.
func TestAnyFolderMayGetAFile(t *testing.T) {
	many := []string{"."}
	for i := range 2 * MaxPaths {
		many = append(many, fmt.Sprintf("d%d", i))
	}
	all := specs(t)
	for _, folders := range [][]string{many, {".", ".github/workflows", "my docs", "a+b"}} {
		for _, folder := range folders {
			for _, request := range []string{"Move a.txt somewhere.", "Tidy up."} {
				to := strings.TrimPrefix(folder+"/a.txt", "./")
				if !fits(t, Arguments(all["move_file"], Place{Files: []string{"a.txt"}, Folders: folders, Request: request}), `{"from":"a.txt","to":"`+to+`"}`) {
					t.Errorf("%s: %s does not fit", request, to)
				}
			}
		}
	}
}
