package session

import (
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
	"github.com/assent-ls/assent/tools/diskfile"
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

// Chats lists the chats of a folder that New chat made, or that stand beside those, the newest first. What cannot be read is left out; the error
// says why.
func Chats(root string) ([]Listed, error) {
	folder, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer func() { _ = folder.Close() }() // only read
	entries, err := fs.ReadDir(folder.FS(), chatFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []Listed
	for _, entry := range entries {
		if !transcript.IsChat(entry.Name()) {
			continue
		}
		chat, unread := list(folder, path.Join(chatFolder, entry.Name()))
		if unread != nil {
			err = errors.Join(err, fmt.Errorf("%s is left out: %w", entry.Name(), unread))
			continue
		}
		chat.Path = filepath.Join(root, filepath.FromSlash(chatFolder), entry.Name())
		all = append(all, chat)
	}
	slices.SortStableFunc(all, func(x, y Listed) int { return y.Changed.Compare(x.Changed) })
	return all, err
}

// list reads the head of one chat.
func list(folder *os.Root, name string) (Listed, error) {
	head, changed, err := readChat(folder, name, maxHead)
	chat := transcript.Parse(head)
	return Listed{Title: chat.Title(), Model: chat.Front.Model, Changed: changed}, err
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
