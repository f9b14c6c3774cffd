package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/cmd/assent/listing"
)

// notListed are commands whose help says that they list or show something, and that have no lines for programs, with
// the reason.
var notListed = map[string]string{ //nolint:gochecknoglobals // a table
	"help":       "it is about the program itself",
	"completion": "a shell reads it",
	"decode":     "its events are those of docs/tool-calls.md, and --list has a schema",
	"inspect":    "its --json is the request, byte for byte",
	"mcp log":    "it is what a server printed",
	"mcp trust":  "it shows what a person reads before they trust it; `assent mcp list` has it",
	"sql schema": "it is the text that a model gets",
}

// TestEveryListIsForPrograms: a command that lists or shows something has --json, and its help names the schema, which
// is there.
func TestEveryListIsForPrograms(t *testing.T) {
	lists := map[string]listing.List{}
	for _, l := range listing.Lists() {
		lists[l.Command] = l
		if _, err := os.Stat(filepath.Join("../..", l.File())); err != nil {
			t.Errorf("%s: %v", l.Command, err)
		}
	}
	seen := 0
	for _, cmd := range allCommands(newRoot(nil)) {
		name := strings.TrimSpace(strings.TrimPrefix(cmd.CommandPath(), "assent"))
		verb, _, _ := strings.Cut(cmd.Short, " ")
		shows := slices.Contains([]string{"List", "Show", "Print", "Say", "Describe"}, verb) && !cmd.Hidden && name != ""
		list, listed := lists[name]
		flag := cmd.Flags().Lookup("json")
		switch {
		case !shows || notListed[name] != "" || cmd.HasSubCommands() && !listed:
		case !listed:
			t.Errorf("%s shows something: it needs --json and a schema in listing.Lists", name)
		case name == "permissions check": // it prints nothing else
			seen++
		case flag == nil || !strings.Contains(flag.Usage, list.File()):
			t.Errorf("%s has no --json whose help names %s", name, list.File())
		default:
			seen++
		}
	}
	if seen < 12 {
		t.Errorf("%d commands list something", seen)
	}
}

// TestListsKeepTheirSchemas: what each command prints for programs is valid by its schema, and its keys are those of
// the schema.
func TestListsKeepTheirSchemas(t *testing.T) {
	s := newUser(t, "turn\njson {\"tool\":\"edit_file\",\"arguments\":{\"path\":\"README.md\",\"old_text\":\"Helo\",\"new_text\":\"Hello\"}}\nturn\njson {\"answer\":\"Over.\"}\nturn repeat\nsay Yes.\n")
	t.Chdir(s.root)
	s.permits(`{"allow": [{"tool": "edit_file", "paths": ["README.md"]}]}`)
	s.own(s.servers("self"))
	theGrant(s)
	theFile(s, filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent", "databases.json"), `{"databases": {"shop": {"kind": "sqlite", "path": "/shop.db"}}}`)
	theFile(s, filepath.Join(s.root, ".assent", "tools", "mine.json"), `{"name": "mine", "description": "x", "parameters": {"type": "object"}, "command": ["true"]}`)
	theFile(s, filepath.Join(s.root, ".assent", "prompts", "system.md"), "Be brief.\n")
	theFile(s, filepath.Join(s.root, ".assent", "mcp.json"), `{"mcpServers": {"theirs": {"command": "nothing"}}}`)
	if _, notes, status := s.run("run", "Mend README.md."); status != 0 {
		t.Fatalf("status %d: %s", status, notes)
	}
	theFile(s, filepath.Join(s.stateFolder(), "locks", "a.owner"), "gone") // what doctor --fix removes
	for _, name := range []string{"old.chat.md", "older.chat.md"} {
		old := filepath.Join(s.root, name)
		theFile(s, old, "## You\n\nWhich shelf holds the maps?\n")
		if err := os.Chtimes(old, time.Time{}, time.Now().AddDate(-2, 0, 0)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	theFile(s, filepath.Join(os.Getenv("XDG_CACHE_HOME"), "assent", "sandbox", "layers", "one", "layer.json"), `{"parts":{"build":{}}}`)
	theFile(s, filepath.Join(s.root, "old.history"), "# aider chat started at 2024-05-01 10:00:00\n#### Hello\n")
	more := map[string][]string{
		"chats export": {"old.chat.md"}, "chats pin": {"old.chat.md"}, "chats unpin": {"old.chat.md"},
		"chats show": {"old.chat.md"}, "chats search": {"maps"}, "chats prune": {"--dry-run"},
		"chats import": {"--dry-run", "--format", "aider", "old.history"}, "tools show": {"edit_file"},
	}
	s.input = `{"tool": "run_command", "arguments": {"command": "ls | wc"}}` + "\n"
	for _, l := range listing.Lists() {
		schema, err := l.Schema()
		if err != nil {
			t.Fatal(err)
		}
		resolved, err := schema.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		args := append(append(strings.Fields(l.Command), more[l.Command]...), "--json")
		if l.Command == "permissions check" {
			args = args[:2]
		}
		out, notes, _ := s.run(args...)
		lines := 0
		for values := json.NewDecoder(strings.NewReader(out)); values.More(); lines++ {
			var value any
			if err := values.Decode(&value); err != nil {
				t.Errorf("%s: %v: %s", l.Command, err, out)
				break
			}
			if err := resolved.Validate(value); err != nil {
				t.Errorf("%s: %v: %v", l.Command, err, value)
			}
		}
		if lines == 0 {
			t.Errorf("%s prints nothing: %s", l.Command, notes)
		}
	}
}
