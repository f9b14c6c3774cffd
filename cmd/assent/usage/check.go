package usage

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/assent-ls/assent/internal/ranking"
	"github.com/assent-ls/assent/internal/settings"
)

// Meant ends a sentence with those of some names that were probably meant, at most two; empty: none was.
func Meant(word string, names []string) string {
	const most = 2
	near := ranking.Near(word, names, most)
	if len(near) == 0 {
		return ""
	}
	return ": did you mean " + strings.Join(near, " or ") + "?"
}

// None says that there is no such thing, what was probably meant, and which command lists them.
func None(what, word string, names []string, list string) Error {
	next := cmp.Or(Meant(word, names), ";")
	return Error(fmt.Sprintf("there is no %s %q%s `%s` lists them", what, word, next, list))
}

// Error is a wrong use of the program, in a sentence for its user: the exit status is 2.
type Error string

func (e Error) Error() string { return string(e) }

// AddFolder adds the flag that names the workspace folder.
func AddFolder(flags *pflag.FlagSet, folder *string) {
	flags.StringVar(folder, "folder", "", "The workspace folder. Empty: the current folder.")
}

// Folder is the absolute path of the folder that such a flag names; empty: of the current one.
func Folder(named string) (string, error) {
	if named != "" {
		return filepath.Abs(named)
	}
	return os.Getwd()
}

// Check has every command of a program refuse a wrong line by an Error.
func Check(root *cobra.Command) {
	each(root, func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(giveOnce)
		cmd.PersistentFlags().VisitAll(giveOnce)
		check := cmd.Args
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if sentence := wrong(cmd, args, check); sentence != "" {
				return seeHelp(cmd, sentence)
			}
			return nil
		}
	})
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		sentence := flagError(cmd, err)
		if before := cmd.Flags().Args(); cmd.HasSubCommands() && len(before) > 0 {
			sentence = noCommand(cmd, before[0]) // its flags are not those of cmd
		}
		return seeHelp(cmd, sentence)
	})
}

// onceValue is a flag's value that is no list: two different ones are refused, since which one was meant is not clear.
type onceValue struct {
	pflag.Value
	given *string // nil: it was not given yet
}

// giveOnce has a flag refuse a second value. Those of settings do that themselves.
func giveOnce(f *pflag.Flag) {
	_, list := f.Value.(pflag.SliceValue)
	_, wrapped := f.Value.(*onceValue)
	if setting := settings.IsFlag(f); !list && !wrapped && !setting {
		f.Value = &onceValue{Value: f.Value}
	}
}

// Set implements pflag.Value.
func (v *onceValue) Set(text string) error {
	if v.given != nil && *v.given != text {
		return settings.ErrGivenTwice
	}
	if err := v.Value.Set(text); err != nil {
		return err
	}
	v.given = &text
	return nil
}

// seeHelp ends a sentence about a wrong use of a command with where its help is.
func seeHelp(cmd *cobra.Command, sentence string) error {
	if strings.HasSuffix(sentence, "?") {
		return Error(sentence + " See `" + cmd.CommandPath() + " --help`")
	}
	return Error(sentence + "; see `" + cmd.CommandPath() + " --help`")
}

// wrong says what is wrong with the arguments of a command, and with flags that exclude each other; empty: nothing is.
func wrong(cmd *cobra.Command, args []string, check cobra.PositionalArgs) string {
	if cmd.HasSubCommands() && len(args) > 0 {
		return noCommand(cmd, args[0])
	}
	if two := excluding(cmd.Flags()); two != "" {
		return two
	}
	if check == nil || check(cmd, args) == nil {
		return ""
	}
	words := strings.Fields(cmd.Use)[1:]
	needed := slices.IndexFunc(words, func(word string) bool { return strings.HasPrefix(word, "[") })
	if needed < 0 {
		needed = len(words)
	}
	switch {
	case len(words) == 0:
		return fmt.Sprintf("`%s` takes no argument, so %q is one too many", cmd.CommandPath(), args[0])
	case len(args) < needed:
		return fmt.Sprintf("`%s` needs %s", cmd.CommandPath(), strings.Join(words[len(args):needed], " and "))
	default:
		return fmt.Sprintf(
			"these are too many arguments: put what has spaces into quotes, as in `%s \"…\"`", cmd.CommandPath(),
		)
	}
}

// NoHelp says that there is no help about the first of some words below a command.
func NoHelp(cmd *cobra.Command, words []string) Error {
	return Error(noCommand(cmd, words[0]) + "; `assent --help` lists the commands")
}

// noCommand says that a command has no such subcommand.
func noCommand(cmd *cobra.Command, word string) string {
	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(append(names, sub.Name()), sub.Aliases...)
		}
	}
	where := ""
	if cmd.HasParent() {
		where = " of `" + cmd.CommandPath() + "`"
	}
	return fmt.Sprintf("there is no subcommand %q%s%s", word, where, Meant(word, names))
}

// excluding names two flags that were given and that exclude each other.
func excluding(flags *pflag.FlagSet) (sentence string) {
	const groups = "cobra_annotation_mutually_exclusive" // of cobra's flag_groups.go
	given := map[string]string{}                         // by group
	flags.Visit(func(f *pflag.Flag) {
		for _, group := range f.Annotations[groups] {
			if other := given[group]; other != "" && sentence == "" {
				sentence = fmt.Sprintf("--%s and --%s exclude each other: give one of them", other, f.Name)
			}
			given[group] = f.Name
		}
	})
	return sentence
}

// flagError words an error of pflag.
func flagError(cmd *cobra.Command, err error) string {
	var (
		unknown *pflag.NotExistError
		bare    *pflag.ValueRequiredError
		invalid *pflag.InvalidValueError
		odd     *pflag.InvalidSyntaxError
	)
	switch {
	case errors.As(err, &unknown):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		name := "--" + unknown.GetSpecifiedName()
		if unknown.GetSpecifiedShortnames() != "" {
			name = "-" + unknown.GetSpecifiedName()
		}
		return "there is no flag " + name + Meant(name, names)
	case errors.As(err, &bare):
		return "--" + bare.GetFlag().Name + " needs a value: --" + bare.GetFlag().Name + "=VALUE"
	case errors.As(err, &invalid):
		cause := invalid.Unwrap().Error()
		if _, after, found := strings.Cut(cause, ": parsing "); found { // strconv names its function first
			kind := " is not of its kind, " + invalid.GetFlag().Value.Type()
			cause = strings.ReplaceAll(after, ": invalid syntax", kind)
		}
		return "--" + invalid.GetFlag().Name + ": " + cause
	case errors.As(err, &odd):
		return fmt.Sprintf("%q is no flag: flags are written --name or --name=value", odd.GetSpecifiedFlag())
	}
	return err.Error()
}
