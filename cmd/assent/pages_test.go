package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
	"mvdan.cc/sh/v3/syntax"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/slash"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/docs/fence"
	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/lsp/configfiles"
	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools/policy"
)

// notTried is why a block of a page is neither run nor parsed: by its page and its first line.
var notTried = map[string]string{
	"docs/prompts.md                      ┌──────────────────────────────────────────────────────────────┐": "a picture",
	"docs/chat-format.md ![result c1](fix.images/5d41402abc4b2a76b9719d911017c592.png)": "what Assent writes for an image; TestImages… of agent/transcript have it",
	"docs/sql.md CREATE ROLE reader LOGIN PASSWORD '…';":                                "for a PostgreSQL server with the reader's own data; the word for the password is left out",
	"docs/sql.md CREATE USER 'reader'@'%' IDENTIFIED BY '…';":                           "for a MariaDB server with the reader's own data; the word for the password is left out",
}

// inEditors are the languages that only an editor reads: TestBlocksOfPages in editors/e2e has each block read by one.
var inEditors = []string{"lua", "elisp", "vim"}

// readers parse a block as what reads it where the page says to put it.
var readers = map[string]func(t *testing.T, b fence.Block) error{
	"sh": readShell, "json": readJSON, "jsonc": readJSON, "toml": readTOML, "markdown": readMarkdown,
	"yaml":   readYAML,
	"python": func(*testing.T, fence.Block) error { return nil }, // TestTheToolOfThePage runs it
}

// Every block that a page tells people to paste or to run is read as it would be, or is named above with the reason why
// not.
func TestBlocksOfPages(t *testing.T) {
	blocks, err := fence.OfPages(filepath.Join("..", ".."))
	if err != nil || len(blocks) < 50 {
		t.Fatalf("%d blocks, %v", len(blocks), err)
	}
	used := map[string]bool{}
	for _, b := range blocks {
		excuse := b.Page + " " + b.First()
		if notTried[excuse] != "" {
			used[excuse] = true
		} else if err := tryBlock(t, b); err != nil {
			t.Errorf("%s:%d: %v", b.Page, b.Line, err)
		}
	}
	for excuse := range notTried {
		if !used[excuse] {
			t.Errorf("there is no block %q any more", excuse)
		}
	}
}

func tryBlock(t *testing.T, b fence.Block) error {
	read := readers[b.Language]
	switch {
	case slices.Contains(inEditors, b.Language):
		return nil
	case read == nil:
		return fmt.Errorf("nothing tries this block in %q: give it a reader, or name it in notTried with the reason", b.Language)
	}
	return read(t, b)
}

// The readers must be able to say no.
func TestBlocksAreRefused(t *testing.T) {
	for _, b := range []fence.Block{
		{Language: "sh", Text: "assent nothing\n"},
		{Language: "sh", Text: "assent run --nothing x\n"},
		{Language: "sh", Text: "cd x && assent mcp nothing\n"},
		{Language: "sh", Text: "make nothing\n"},
		{Language: "sh", Text: "if true\n"},
		{Language: "json", Text: "{"},
		{Language: "json", Text: `{"nothing": 1}`},
		{Language: "json", Text: `{"mcpServers": {"a": {"comand": "x"}}}`},
		{Language: "json", Text: `{"databases": {"shop": {"kind": "paper"}}}`},
		{Language: "json", Text: `{"servers": [{"name": "box", "ulr": "http://h"}]}`},
		{Language: "yaml", Text: "a: ["},
		{Language: "jsonc", Text: `{"allow": [{"tol": "x"}]}`},
		{Language: "toml", Text: "a = \n"},
		{Language: "toml", Text: "[[profile]]\nnothing = 1\n"},
		{Language: "markdown", Text: "---\nmodel: [\n---\n\n## You\n\nHello.\n"},
		{Language: "markdown", Text: "{{.Nothing}}\n"},
		{Language: "cobol", Text: "STOP RUN.\n"},
	} {
		if tryBlock(t, b) == nil {
			t.Errorf("%s passes:\n%s", b.Language, b.Text)
		}
	}
}

// readShell parses a script, and each call of our program and of make in it.
func readShell(t *testing.T, b fence.Block) (err error) {
	script, err := syntax.NewParser().Parse(strings.NewReader(b.Text), b.Page)
	if err != nil {
		return err
	}
	syntax.Walk(script, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		var words []string
		for _, word := range call.Args {
			words = append(words, literal(word))
		}
		switch words[0] {
		case "assent":
			err = errors.Join(err, readCommandLine(words[1:]))
		case "make":
			err = errors.Join(err, readMake(words[1:]))
		}
		return true
	})
	return err
}

// literal is a word without its quotes; "$" stands for what the shell would put in.
func literal(word *syntax.Word) string {
	var s strings.Builder
	for _, part := range word.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			s.WriteString(p.Value)
		case *syntax.SglQuoted:
			s.WriteString(p.Value)
		case *syntax.DblQuoted:
			s.WriteString(literal(&syntax.Word{Parts: p.Parts}))
		default:
			s.WriteString("$")
		}
	}
	return s.String()
}

