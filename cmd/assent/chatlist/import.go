package chatlist

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/session/foreign"
	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/diskfile"
)

// maxImported is how many files one import looks for.
const maxImported = 100_000

type importOptions struct {
	format, folder string
	dry, json      bool
}

func newImport(open Open) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import PATH...",
		Short: "Make chats of those of Claude Code or Aider",
		Long: "Make chats of those of other agents, in .assent/chats of a folder: sessions of Claude Code " +
			"(.jsonl) and histories\n" +
			"of Aider (.aider.chat.history.md), or all of both below a folder. What tools did is text in them, and " +
			"can never be\n" +
			"run. Their files stay as they are, and what was taken over before is not taken again.",
		Args: cobra.MinimumNArgs(1),
		RunE: with(open, func(cmd *cobra.Command, p Parts, args []string) error {
			return importAll(cmd, p, o, args)
		}),
	}
	cmd.Flags().StringVar(
		&o.format, "format", "", "Of files whose names do not tell: "+strings.Join(foreign.Formats(), " or ")+".",
	)
	usage.AddFolder(cmd.Flags(), &o.folder)
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "Write nothing.")
	listing.AddFlag(cmd, &o.json, "chats import")
	complete(cmd, "format", foreign.Formats()...)
	return cmd
}

func importAll(cmd *cobra.Command, p Parts, o importOptions, args []string) error {
	if o.format != "" && !slices.Contains(foreign.Formats(), o.format) {
		return usage.Error("--format: there are " + strings.Join(foreign.Formats(), " and "))
	}
	root, err := usage.Folder(o.folder)
	if err != nil {
		return err
	}
	i := importing{parts: p, options: o, root: root, out: cmd.OutOrStdout()}
	for _, arg := range args {
		if err := i.below(cmd.Context(), arg); err != nil {
			return err
		}
	}
	switch {
	case i.files == 0:
		return errors.New("no chats of Claude Code (.jsonl) or Aider (.aider.chat.history.md) are there")
	case i.failed:
		return errors.New("not all could be taken over; what is missing is named above, and is still in its file")
	case o.dry:
		p.Tell("nothing was written: without --dry-run these chats go to " + filepath.Join(root, ".assent", "chats"))
	}
	return nil
}

// importing is one import.
type importing struct {
	parts   Parts
	options importOptions
	root    string
	out     io.Writer
	files   int
	failed  bool
}

func (i *importing) problem(file string, what any) {
	i.failed = true
	i.parts.Tell(fmt.Sprintf("%s: %v", file, what))
}

// below takes over a file, or all in a folder.
func (i *importing) below(ctx context.Context, arg string) error {
	info, err := os.Stat(arg)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		format := cmp.Or(i.options.format, foreign.FormatOf(arg))
		if format == "" {
			return usage.Error(arg + ": its name does not tell what it is: give --format")
		}
		return i.file(ctx, arg, format)
	}
	return filepath.WalkDir(arg, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			i.problem(path, err)
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !d.Type().IsRegular() || foreign.FormatOf(path) == "":
			return nil
		case i.files >= maxImported:
			return fmt.Errorf("more than %d files are below %s: import its folders one by one", maxImported, arg)
		}
		return i.file(ctx, path, foreign.FormatOf(path))
	})
}

// file takes over the chats of one file.
func (i *importing) file(ctx context.Context, path, format string) error {
	i.files++
	f, err := diskfile.OpenRegular(path, os.O_RDONLY, 0)
	if err != nil {
		i.problem(path, err)
		return nil
	}
	defer f.Close() //nolint:errcheck // only read
	reader, err := foreign.Open(format, f)
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		chat, problems, err := reader.Next()
		for _, p := range problems {
			i.problem(path, p)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = i.chat(ctx, path, format, chat)
		}
		switch {
		case errors.Is(err, foreign.ErrTooLong):
			i.problem(path, fmt.Sprintf("the chat of %s is %v, and is left out", dayOf(chat.Began), err))
		case err != nil:
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return ctx.Err()
}

func dayOf(t time.Time) string {
	if t.IsZero() {
		return "an unknown day"
	}
	return t.Local().Format(time.DateOnly)
}

// chat takes over one chat.
func (i *importing) chat(ctx context.Context, from, format string, c *foreign.Chat) error {
	text, err := c.Markdown("Imported from " + format + ": " + visible.CodeSpan(filepath.Base(from)))
	if err != nil {
		return err
	}
	done := listing.Imported{Title: cmp.Or(c.Title, c.Words()), From: from, Format: format, Began: c.Began}
	if !i.options.dry {
		sum := sha256.Sum256([]byte(text))
		name := format + "-" + hex.EncodeToString(sum[:6]) + ".chat.md"
		if !c.Began.IsZero() {
			name = c.Began.Local().Format(time.DateOnly) + "-" + name
		}
		done.Path, err = session.AddChat(i.root, name, text, c.Last)
		if done.Before = errors.Is(err, fs.ErrExist); err != nil && !done.Before {
			return err
		}
		if err := i.parts.History.Saved(ctx, i.root, done.Path); err != nil {
			i.parts.Tell(err.Error())
		}
	}
	if i.options.json {
		return listing.Print(i.out, done)
	}
	before := ""
	if done.Before {
		before = "  (was here before)"
	}
	say(i.out, "%s  %s  %s%s", dayOf(c.Began), done.Title, terminal.Path(done.Path), before)
	return nil
}
