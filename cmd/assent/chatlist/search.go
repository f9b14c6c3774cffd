package chatlist

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/session/history"
	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/cmd/assent/usage"
)

// searchOptions are the flags of a search.
type searchOptions struct {
	query                history.Query
	since, until, folder string
	json                 bool
}

func newSearch(open Open) *cobra.Command {
	var o searchOptions
	cmd := &cobra.Command{
		Use:   "search WORDS",
		Short: "Find the turns of all chats in which something was said",
		Long: "Find the turns of all chats in which something was said, in all folders where you chatted. " +
			"All words must be in a turn;\n" +
			"where few turns have all of them, those that have some follow. " +
			"A phrase is in quotation marks inside the argument, as\n" +
			"in '\"not found\"', and word* means all words that begin so. What is denied is not found.",
		Args: cobra.MinimumNArgs(1),
		RunE: with(open, func(cmd *cobra.Command, p Parts, args []string) error {
			o.query.Text = strings.Join(args, " ")
			return search(cmd, p, o)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&o.folder, "folder", "", "Only chats of this folder, and of other worktrees of its repository.")
	flags.StringVar(&o.query.Model, "model", "", "Only chats whose front matter names this model.")
	flags.StringVar(&o.query.Tool, "tool", "", "Only turns that called this tool.")
	flags.StringVar(&o.query.File, "file", "", "Only turns whose calls named this file: a path, or its end.")
	flags.StringVar(&o.since, "since", "", "Only turns since this day (2026-01-31), or of so many days (30d).")
	flags.StringVar(&o.until, "until", "", "Only turns until this day (2026-01-31), or so many days ago (30d).")
	flags.IntVar(&o.query.Limit, "limit", history.DefaultLimit, "How many turns to show at most.")
	listing.AddFlag(cmd, &o.json, "chats search")
	return cmd
}

func search(cmd *cobra.Command, p Parts, o searchOptions) (err error) {
	now := time.Now()
	if o.query.Since, err = day(o.since, now, false); err != nil {
		return usage.Error("--since: " + err.Error())
	}
	if o.query.Until, err = day(o.until, now, true); err != nil {
		return usage.Error("--until: " + err.Error())
	}
	if o.query.Limit < 1 {
		return usage.Error("--limit counts from 1")
	}
	here, err := usage.Folder(o.folder)
	if err != nil {
		return err
	}
	if o.folder != "" {
		o.query.Workspace = here
	}
	line := terminal.NewLine(cmd.OutOrStdout(), cmd.ErrOrStderr())
	line.Set(func(time.Duration) string { return "looking for chats that changed …" })
	p.refresh(cmd.Context(), here)
	line.Set(func(time.Duration) string { return "reading chats for what they mean …" })
	p.learn(cmd.Context())
	line.Clear()
	hits, err := p.History.Search(cmd.Context(), o.query)
	if err != nil {
		return err
	}
	if o.json {
		all := make([]listing.FoundTurn, len(hits))
		for i, h := range hits {
			all[i] = listing.FoundTurn{
				Path: h.Path, Line: h.Line + 1, Turn: h.Turn + 1, Role: h.Role.Name(), Title: h.Title, Model: h.Model,
				Workspace: h.Root, Written: h.Written, Excerpt: h.Excerpt, Pinned: h.Pinned,
			}
		}
		return listing.Print(cmd.OutOrStdout(), all...)
	}
	for _, h := range hits {
		pinned := ""
		if h.Pinned {
			pinned = "pinned: "
		}
		say(
			cmd.OutOrStdout(), "%s  %s%s  %s:%d", h.Written.Format(time.DateOnly), pinned,
			cmp.Or(h.Title, "(nothing asked yet)"), terminal.Path(h.Path), h.Line+1,
		)
		say(cmd.OutOrStdout(), "    %s: %s", h.Role.Name(), h.Excerpt)
	}
	if len(hits) == 0 {
		p.Tell("no chat that you may read has this; fewer words, or the beginning of one and *, find more")
	}
	return nil
}

// day reads a day, or how many days ago it was; empty: none. An end is that of the day.
func day(text string, now time.Time, end bool) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if n, ok := strings.CutSuffix(text, "d"); ok {
		if days, err := strconv.Atoi(n); err == nil && days >= 0 && days < 100_000 {
			return now.AddDate(0, 0, -days), nil
		}
	}
	at, err := time.ParseInLocation(time.DateOnly, text, now.Location())
	if err != nil {
		return at, fmt.Errorf("%q is no day: write it as 2026-01-31, or as a number of days such as 30d", text)
	}
	if end {
		at = at.AddDate(0, 0, 1)
	}
	return at, nil
}
