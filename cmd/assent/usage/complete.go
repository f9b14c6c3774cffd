package usage

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assent-ls/assent/internal/visible"
)

// Kind is what a word of a command line names, as the use of a command writes it.
type Kind string

// The kinds of words that are completed.
const (
	Chat     Kind = "FILE.chat.md"
	Model    Kind = "MODEL"
	Preset   Kind = "PRESET"
	Tool     Kind = "TOOL"
	Server   Kind = "SERVER"
	Database Kind = "SOURCE"
	Format   Kind = "FORMAT"
	Grant    Kind = "ID"
	Setting  Kind = "NAME"
	Command  Kind = "COMMAND"
)

// Arguments is the annotation of a command with arguments that its use leaves out, in the form of one.
const Arguments = "arguments"

// flagKinds are the kinds of the values of flags.
var flagKinds = map[string]Kind{ //nolint:gochecknoglobals // a table
	"model": Model, "completion-model": Model, "embedding-model": Model, "probe": Model, "preset": Preset,
	"approve": Tool, "tool": Tool, "tools": Tool, "tools-off": Tool, "databases": Database, "format": Format,
	"legacy-tool-call-format": Format, "tool-call-primary": Format, "tool-call-enabled": Format, "revoke": Grant,
}

// folderFlags take the name of a folder.
var folderFlags = []string{"folder", "workspace"} //nolint:gochecknoglobals // a list

// Values are those that there are now of each kind, maybe with a tab and a description behind each. They must neither
// start nor write anything.
type Values map[Kind]func(cmd *cobra.Command) []string

// Complete has the shell complete arguments and the values of flags. choices are the few values of some flags; a flag
// that a command completes itself is left alone.
func Complete(root *cobra.Command, values Values, choices map[string][]string) {
	each(root, func(cmd *cobra.Command) {
		words := strings.Fields(cmd.Use + " " + cmd.Annotations[Arguments])[1:]
		if len(words) > 0 && len(cmd.ValidArgs) == 0 && !cmd.HasSubCommands() {
			cmd.ValidArgsFunction = values.ofArguments(words)
		}
		complete := func(f *pflag.Flag) {
			if what := values.ofFlag(f, choices[f.Name]); what != nil {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, what) // it is a flag of cmd, and is visited once
			}
		}
		cmd.LocalNonPersistentFlags().VisitAll(complete)
		cmd.PersistentFlags().VisitAll(complete)
	})
}

// ofArguments completes the arguments of a command by what its use calls each.
func (v Values) ofArguments(words []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= len(words) {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		word := strings.Trim(words[len(args)], "[]")
		if word == "FOLDER" {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		if list := v[Kind(word)]; list != nil {
			return beginning(typed, safe(list(cmd))), cobra.ShellCompDirectiveNoFileComp
		}
		if strings.ToUpper(word) == word { // a text
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return beginning(typed, strings.Split(word, "|")), cobra.ShellCompDirectiveNoFileComp
	}
}

// ofFlag completes the value of a flag; nil: files, as the shell has it.
func (v Values) ofFlag(f *pflag.Flag, choices []string) cobra.CompletionFunc {
	list := v[flagKinds[f.Name]]
	switch {
	case slices.Contains(folderFlags, f.Name):
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
	case choices != nil:
		list = func(*cobra.Command) []string { return choices }
	case list == nil || f.Name == "tools" && f.Value.Type() == "string": // decode's is a file
		return nil
	}
	return func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		before, behind := "", typed
		if kind := f.Value.Type(); kind == "list" || kind == "strings" || kind == "stringSlice" {
			at := strings.LastIndex(typed, ",") + 1
			before, behind = typed[:at], typed[at:]
		}
		all := beginning(behind, safe(list(cmd)))
		for i := range all {
			all[i] = before + all[i]
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	}
}

// beginning keeps the values that begin with what was typed.
func beginning(typed string, values []string) (all []string) {
	for _, value := range values {
		if strings.HasPrefix(value, typed) {
			all = append(all, value)
		}
	}
	return all
}

// safe leaves out values that are no words, and has descriptions visible: a shell shows them.
func safe(values []string) (all []string) {
	for _, value := range values {
		name, says, _ := strings.Cut(value, "\t")
		if name == "" || visible.Line(name) != name {
			continue
		}
		if says != "" {
			name += "\t" + visible.Line(says)
		}
		all = append(all, name)
	}
	return all
}
