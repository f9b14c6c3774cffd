package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/assent-ls/assent/internal/settings"
)

// launchedAs are values of flags with which a run goes on as without them; others are made from the declaration.
var launchedAs = map[string]string{
	"model": "qwen2.5-coder:1.5b", "preset": "review", "legacy-tool-call-format": "hermes", "tools": "read_file", "tools-off": "edit_file",
	"tool-names": "read_file=cat", "databases": "shop", "rules-files": "AGENTS.md", "ollama-proxy": "environment", "context-size": "4096",
	"max-steps": "7", "log-level": "error", "titles": "words", "mode": "plan", "tool-format": "text",
	"tool-call-primary": "hermes", "tool-call-enabled": "hermes,native,text",
}

// launchValue is a value of a flag that is not its default.
func launchValue(f settings.Field) string {
	if value, ok := launchedAs[f.Flag]; ok {
		return value
	}
	switch f.Kind {
	case settings.Boolean:
		return fmt.Sprint(f.Default != true)
	case settings.Time:
		return "3m"
	case settings.Integer:
		return "77"
	case settings.Number:
		return "0.5"
	default:
	}
	if f.Choices != nil {
		return f.Names()[1]
	}
	return "text-of-" + f.Flag
}

// Each flag that changes what a launch does is in the first event of a run and in the head of the inspector; lsp tests
// the hover. Nothing is written into the user's settings.
func TestEveryFlagOfALaunchIsShown(t *testing.T) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	settings.AddFlags(flags)
	addServersFlag(flags)
	tested := 0
	for _, f := range settings.Fields() {
		if f.Flag == "" {
			continue
		}
		tested++
		s := newUser(t, "turn\nsay Hello.\n")
		s.settings("{}")
		path := s.write("ask.chat.md", "## You\n\nHi.\n")
		value := launchValue(f)
		switch f.Name {
		case "ollamaHost":
			value = os.Getenv("OLLAMA_HOST")
		case "serverPorts":
			value = "1"
		case "logFile":
			value = filepath.Join(s.root, "log")
		case "traceEndpoint", "searchEndpoint":
			value = "http://me:secret@127.0.0.1:1"
		}
		args := []string{"--folder", s.root, "--" + f.Flag + "=" + value}
		page, notes, status := s.run(append([]string{"inspect", path}, args...)...)
		page = withoutPorts(page)
		shown := strings.ReplaceAll(strings.ReplaceAll("--"+f.Flag+" "+value, "secret", "xxxxx"), " true", "")
		shown = strings.Replace(shown, " false", "=false", 1)
		if status != 0 || !strings.Contains(page, "\nflags of this launch: "+shown+"\n") {
			t.Errorf("--%s is not in the inspector, status %d:\n%s\n%.600s", f.Flag, status, notes, page)
		}
		out, notes, _ := s.run(append([]string{"send", path, "--json"}, args...)...)
		var first struct {
			Event string
			Flags map[string]any
		}
		line, _, _ := strings.Cut(out, "\n")
		err := json.Unmarshal([]byte(line), &first)
		if f.Name != "serverPorts" {
			delete(first.Flags, "server-ports")
		}
		if err != nil || first.Event != "launched" || len(first.Flags) != 1 || first.Flags[f.Flag] == nil {
			t.Errorf("--%s is not in the first event: %q\n%s", f.Flag, line, notes)
		}
		if strings.Contains(out+page, "secret") {
			t.Errorf("--%s shows a password", f.Flag)
		}
	}
	n := 0
	flags.VisitAll(func(flag *pflag.Flag) {
		if _, marked := flag.Annotations[settings.LaunchMark]; !marked {
			n++
		}
	})
	if n != tested || tested < 40 {
		t.Errorf("%d flags of %d are tested", tested, n)
	}
}

// The servers of a launch are named without what they say, which may hold a key.
func TestServersOfALaunchAreShown(t *testing.T) {
	s := newUser(t, "turn\nsay Hello.\n")
	path := s.write("ask.chat.md", "## You\n\nHi.\n")
	const servers = `{"mcpServers":{"far":{"command":"none","env":{"KEY":"secret"}}}}`
	out, _, _ := s.run("send", path, "--json", "--folder", s.root, "--mcp-server", servers)
	if !strings.HasPrefix(out, `{"event":"launched","flags":{"mcp-server":null,"server-ports":[]}}`+"\n") {
		t.Errorf("got %s", out)
	}
	page, _, _ := s.run("inspect", path, "--folder", s.root, "--mcp-server", servers)
	if !strings.Contains(withoutPorts(page), "\nflags of this launch: --mcp-server\n") || strings.Contains(page, "secret") {
		t.Errorf("got %s", page)
	}
}

// A flag is named as a flag where a chat tells what takes the place of its prompt.
func TestTheFlagOfASystemPromptIsNoSetting(t *testing.T) {
	s := newUser(t, "turn\nsay Hello.\n")
	path := s.write("ask.chat.md", "## You\n\nHi.\n")
	s.run("send", path, "--folder", s.root, "--system-prompt", "Be short.")
	if text := s.text("ask.chat.md"); !strings.Contains(text, "The flag --system-prompt takes the place of the whole system prompt.") {
		t.Errorf("got\n%s", text)
	}
}

// withoutPorts is a page without the flag that all command lines of tests have.
func withoutPorts(page string) string {
	return strings.NewReplacer(", --server-ports \n", "\n", "--server-ports , ", "").Replace(page)
}
