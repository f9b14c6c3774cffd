package workspace

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"runtime"
	"sync/atomic"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"github.com/assent-ls/assent/tools/workspace/tree"
)

const (
	maxReaders   = 8       // goroutines that read files at once
	maxQueued    = 64      // files that wait for a reader: each may hold a folder open
	firstBlock   = 1 << 15 // bytes in which a NUL tells early that a file is no text
	maxReaderBuf = 1 << 20 // bytes that a reader keeps for the next file
)

// Met is a file that EachFile found. It is valid until the call with it returns.
type Met struct {
	Path

	Order int // its place among all files, in the order of Walk

	workspace *Workspace
	in        opened
	room      *[]byte // of the reader that has the file
}

// EachFile calls fn for each file that Walk would report, from several goroutines at once and in any order, while it
// still walks. The first error of fn ends it. Other errors are those of Walk.
func (w *Workspace) EachFile(ctx context.Context, dir Path, fn func(Met) error) error {
	group, ctx := errgroup.WithContext(ctx)
	queue := make(chan Met, maxQueued)
	var walked error
	group.Go(func() error {
		defer close(queue)
		walked = queueFiles(ctx, w, dir, queue)
		if errors.Is(walked, ErrTooMany) {
			return nil // what was found before is still read
		}
		return walked
	})
	var failed atomic.Bool
	for range min(maxReaders, runtime.GOMAXPROCS(0)) {
		group.Go(func() error {
			var room []byte
			var first error
			for m := range queue {
				if !failed.Load() {
					m.room = &room
					if first = fn(m); first != nil {
						failed.Store(true)
					}
				}
				_ = m.in.Close() // only read
			}
			return first
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return walked
}

// queueFiles walks a folder, and queues the files that it meets. Who takes one closes its folder.
func queueFiles(ctx context.Context, w *Workspace, dir Path, queue chan<- Met) error {
	order := 0
	return w.meet(ctx, dir, wholeBudget(), func(m met) error {
		if m.Dir {
			return nil
		}
		if err := m.in.hold(); err != nil {
			return nil //nolint:nilerr // it cannot be read, and counts as empty
		}
		select {
		case queue <- Met{Path: m.Path, Order: order, workspace: w, in: m.in}:
			order++
			return nil
		case <-ctx.Done():
			return errors.Join(ctx.Err(), m.in.Close())
		}
	})
}

// errNoText says that the beginning of a file holds a NUL.
var errNoText = errors.New("not text")

// Text calls look with what the file holds, if that may be text: the open buffer if there is one, else what is on disk.
// look must not keep it. Whether it is text, IsText says: that is only worth asking if something was found in it.
// Errors are those of Read.
func (m Met) Text(ctx context.Context, look func(data []byte)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if text, open := m.workspace.Shown(m.Path); open {
		if len(text) > MaxFile {
			return tooLarge(m.Path, int64(len(text)))
		}
		look([]byte(text))
		return nil
	}
	data, err := m.read()
	switch {
	case errors.Is(err, errNoText):
		return nil
	case errors.Is(err, tree.ErrSwapped): // an editor may have saved it meanwhile
		file, err := m.workspace.Read(ctx, m.Path)
		if err == nil && !file.Binary {
			look([]byte(file.Text))
		}
		return err
	case err != nil:
		return m.workspace.openError(ctx, m.Path, err)
	}
	look(data)
	return nil
}

// read reads the file that has the name in the folder. tree.ErrSwapped: something else than a regular file is in its
// place.
func (m Met) read() ([]byte, error) {
	f, length, err := m.in.dir.ToRead(path.Base(m.Rel))
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	if length > MaxFile {
		return nil, tooLarge(m.Path, length)
	}
	size := int(length)
	room := *m.room
	if cap(room) < size {
		room = make([]byte, size+size/4)
		if size <= maxReaderBuf {
			*m.room = room
		}
	}
	return readBytes(f, room[:size])
}

// readBytes fills a room, or as much of it as there is. errNoText: the beginning holds a NUL.
func readBytes(f io.Reader, room []byte) ([]byte, error) {
	n := 0
	for n < len(room) {
		end := len(room)
		if n < firstBlock {
			end = min(end, firstBlock)
		}
		more, err := f.Read(room[n:end])
		if n < firstBlock && bytes.IndexByte(room[n:n+more], 0) >= 0 {
			return nil, errNoText
		}
		n += more
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return room[:n], nil
}

// IsText reports whether what a file holds is text.
func IsText(data []byte) bool { return bytes.IndexByte(data, 0) < 0 && utf8.Valid(data) }
