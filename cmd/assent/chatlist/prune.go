package chatlist

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/cmd/assent/terminal"
	"github.com/assent-ls/assent/cmd/assent/usage"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/workspace"
)

// trash is the folder in the state folder to which chats are moved.
const trash = "trash"

type pruneOptions struct {
	listOptions
	unused string
	dry    bool
}

func newPrune(open Open) *cobra.Command {
	var o pruneOptions
	cmd := &cobra.Command{
		Use:   "prune",
		Short: "Move chats that were not used for long to the trash folder",
		Long: "Move the chats of a folder that were not changed for long to the folder trash in your state folder. " +
			"You can take them\n" +
			"back from there. Pinned chats stay, and so do chats that are open. With --dry-run, say which would go.",
		Args: cobra.NoArgs,
		RunE: with(open, func(cmd *cobra.Command, p Parts, _ []string) error { return prune(cmd, p, o) }),
	}
	cmd.Flags().StringVar(&o.unused, "unused-for", "365d", "For how many days a chat was not changed.")
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "Move nothing.")
	cmd.Flags().BoolVar(&o.all, "all", false, "Look at the chats of all folders.")
	usage.AddFolder(cmd.Flags(), &o.folder)
	listing.AddFlag(cmd, &o.json, "chats prune")
	cmd.MarkFlagsMutuallyExclusive("all", "folder")
	return cmd
}

func prune(cmd *cobra.Command, p Parts, o pruneOptions) error {
	days, err := strconv.Atoi(strings.TrimSuffix(o.unused, "d"))
	if err != nil || days < 1 || days > 100_000 {
		return usage.Error("--unused-for is a number of days, such as 365d")
	}
	chats, err := chatsOf(cmd.Context(), p, o.listOptions)
	if err != nil {
		return err
	}
	before := time.Now().AddDate(0, 0, -days)
	failed := false
	for _, c := range chats {
		if c.Pinned || !c.Changed.Before(before) {
			continue
		}
		done := listing.Pruned{Path: c.Path, Title: c.Title, Changed: c.Changed}
		if !o.dry {
			if done.To, err = p.throwAway(c.Path, before); err != nil {
				p.Tell(err.Error())
				failed = true
				continue
			}
			if err := p.History.Gone(cmd.Context(), c.Path); err != nil {
				p.Tell(err.Error())
			}
		}
		if o.json {
			if err := listing.Print(cmd.OutOrStdout(), done); err != nil {
				return err
			}
			continue
		}
		say(cmd.OutOrStdout(), "%s  %s  %s", c.Changed.Format(time.DateOnly), c.Title, terminal.Path(c.Path))
	}
	switch {
	case failed:
		return errors.New("not all chats could be moved")
	case o.dry:
		p.Tell("nothing was moved: without --dry-run these chats go to " + filepath.Join(p.State.Dir(), trash))
	}
	return nil
}

// errUsed says why a chat stays.
var errUsed = errors.New("it was just used, and stays")

// throwAway moves a chat to the trash folder, with its images.
func (p Parts) throwAway(path string, before time.Time) (to string, err error) {
	folder, err := p.State.Folder(trash)
	if err != nil {
		return "", err
	}
	unlock, _, err := p.State.LockChat(path)
	if err != nil {
		return "", err
	}
	defer unlock()
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || !info.ModTime().Before(before) {
		return "", errors.Join(fmt.Errorf("%s: %w", path, errUsed), err)
	}
	real := workspace.RealName(path)
	sum := sha256.Sum256([]byte(real))
	name := time.Now().UTC().Format("20060102T150405") + "-" + hex.EncodeToString(sum[:4]) + "-" + filepath.Base(real)
	to = filepath.Join(folder, name)
	if err := move(real, to); err != nil {
		return "", fmt.Errorf("%s cannot be moved: %w", path, err)
	}
	images := strings.TrimSuffix(real, ".chat.md") + ".images"
	if _, err := os.Lstat(images); err == nil {
		_ = os.Rename(images, strings.TrimSuffix(to, ".chat.md")+".images") // on another disk they stay
	}
	return to, nil
}

// move moves a file to a name that nothing has, if need be onto another disk.
func move(from, to string) error {
	if os.Rename(from, to) == nil {
		return nil
	}
	text, err := diskfile.ReadSmall(from, diskfile.MaxText)
	if err != nil {
		return err
	}
	f, err := diskfile.Create(to, text)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return os.Remove(from)
}
