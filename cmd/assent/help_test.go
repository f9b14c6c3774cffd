package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/docs/fence"
	"github.com/assent-ls/assent/internal/settings"
)

// The help of every command fits a screen of 80 columns and 40 lines.
const (
	screenColumns = 80
	screenLines   = 40
)

// allCommands lists a command and all below it.
func allCommands(cmd *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{cmd}
	for _, sub := range cmd.Commands() {
		all = append(all, allCommands(sub)...)
	}
	return all
}

func TestHelpFitsTheScreen(t *testing.T) {
	s := newUser(t, "")
	all := allCommands(newRoot(nil))
	for _, cmd := range all {
		words := strings.Fields(cmd.CommandPath())[1:]
		out, notes, status := s.run(append(words, "--help")...)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if status != 0 || notes != "" || len(lines) < 8 || len(lines) > screenLines {
			t.Errorf("%s: status %d, %d lines: %s\n%s", cmd.CommandPath(), status, len(lines), notes, out)
		}
		for _, line := range lines {
			if utf8.RuneCountInString(line) > screenColumns {
				t.Errorf("%s: %d columns: %s", cmd.CommandPath(), utf8.RuneCountInString(line), line)
			}
		}
		if strings.Contains(out, "--max-steps") {
			t.Errorf("%s: its help has the settings:\n%s", cmd.CommandPath(), out)
		}
		topic := len(words) == 1 && words[0] == settingsTopic // which is a topic of its own
		if byTopic, _, _ := s.run(append([]string{"help"}, words...)...); byTopic != out && !topic {
			t.Errorf("assent help %s: %s", cmd.CommandPath(), cmp.Diff(out, byTopic))
		}
		if cmd.Flags().Lookup("json") != nil && !strings.Contains(out, "\n  --json") {
			t.Errorf("%s: its help lacks --json:\n%s", cmd.CommandPath(), out)
		}
	}
	if len(all) < 35 {
		t.Errorf("%d commands", len(all))
	}
}

// TestHelpHasExamples: three for each command, which are no wrong use of it.
func TestHelpHasExamples(t *testing.T) {
	for _, cmd := range allCommands(newRoot(nil)) {
		if cmd.Hidden {
			continue
		}
		if n := strings.Count(cmd.Example, "\n") + 1; cmd.Example == "" || n != 3 {
			t.Errorf("%s has %d examples", cmd.CommandPath(), n)
		}
		if err := readShell(t, fence.Block{Page: cmd.CommandPath(), Text: cmd.Example}); err != nil {
			t.Errorf("%s: %v in\n%s", cmd.CommandPath(), err, cmd.Example)
		}
	}
}

// TestHelpInANarrowTerminal: nothing is cut, and only words without a space are longer than a line.
func TestHelpInANarrowTerminal(t *testing.T) {
	words := func(text string) []string { return strings.Fields(text) }
	for _, cmd := range allCommands(newRoot(nil)) {
		wide := usage.Help(cmd, screenColumns)
		for _, columns := range []int{40, 60, 120, 1} {
			narrow := usage.Help(cmd, columns)
			if diff := cmp.Diff(words(wide), words(narrow)); diff != "" {
				t.Errorf("%s in %d columns: %s", cmd.CommandPath(), columns, diff)
			}
			for line := range strings.SplitSeq(narrow, "\n") {
				if columns > 1 && utf8.RuneCountInString(line) > columns && strings.Contains(strings.TrimSpace(line), " ") {
					t.Errorf("%s in %d columns: %s", cmd.CommandPath(), columns, line)
				}
			}
		}
	}
}

// TestTheTopicOfSettings lists every setting that has a flag, with its default, in lines that fit.
func TestTheTopicOfSettings(t *testing.T) {
	s := newUser(t, "")
	out, notes, status := s.run("help", "settings")
	if status != 0 || notes != "" {
		t.Fatalf("status %d: %s", status, notes)
	}
	for _, f := range settings.Fields() {
		if f.Flag != "" && !regexp.MustCompile(`(?m)^  --`+f.Flag+` \S+$`).MatchString(out) {
			t.Errorf("no --%s", f.Flag)
		}
	}
	if !strings.Contains(strings.Join(strings.Fields(out), " "), "before it ends. Unit: replies. Default: 25.") || !strings.Contains(out, "\n  --mcp-server ") {
		t.Error("no default of --max-steps, or no --mcp-server")
	}
	for line := range strings.SplitSeq(out, "\n") {
		if utf8.RuneCountInString(line) > screenColumns {
			t.Errorf("%d columns: %s", utf8.RuneCountInString(line), line)
		}
	}
}

