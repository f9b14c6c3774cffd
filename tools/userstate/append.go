package userstate

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/assent-ls/assent/tools/diskfile"
)

// Append appends a line to a file of lines in the state folder. A file that would grow beyond limit is first moved to
// its name with ".1", in place of the one there. The lines of several processes never mix.
func (s *State) Append(name string, line []byte, limit int64) error {
	root, err := s.open()
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // the file was closed before
	markVersion(root)
	open := func() (*os.File, error) {
		return diskfile.OpenRegularIn(root, name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	}
	f, err := open()
	if err == nil {
		if info, statErr := f.Stat(); statErr == nil && info.Size() > 0 && info.Size()+int64(len(line)) >= limit {
			err = f.Close()
			s.rotate(root, name, info)
			if err == nil {
				f, err = open()
			}
		}
	}
	if err == nil {
		_, err = f.Write(append(slices.Clip(line), '\n'))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return s.fail("%q cannot be written: %v.", name, err)
	}
	return nil
}

// rotate moves a full file away, unless another process does so now or has done so. Who cannot appends to the full
// file.
func (s *State) rotate(root *os.Root, name string, full fs.FileInfo) {
	lock, err := s.lock(root, name)
	if err != nil {
		return
	}
	if held, err := lock.TryLock(); err != nil || !held {
		return
	}
	defer lock.Unlock() //nolint:errcheck // the lock ends with its file
	if now, err := root.Lstat(name); err == nil && os.SameFile(now, full) {
		_ = root.Rename(name, name+".1") // then the full one grows on
	}
}

// Appended returns what Append kept under a name, the oldest lines first, and nothing if there is none. Each of the two
// files counts with its last maxStateFile bytes.
func (s *State) Appended(name string) ([]byte, error) {
	if _, err := os.Lstat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	root, err := s.open()
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // only read
	var all []byte
	for _, name := range []string{name + ".1", name} {
		data, err := tail(root, name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, s.fail("%q cannot be read: %v.", name, err)
		}
		all = append(all, data...)
	}
	return all, nil
}

// tail reads the end of a file.
func tail(root *os.Root, name string) ([]byte, error) {
	f, err := diskfile.OpenRegularIn(root, name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err == nil && info.Size() > maxStateFile {
		_, err = f.Seek(-maxStateFile, io.SeekEnd)
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, maxStateFile))
}
