package usage

import (
	"strings"

	"github.com/spf13/cobra"
)

// shells are those that there is a completion for.
var shells = []string{"bash", "fish", "powershell", "zsh"} //nolint:gochecknoglobals // a list

// NewCompletion makes the command that prints the completion of a shell. Cobra's own prints past the writer of the
// program.
func NewCompletion() *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion of a shell: " + strings.Join(shells, ", "),
		Long: "Print the completion of a shell: " + strings.Join(shells, ", ") + ". Once the shell has read it, it " +
			"completes commands, flags and their values. Bash needs the package bash-completion.",
		ValidArgs: shells,
		Args:      cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			root, out := cmd.Root(), cmd.OutOrStdout()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "fish":
				return root.GenFishCompletion(out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(out)
			case "zsh":
				return root.GenZshCompletion(out)
			}
			return Error("there is no completion of the shell " + args[0] + Meant(args[0], shells) +
				"; see `assent completion --help`")
		},
	}
}
