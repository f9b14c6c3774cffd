// Package chatlist is the commands that list, find, show, pin, export and clear away chats.
package chatlist

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/session/history"
	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/sandbox/layers"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// Parts are what the commands work with.
type Parts struct {
	History *history.History
	State   *userstate.State
	Built   layers.Store          // what tried commands of chats built
	Tell    func(sentence string) // prints a note
}

// Open makes the parts of one command line.
type Open func(cmd *cobra.Command) (Parts, error)

// New makes `assent chats` with its subcommands.
func New(open Open) *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:   "chats",
		Short: "List the chats of a folder with their titles, the newest first",
		Long: "List the chats of a folder with their titles, pinned ones first, then the newest: those in " +
			".assent/chats, and those\n" +
			"in all folders below that no .gitignore excludes. A title is what the front matter of a chat calls it " +
			"(title: ...),\n" +
			"or else the first words of its first question. With --all, those of all folders where you chatted.",
		Args: cobra.NoArgs,
		RunE: with(open, func(cmd *cobra.Command, p Parts, _ []string) error {
			return list(cmd, p, o)
		}),
	}
	listing.AddFlag(cmd, &o.json, "chats")
	cmd.Flags().BoolVar(&o.all, "all", false, "List the chats of all folders.")
	usage.AddFolder(cmd.Flags(), &o.folder)
	cmd.MarkFlagsMutuallyExclusive("all", "folder")
	cmd.AddCommand(newSearch(open), newShow(), newPin(open), newUnpin(open), newExport())
	cmd.AddCommand(newImport(open), newPrune(open), newBuilt(open))
	return cmd
}

// with is how a command runs that does something with the parts, which are closed then.
func with(
	open Open, do func(cmd *cobra.Command, p Parts, args []string) error,
) func(cmd *cobra.Command, args []string) error {
	return func(cmd *cobra.Command, args []string) error {
		p, err := open(cmd)
		if err != nil {
			return err
		}
		defer p.History.Close() //nolint:errcheck // all that was written is kept by then
		return do(cmd, p, args)
	}
}

type listOptions struct {
	json, all bool
	folder    string
}

func list(cmd *cobra.Command, p Parts, o listOptions) error {
	chats, err := chatsOf(cmd.Context(), p, o)
	if err != nil {
		return err
	}
	if o.json {
		return listing.Print(cmd.OutOrStdout(), chats...)
	}
	rows := make([][]terminal.Piece, len(chats))
	for i, c := range chats {
		title := cmp.Or(c.Title, "(nothing asked yet)")
		if c.Pinned {
			title = "pinned: " + title
		}
		rows[i] = []terminal.Piece{
			{Text: c.Changed.Format(time.DateTime)}, {Text: title}, {Text: terminal.Path(c.Path)},
		}
	}
	terminal.Table(cmd.OutOrStdout(), rows)
	return nil
}

// chatsOf are the chats of a folder, or of all, pinned ones first, then the newest.
func chatsOf(ctx context.Context, p Parts, o listOptions) (chats []listing.Chat, err error) {
	folder, err := usage.Folder(o.folder)
	if err != nil {
		return nil, err
	}
	if o.all {
		chats, err = everywhere(ctx, p, folder)
	} else {
		chats, err = inFolder(ctx, p, folder)
	}
	if err != nil {
		return nil, err
	}
	pins, err := p.History.Pins()
	if err != nil {
		p.Tell(err.Error())
	}
	for i := range chats {
		chats[i].Pinned = pins.Has(chats[i].Path)
	}
	slices.SortStableFunc(chats, func(a, b listing.Chat) int {
		if a.Pinned != b.Pinned {
			return map[bool]int{true: -1, false: 1}[a.Pinned]
		}
		return b.Changed.Compare(a.Changed)
	})
	return chats, nil
}

// inFolder are the chats of a folder, as they are on disk.
func inFolder(ctx context.Context, p Parts, folder string) (chats []listing.Chat, err error) {
	ws, err := workspace.Open(folder, workspace.NoBuffers{})
	if err != nil {
		return nil, err
	}
	defer ws.Close() //nolint:errcheck // only looked at
	found, err := session.Chats(ctx, ws, folder)
	if err != nil {
		for sentence := range strings.SplitSeq(err.Error(), "\n") {
			p.Tell(sentence)
		}
	}
	for _, c := range found {
		chats = append(chats, listing.Chat{Path: c.Path, Title: c.Title, Model: c.Model, Changed: c.Changed})
	}
	return chats, nil
}

// everywhere are the chats that the index has.
func everywhere(ctx context.Context, p Parts, folder string) (chats []listing.Chat, err error) {
	p.refresh(ctx, folder)
	found, err := p.History.Chats(ctx)
	for _, c := range found {
		chats = append(chats, listing.Chat{Path: c.Path, Title: c.Title, Model: c.Model, Changed: c.Changed})
	}
	return chats, err
}

// refresh brings the index up to date. What cannot be is told, and what was indexed before is found all the same.
func (p Parts) refresh(ctx context.Context, folder string) {
	problems, err := p.History.Refresh(ctx, folder)
	if err != nil {
		problems = append(problems, err.Error())
	}
	for _, sentence := range problems {
		p.Tell(sentence)
	}
}

// learnTime is how long a search in a terminal reads chats that are not yet found by meaning.
const learnTime = 2 * time.Second

// learn makes some of the vectors that are missing. What is left comes with the next search.
func (p Parts) learn(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, learnTime)
	defer cancel()
	_ = p.History.Learn(ctx) // what cannot be is found by words
}

// say prints one line, in which nothing can begin another one.
func say(out io.Writer, format string, args ...any) {
	fmt.Fprintln(out, visible.Line(fmt.Sprintf(format, args...)))
}

// complete has the shell complete the few values of a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}
