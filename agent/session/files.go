package session

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/workspace"
)

// chatFolder is where new chats of a workspace are made.
const chatFolder = ".assent/chats"

// NewChat writes a new chat of a day into the folder's .assent/chats and returns its path. The folder .assent/chats
// keeps itself out of version control.
func NewChat(root string, day time.Time, text string) (string, error) {
	folder, err := openChats(root)
	if err != nil {
		return "", err
	}
	defer func() { _ = folder.Close() }() // nothing is written through it after this
	name, err := writeNumbered(folder, path.Join(chatFolder, day.Format(time.DateOnly)), text)
	return filepath.Join(root, filepath.FromSlash(name)), err
}

// AddChat writes a chat of this name, which was changed last at a time, into the folder's .assent/chats. fs.ErrExist:
// there is one already, which stays.
func AddChat(root, name, text string, changed time.Time) (string, error) {
	folder, err := openChats(root)
	if err != nil {
		return "", err
	}
	defer func() { _ = folder.Close() }() // nothing is written through it after this
	name = path.Join(chatFolder, name)
	if err = writeIn(folder, name, text); err == nil && !changed.IsZero() {
		err = folder.Chtimes(name, changed, changed)
	}
	return filepath.Join(root, filepath.FromSlash(name)), err
}

// openChats opens a folder, and makes its folder of chats.
func openChats(root string) (*os.Root, error) {
	if err := workspace.Check(root); err != nil {
		return nil, err
	}
	folder, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	err = folder.MkdirAll(chatFolder, 0o700)
	if err == nil {
		err = writeIn(folder, path.Join(chatFolder, ".gitignore"), "*\n")
	}
	if err != nil && !errors.Is(err, os.ErrExist) {
		return nil, errors.Join(err, folder.Close())
	}
	return folder, nil
}

// DropNew removes a chat that NewChat made of a text, if nothing was said in it since, by the model or by a person who
// opened it meanwhile.
func DropNew(path, text string) (dropped bool, err error) {
	now, err := diskfile.ReadSmall(path, diskfile.MaxText)
	if err != nil || !slices.Equal(said(transcript.Parse(string(now))), said(transcript.Parse(text))) {
		return false, err
	}
	return true, os.Remove(path)
}

// said is what a chat holds beside what is sent along, and notes about runs.
func said(chat *transcript.Chat) (all []string) {
	for _, turn := range chat.Turns {
		for _, block := range turn.Blocks {
			switch b := block.(type) {
			case transcript.Context:
			case transcript.Text:
				all = append(all, b.Markdown)
			default:
				all = append(all, fmt.Sprintf("%T", b))
			}
		}
	}
	return all
}

// WriteBeside writes a text into a new chat beside another one, named after it and after what it is, and returns its
// path.
func WriteBeside(chat, what, text string) (string, error) {
	folder, err := os.OpenRoot(filepath.Dir(chat))
	if err != nil {
		return "", err
	}
	defer func() { _ = folder.Close() }() // nothing is written through it after this
	name, err := writeNumbered(folder, strings.TrimSuffix(filepath.Base(chat), ".chat.md")+"."+what, text)
	return filepath.Join(filepath.Dir(chat), name), err
}

// writeNumbered writes a text into the first file NAME-1.chat.md, NAME-2.chat.md, ... that does not exist.
func writeNumbered(folder *os.Root, name, text string) (string, error) {
	for n := 1; n < 1000; n++ {
		file := fmt.Sprintf("%s-%d.chat.md", name, n)
		if err := writeIn(folder, file, text); !errors.Is(err, os.ErrExist) {
			return file, err
		}
	}
	return "", fmt.Errorf("there are too many chats named %s: remove some", path.Base(name))
}

// writeIn writes a file that must not exist yet, inside the folder even if there are links. An error leaves none.
func writeIn(folder *os.Root, name, text string) error {
	f, err := folder.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, folder.Remove(name))
	}
	return nil
}
