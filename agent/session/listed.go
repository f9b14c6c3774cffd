package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/workspace"
)

// Listed is a chat in a list of chats.
type Listed struct {
	Path    string
	Title   string // empty: nothing was asked yet
	Model   string // empty: none is named
	Changed time.Time
}

// maxHead is how many bytes of a chat are read for its title: the front matter, and a question.
const maxHead = 128 << 10

// Chats lists the chats of a workspace, the newest first: those that New chat made, and those in every folder that no
// .gitignore excludes, although it may exclude the chats themselves. Their paths begin with that of the folder, as its
// user spells it. What cannot be read is left out; the error says why, in a sentence a line.
func Chats(ctx context.Context, ws *workspace.Workspace, folder string) ([]Listed, error) {
	root, err := os.OpenRoot(ws.Root())
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // only read
	names, err := madeChats(root)
	elsewhere, unwalked := chatsElsewhere(ctx, ws, root)
	err = errors.Join(err, unwalked)
	var all []Listed
	for _, name := range append(names, elsewhere...) {
		chat, unread := list(root, name)
		if unread != nil {
			err = errors.Join(err, fmt.Errorf("%s is left out: %w", path.Base(name), unread))
			continue
		}
		chat.Path = filepath.Join(folder, filepath.FromSlash(name))
		all = append(all, chat)
	}
	slices.SortStableFunc(all, func(x, y Listed) int { return y.Changed.Compare(x.Changed) })
	return all, err
}

// madeChats are the names of the chats that New chat made.
func madeChats(root *os.Root) ([]string, error) {
	names, err := chatsIn(root, chatFolder)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return names, err
}

// chatsElsewhere are the names of the chats in the folders that a walk enters.
func chatsElsewhere(ctx context.Context, ws *workspace.Workspace, root *os.Root) (names []string, err error) {
	top, err := ws.Resolve("")
	if err != nil {
		return nil, err
	}
	names, _ = chatsIn(root, ".")
	return names, ws.Walk(ctx, top, func(p workspace.Path) error {
		if p.Dir {
			found, _ := chatsIn(root, p.Rel) // a folder that cannot be read counts as empty, as in a walk
			names = append(names, found...)
		}
		return nil
	})
}

// chatsIn are the names, from the root, of what is called a chat in one folder.
func chatsIn(root *os.Root, folder string) (names []string, err error) {
	entries, err := diskfile.ReadDirIn(root, folder)
	for _, entry := range entries {
		if transcript.IsChat(entry.Name()) && !entry.IsDir() {
			names = append(names, path.Join(folder, entry.Name()))
		}
	}
	return names, err
}

// list reads the head of one chat.
func list(folder *os.Root, name string) (Listed, error) {
	head, changed, err := readChat(folder, name, maxHead)
	chat := transcript.Parse(head)
	return Listed{Title: cmp.Or(chat.Title(), sentAlone(chat)), Model: chat.Front.Model, Changed: changed}, err
}

// sentAlone names what the first turn of a chat without words sends, such as piped input; empty: nothing.
func sentAlone(chat *transcript.Chat) string {
	for _, turn := range chat.Turns {
		for b := range transcript.Contexts(turn) {
			if !b.NotSent && turn.Role == transcript.You {
				return "(" + visible.Line(b.Name) + ")"
			}
		}
	}
	return ""
}

// readChat reads at most so many bytes of a chat, and says when it was changed.
func readChat(folder *os.Root, name string, most int64) (text string, changed time.Time, err error) {
	f, err := diskfile.OpenRegularIn(folder, name, os.O_RDONLY, 0)
	if err != nil {
		return "", changed, err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return "", changed, err
	}
	data, err := io.ReadAll(io.LimitReader(f, most))
	return string(data), info.ModTime(), err
}
