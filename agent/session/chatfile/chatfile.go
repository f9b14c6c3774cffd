// Package chatfile keeps a session's conversation in a file on disk, which others may save at any time: what they save
// stays, and where the file cannot be written any more the whole conversation goes into another one.
package chatfile

import (
	"context"
	"errors"
	"fmt"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools/diskfile"
)

// File is a chat on disk. It implements session.Document.
type File struct {
	path     string
	fallback func() (string, error)
}

// New names a chat on disk; nothing is opened. fallback makes a folder of the user's for what cannot be kept beside the
// chat.
func New(path string, fallback func() (string, error)) *File { return &File{path, fallback} }

// Path implements session.Document.
func (f *File) Path() string { return f.path }

// Read implements session.Document.
func (f *File) Read() (session.Snapshot, error) {
	file, err := f.open()
	if err != nil {
		return nil, err
	}
	text := string(file.Text())
	return &snapshot{f, text, transcript.Parse(text)}, file.Close()
}

func (f *File) open() (*diskfile.File, error) {
	file, err := diskfile.Open(f.path)
	if errors.Is(err, diskfile.ErrNotRegular) {
		err = fmt.Errorf("%s cannot be opened: %w", f.path, err)
	}
	return file, err
}

// snapshot is what the file held at one moment.
type snapshot struct {
	*File
	text string
	chat *transcript.Chat
}

// Text implements session.Snapshot.
func (s *snapshot) Text() string { return s.text }

// Chat implements session.Snapshot.
func (s *snapshot) Chat() *transcript.Chat { return s.chat }

// unchanged opens the file, which must hold what it did.
func (s *snapshot) unchanged() (*diskfile.File, error) {
	file, err := s.open()
	if err == nil && string(file.Text()) != s.text {
		err = errors.Join(fmt.Errorf("%s was saved by somebody just now: try again", s.path), file.Close())
	}
	return file, err
}

// Replace implements session.Snapshot.
func (s *snapshot) Replace(_ context.Context, part transcript.Span, text string) error {
	file, err := s.unchanged()
	if err != nil {
		return err
	}
	return errors.Join(file.Replace([]byte(s.text[:part.Start]+text+s.text[part.End:])), file.Close())
}

// Cut implements session.Snapshot.
func (s *snapshot) Cut(ctx context.Context, at int) error {
	return s.Replace(ctx, transcript.Span{Start: at, End: len(s.text)}, "\n")
}

// Reply implements session.Snapshot.
func (s *snapshot) Reply(place session.Place) (session.Reply, error) {
	file, err := s.unchanged()
	if err != nil {
		return nil, err
	}
	above := s.text[:place.At]
	return &reply{
		path: s.path, fallback: s.fallback, recorder: event.NewRecorder(above, place.Resumed), file: file,
		above: []byte(above), from: len(above), written: len(above), inFile: true,
	}, nil
}