// readCommandLine parses the arguments of our program as it does, and runs nothing.
func readCommandLine(args []string) error {
	cmd, rest, err := newRoot(nil).Find(args)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil && !errors.Is(err, pflag.ErrHelp) {
		return err
	}
	left := cmd.Flags().Args()
	if cmd.HasSubCommands() && len(left) > 0 {
		return fmt.Errorf("there is no subcommand %q of %s", left[0], cmd.CommandPath())
	}
	return cmd.ValidateArgs(left)
}

func readMake(targets []string) error {
	text, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		return err
	}
	for _, target := range targets {
		if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(target) + `:`).Match(text) {
			err = errors.Join(err, fmt.Errorf("the Makefile has no target %s", target))
		}
	}
	return err
}

// readJSON reads a file of ours as the server does, known by its keys; what is for another program must be JSON.
func readJSON(t *testing.T, b fence.Block) error {
	if b.Page == "docs/events.md" { // an object per line
		for line := range strings.Lines(b.Text) {
			if !json.Valid([]byte(line)) {
				return fmt.Errorf("not JSON: %s", line)
			}
		}
		return nil
	}
	if _, err := jsonc.Parse([]byte(b.Text)); err != nil {
		return err
	}
	has := func(key string) bool { return strings.Contains(b.Text, `"`+key+`"`) }
	switch {
	case strings.HasPrefix(b.Page, "editors/"):
		return nil
	case has("mcpServers"):
		return allOf(configfiles.DiagnoseServers(b.Text))
	case has("parameters"):
		return nil // TestTheToolOfThePage runs it
	case has("allow"):
		_, problems := policy.Parse("permissions.json", []byte(b.Text))
		return allOf(problems)
	case has("servers"):
		return allOf(configfiles.DiagnoseModelServers(b.Text))
	case has("databases"):
		return allOf(configfiles.DiagnoseDatabases(b.Text))
	}
	return allOf(configfiles.DiagnoseSettings(&settings.Store{}, "", b.Text))
}

// readYAML reads a file of another program: that it is YAML is all that can be said.
func readYAML(_ *testing.T, b fence.Block) error {
	var read map[string]any
	return yaml.Unmarshal([]byte(b.Text), &read)
}

func allOf[T any](problems []T) (err error) {
	for _, p := range problems {
		err = errors.Join(err, fmt.Errorf("%+v", p))
	}
	return err
}

// readTOML reads profiles of models as we do; the others are files of Helix, which TestHelix… start it with.
func readTOML(t *testing.T, b fence.Block) error {
	if strings.Contains(b.Text, "[[profile]]") || strings.Contains(b.Text, "core = ") {
		file := filepath.Join(t.TempDir(), "mine.toml")
		if err := os.WriteFile(file, []byte(b.Text), 0o600); err != nil {
			return err
		}
		_, err := model.LoadProfileFiles(file)
		return err
	}
	return toml.Unmarshal([]byte(b.Text), &map[string]any{})
}

// The tool that the page about tools of one's own shows is found, and counts lines.
func TestTheToolOfThePage(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("..", "..", "docs", "user-tools.md"))
	if err != nil {
		t.Fatal(err)
	}
	s := newUser(t, "")
	folder := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "assent", "tools")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, b := range fence.In("docs/user-tools.md", source) {
		if name := map[string]string{"json": "count_lines.json", "python": "count_lines.py"}[b.Language]; name != "" {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(b.Text), 0o700); err != nil { //nolint:gosec // it is run
				t.Fatal(err)
			}
		}
	}
	if out, notes, status := s.run("tools", "show", "count_lines", "--folder", s.root); status != 0 || !strings.Contains(out, "Count the lines of all files with this ending.") {
		t.Errorf("status %d: %s%s", status, out, notes)
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("NOT TESTED: there is no python3")
	}
	c := exec.CommandContext(t.Context(), python, filepath.Join(folder, "count_lines.py")) //nolint:gosec // the page's own program
	c.Dir, c.Stdin = s.root, strings.NewReader(`{"ending":"md"}`)
	if out, err := c.CombinedOutput(); err != nil || string(out) != "1\n" {
		t.Errorf("%v: %s", err, out)
	}
}

// readMarkdown reads a chat, a command of the user's own, or a prompt.
func readMarkdown(_ *testing.T, b fence.Block) error {
	switch {
	case strings.Contains(b.Text, "argument-hint:"):
		if problem := slash.FromFile("mine", "mine.md", []byte(b.Text)).Problem; problem != "" {
			return errors.New(problem)
		}
		return nil
	case strings.Contains(b.Text, "{{") || strings.Contains(b.Text, "replace: true"):
		return allOf(prompts.Check(b.Text))
	}
	text := b.Text
	if !strings.Contains(text, "## You") {
		text += "\n## You\n\nHello.\n" // the head of a chat
	}
	return allOf(transcript.Parse(text).Problems)
}
