// Package journal keeps what streamed into a chat until the chat's file on disk holds it, so that a reply survives an
// editor that dies before it saved. It guards against the end of a process, not against loss of power.
package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"unicode/utf8"

	"github.com/assent-ls/assent/tools/diskfile"
)

// ErrNotKept says that a piece could not be written to the journal: a full disk, a folder without write permission. The
// chat goes on without recovery.
var ErrNotKept = errors.New("the reply cannot be kept for recovery")

// Journal is the journal of one chat. Its methods may be called from any goroutine.
type Journal struct {
	path string

	mu   sync.Mutex
	file *os.File // guarded by mu; nil when nothing is written
	head record   // guarded by mu: of the reply that is written
	more bool     // guarded by mu: it goes on with the last reply of the journal, if there is one
	cut  bool     // guarded by mu: that reply is marked as cut
}

// record is one line of a journal. A line with a chat begins a reply, the others go on with it.
type record struct {
	Chat string `json:"chat,omitempty"`
	Base string `json:"base,omitempty"`
	Text string `json:"text,omitempty"`
	Cut  bool   `json:"cut,omitempty"`
	Drop int    `json:"drop,omitempty"` // characters at the end of the text that were never shown
}

// Reply is one reply in a journal.
type Reply struct {
	Chat string // path of the chat file
	Base string // Hash of the chat's text when the reply began
	Text string
	Cut  bool // a person took something out of it while it streamed
}

// Hash names a text.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Open begins a reply in the journal of a chat, in the given folder of the user's, which it makes if needed. base is
// the chat's text without the reply. What an earlier reply left in the journal stays. The file is made by the first
// Append.
func Open(dir, chatPath, base string) (*Journal, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, notKept(err)
	}
	return &Journal{path: file(dir, chatPath), head: record{Chat: chatPath, Base: Hash(base)}}, nil
}

// Resume goes on with the last reply in the journal of a chat: what is missing is found by the end of the whole. If
// there is none it begins one, as Open does.
func Resume(dir, chatPath, base string) (*Journal, error) {
	j, err := Open(dir, chatPath, base)
	if err == nil {
		j.more = true
	}
	return j, err
}

// Of is the journal of a chat as an earlier reply left it, to be deleted. Nothing is made.
func Of(dir, chatPath string) *Journal { return &Journal{path: file(dir, chatPath)} }

func file(dir, chatPath string) string {
	return filepath.Join(dir, Hash(filepath.Clean(chatPath))[:32]+".journal")
}

// Append adds text to the reply. After an error, which is ErrNotKept, the journal holds what it held before, and a
// later Append may succeed: then the recovered text has a gap.
func (j *Journal) Append(text string) error {
	if text == "" {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return notKept(j.append(text))
}

// notKept wraps an error of a journal that is written.
func notKept(err error) error {
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotKept, err)
	}
	return nil
}

func (j *Journal) append(text string) error {
	var lines []byte
	if j.file == nil {
		f, err := diskfile.OpenRegular(j.path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		info, err := f.Stat()
		if err != nil {
			return errors.Join(err, f.Close())
		}
		j.file, j.cut = f, false
		lines = append(lines, '\n') // ends the torn record of a process that died
		if !j.more || info.Size() == 0 {
			lines = appendRecord(lines, j.head)
		}
	}
	return j.write(appendRecord(lines, record{Text: text}))
}

// write adds whole lines, or nothing.
func (j *Journal) write(lines []byte) error {
	info, err := j.file.Stat()
	if err != nil {
		return err
	}
	if _, err := j.file.Write(lines); err != nil {
		return errors.Join(err, j.file.Truncate(info.Size()), j.close())
	}
	return nil
}

// Drop takes characters off the end of the reply: they were never shown, and will not be. An error is ErrNotKept.
func (j *Journal) Drop(characters int) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if characters <= 0 || j.file == nil {
		return nil
	}
	return notKept(j.write(appendRecord(nil, record{Drop: characters})))
}

// Cut notes that a person took something out of the reply while it streamed. An error is ErrNotKept.
func (j *Journal) Cut() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.cut || j.file == nil { // without a file nothing was ever shown
		return nil
	}
	err := j.write(appendRecord(nil, record{Cut: true}))
	j.cut = err == nil
	return notKept(err)
}

func appendRecord(lines []byte, r record) []byte {
	line, err := json.Marshal(r)
	if err != nil {
		panic(err) // strings and a bool always marshal
	}
	return append(append(lines, line...), '\n')
}

func (j *Journal) close() error {
	if j.file == nil {
		return nil
	}
	err := j.file.Close()
	j.file = nil
	return err
}

// Close ends the reply and leaves the journal as it is.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.close()
}

// Discard deletes the journal: the text was restored, or nobody wants it.
func (j *Journal) Discard() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	err := j.close()
	if gone := os.Remove(j.path); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	return err
}

// Replies returns the replies that the journal of a chat holds, the oldest first. A torn record is left out (half a
// record is no JSON), a missing file is empty.
func Replies(dir, chatPath string) ([]Reply, error) {
	f, err := diskfile.OpenRegular(file(dir, chatPath), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var data []byte
	if err == nil {
		data, err = io.ReadAll(f)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("reading the recovery journal: %w", err)
	}
	var replies []Reply
	var text []byte // of the last reply; its pieces may be many
	end := func() {
		if n := len(replies); n > 0 && len(text) > 0 {
			replies[n-1].Text = string(text)
		} else if n > 0 {
			replies = replies[:n-1]
		}
		text = nil
	}
	for line := range bytes.Lines(data) {
		var r record
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		if r.Chat != "" {
			end()
			replies = append(replies, Reply{Chat: r.Chat, Base: r.Base})
		} else if n := len(replies); n > 0 {
			text = append(text, r.Text...)
			for range min(r.Drop, len(text)) {
				_, size := utf8.DecodeLastRune(text)
				text = text[:len(text)-size]
			}
			replies[n-1].Cut = replies[n-1].Cut || r.Cut
		}
	}
	end()
	return replies, nil
}