// TestWrongUseOfEveryCommand: each says what is wrong and where its help is, and the status is 2.
func TestWrongUseOfEveryCommand(t *testing.T) {
	s := newUser(t, "")
	t.Chdir(t.TempDir())
	many := slices.Repeat([]string{"x.chat.md"}, 9)
	anyNumber := []string{"assent chats search", "assent chats import", "assent chats built"} // of words, files and chats
	for _, cmd := range allCommands(newRoot(nil)) {
		words := strings.Fields(cmd.CommandPath())[1:]
		lines := map[string][]string{
			"no flag --nothing-like-it":           {"--nothing-like-it"},
			"--max-steps":                         {"--max-steps", "many"},
			"--model needs a value":               {"--model"},
			"x.chat.md":                           many,
			`--mode: "x" is none of ask`:          {"--mode", "x"},
			`--mcp-files: 7 is not true or false`: {"--mcp-files=7"},
		}
		if cmd.Name() == "help" {
			delete(lines, "x.chat.md")
		} else if takesMany := cmd.ValidateArgs(many) == nil; takesMany && !slices.Contains(anyNumber, cmd.CommandPath()) {
			t.Errorf("%s takes any number of arguments", cmd.CommandPath())
		}
		if needs := cmd.ValidateArgs(nil); needs != nil {
			lines["needs "+strings.Fields(cmd.Use)[1]] = nil
		}
		if len(words) > 0 && !cmd.HasSubCommands() {
			delete(lines, "x.chat.md")
			lines["many arguments"] = many
			if len(strings.Fields(cmd.Use)) == 1 {
				delete(lines, "many arguments")
				lines["takes no argument"] = many
			}
		}
		if cmd.Name() == "help" {
			delete(lines, "many arguments")
			lines["no subcommand"] = many
		}
		if slices.Contains(anyNumber, cmd.CommandPath()) {
			delete(lines, "many arguments")
		}
		for says, args := range lines {
			out, notes, status := s.run(append(slices.Clone(words), args...)...)
			if status != exitUsage || out != "" || !strings.Contains(notes, says) || !strings.Contains(notes, "assent"+strings.TrimSuffix(" "+strings.Join(words, " "), " ")+" --help`") && cmd.Name() != "help" || strings.Count(notes, "\n") != 1 {
				t.Errorf("%s %.40q: status %d, says not %q: %s%s", cmd.CommandPath(), args, status, says, out, notes)
			}
		}
	}
}

// TestWhatWasMeant: a misspelt word is answered with the one that was probably meant.
func TestWhatWasMeant(t *testing.T) {
	s := newUser(t, "model qwen2.5-coder:7b\n")
	s.own(`{"mcpServers": {"github": {"command": "nothing"}}}`)
	for line, says := range map[string]string{
		"rnu --folder x hello":              `there is no subcommand "rnu": did you mean run?`,
		"Permisions":                        `did you mean permissions?`,
		"tools lst":                         "there is no subcommand \"lst\" of `assent tools`: did you mean list?",
		"mcp lgoin x":                       "did you mean login?",
		"help mdels":                        "did you mean models?",
		"chats --jsn":                       "there is no flag --jsn: did you mean --json?",
		"chats --modle x":                   "did you mean --mode or --model?",
		"tools show edit_fil":               `there is no tool "edit_fil": did you mean edit_file or edit_files?`,
		"tools run raed_file {}":            "did you mean read_file?",
		"run --approve wirte_file hello":    "--approve: there is no tool wirte_file: did you mean write_file?",
		"run --tools raed_file hello":       "perhaps you mean read_file",
		"mcp log gihtub":                    `there is no server "gihtub": did you mean github?`,
		"mcp trust gihub":                   "did you mean github?",
		"completion zhs":                    "there is no completion of the shell zhs: did you mean zsh?",
		"prompt use reviw":                  "did you mean review?",
		"trust --yes --revoke":              "--revoke and --yes exclude each other: give one of them; see `assent trust --help`",
		"inspect x.chat.md --json --render": "--json and --render exclude each other",
		"mcp serve --http a --websocket b":  "--http and --websocket exclude each other",
	} {
		out, notes, status := s.run(strings.Fields(line)...)
		if status != exitUsage || out != "" || !strings.Contains(notes, says) {
			t.Errorf("%s: status %d, says not %q: %s%s", line, status, says, out, notes)
		}
	}
	_, notes, status := s.run("run", "--folder", s.root, "--model", "qwen2.5-codr:7b", "hello")
	if status != 1 || !strings.Contains(notes, "or use one that is: qwen2.5-coder:7b.") {
		t.Errorf("a misspelt model: status %d: %s", status, notes)
	}
}

// TestAFlagGivenTwice: two different values are refused in a sentence, since which one counts is not clear; a list takes
// several.
func TestAFlagGivenTwice(t *testing.T) {
	s := newUser(t, "")
	for line, refused := range map[string]string{
		"settings --max-steps 3 --max-steps 4":      "--max-steps",
		"settings --mode plan --mode=ask":           "--mode",
		"log --lines 3 --lines 4":                   "--lines",
		"chats --folder . --folder ..":              "--folder",
		"settings --web-fetch --web-fetch=false":    "--web-fetch",
		"settings --color never --color always":     "--color",
		"settings --max-steps 3 --max-steps 3":      "",
		"log --lines 3 --lines 3":                   "",
		"settings --web-fetch --web-fetch --json":   "",
		"settings --tools ask --tools edit_file":    "",
		"settings --tools ask --tools= --json":      "",
		"run --approve a --approve b --folder none": "none", // and not the flag
	} {
		_, notes, status := s.run(strings.Fields(line)...)
		switch sentence := "assent: " + refused + ": it is given twice, with different values: give it once; see `assent "; {
		case refused == "none":
			if strings.Contains(notes, "twice") {
				t.Errorf("%s: %s", line, notes)
			}
		case refused == "" && status != 0, refused != "" && (status != exitUsage || !strings.HasPrefix(notes, sentence)):
			t.Errorf("%s: status %d: %s", line, status, notes)
		}
	}
	root := newRoot(nil)
	if err := root.ParseFlags([]string{"--tools", "b", "--tools", "a,c"}); err != nil {
		t.Fatal(err)
	}
	var store settings.Store
	store.SetFlags(root.Flags())
	if got := store.Get().Tools; got == nil || *got != "a,b,c" {
		t.Errorf("the tools are %v", got)
	}
}

// TestNoFlagIsUndescribed: the help of a command says something about each of its flags.
func TestNoFlagIsUndescribed(t *testing.T) {
	for _, cmd := range allCommands(newRoot(nil)) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if len(f.Usage) < 5 {
				t.Errorf("%s --%s: %q", cmd.CommandPath(), f.Name, f.Usage)
			}
		})
	}
}
