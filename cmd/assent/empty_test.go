package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestNoCommandPrintsNothing walks over all subcommands: in an empty folder, with and without --json, with a server
// that has no model and with none at all, each prints something. Only servers are silent: what they print is their
// protocol.
func TestNoCommandPrintsNothing(t *testing.T) {
	for name, server := range map[string]string{"no model": "missing far:1b\n", "no server": ""} {
		s := newUser(t, server)
		if server == "" {
			t.Setenv("OLLAMA_HOST", "127.0.0.1:1")
		}
		t.Chdir(t.TempDir())
		tried := 0
		for _, command := range runnable(newRoot(nil)) {
			if strings.Join(command.args, " ") == "code install" {
				command.args = append(command.args, "--offline") // else it builds an interpreter
			}
			all := [][]string{command.args}
			if command.json {
				all = append(all, append(command.args, "--json"))
			}
			for _, args := range all {
				tried++
				out, notes, status := s.run(args...)
				if strings.TrimSpace(out+notes) == "" || status == 0 && strings.Count(out, "\n") == 1 && strings.ToUpper(out) == out {
					t.Errorf("%s: %q prints nothing, status %d: %q", name, args, status, out)
				}
			}
		}
		if tried < 40 {
			t.Errorf("%d commands were tried", tried)
		}
	}
}

// tried is a command line of a subcommand.
type tried struct {
	args []string
	json bool
}

// runnable lists a command line of every subcommand that is no server: each argument that its use names is x.
func runnable(cmd *cobra.Command) (all []tried) {
	for _, sub := range cmd.Commands() {
		all = append(all, runnable(sub)...)
	}
	if _, isServer := cmd.Annotations[serverMark]; isServer || !cmd.Runnable() {
		return all
	}
	args := strings.Fields(cmd.CommandPath())[1:]
	for word := range strings.FieldsSeq(cmd.Use) {
		if strings.ToUpper(word) == word && !strings.HasPrefix(word, "[") {
			args = append(args, "x")
		}
	}
	return append(all, tried{args, cmd.Flags().Lookup("json") != nil})
}

// TestWhatIsNotThereIsSaid: the sentence says what is not there, and what makes it.
func TestWhatIsNotThereIsSaid(t *testing.T) {
	s := newUser(t, "missing far:1b\n")
	t.Chdir(t.TempDir())
	for line, says := range map[string]string{
		"chats":                "nothing here yet: `assent run` makes a chat",
		"chats --json":         "nothing here yet: `assent run` makes a chat",
		"log":                  "nothing here yet: `assent run` lets a model call tools",
		"log --json":           "nothing here yet: `assent run` lets a model call tools",
		"permissions":          "nothing here yet: an answer such as Always makes a rule",
		"models":               "nothing here yet: no model is installed; run `ollama pull",
		"sql sources":          "nothing here yet: no database is declared",
		"log --tokens":         "nothing here yet",
		"permissions check":    "no call was given on standard input",
		"grants":               "nothing here yet: no call was allowed or forbidden by an answer",
		"mcp list":             "nothing here yet: no MCP server is declared; docs/mcp.md",
		"mcp tools":            "nothing here yet: no MCP server that counts has a tool",
		"tools list --tools ,": "nothing here yet: no tool can be called",
	} {
		out, notes, status := s.run(strings.Fields(line)...)
		if status != 0 || out != "" || !strings.Contains(notes, "assent: "+says) {
			t.Errorf("%s: status %d: %q %q", line, status, out, notes)
		}
	}
	if out, notes, status := s.run("trust"); status != 0 || !strings.Contains(out, "\nnothing here yet: this folder has no prompt") {
		t.Errorf("trust: status %d: %q %q", status, out, notes)
	}
}

// TestPathsBelowTheCurrentFolderAreRelative: for people; programs get them whole.
func TestPathsBelowTheCurrentFolderAreRelative(t *testing.T) {
	s := newUser(t, "turn\njson {\"answer\":\"Yes.\"}\n")
	t.Chdir(s.root)
	_, notes, status := s.run("run", "Is it?")
	path, _ := s.chat()
	below := strings.TrimPrefix(path, s.root+"/")
	if status != 0 || !strings.Contains(notes, "\n"+below+"\n") {
		t.Errorf("run: status %d: %s", status, notes)
	}
	if out, _, _ := s.run("chats"); !strings.HasSuffix(out, "  "+below+"\n") {
		t.Errorf("chats: %s", out)
	}
	if out, _, _ := s.run("chats", "--json"); !strings.Contains(out, `"path":"`+path) {
		t.Errorf("chats --json: %s", out)
	}
	if out, _, _ := s.run("chats", "--folder", t.TempDir()); out != "" {
		t.Errorf("another folder: %s", out)
	}
}

// TestSilenceIsBroken: a subcommand that says nothing itself is still not silent, and one that failed says why alone.
func TestSilenceIsBroken(t *testing.T) {
	for name, test := range map[string]struct {
		cmd  cobra.Command
		want string
	}{
		"silent":   {cobra.Command{}, "assent: done, and there is nothing to show\n"},
		"says it":  {cobra.Command{Annotations: whenEmpty("no fish here")}, "assent: no fish here\n"},
		"a server": {cobra.Command{Annotations: isServer()}, ""},
	} {
		var notes strings.Builder
		cmd := test.cmd
		sayEmpty(&cmd, false, false, &notes)
		if notes.String() != test.want {
			t.Errorf("%s: %q", name, notes.String())
		}
		notes.Reset()
		sayEmpty(&cmd, true, false, &notes)
		if notes.Len() > 0 {
			t.Errorf("%s, with output: %q", name, notes.String())
		}
	}
}
