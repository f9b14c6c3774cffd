package changes

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

const clockName = "clock"

// Clock is the time of the file system that a folder lies on.
func Clock(in string) (time.Time, error) {
	path := filepath.Join(in, clockName)
	if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, 0o600)); err != nil {
		return time.Time{}, err
	}
	return lastRead(in)
}

// lastRead is what Clock said last of a folder.
func lastRead(in string) (time.Time, error) {
	var is unix.Stat_t
	if err := unix.Lstat(filepath.Join(in, clockName), &is); err != nil {
		return time.Time{}, fmt.Errorf("it is not known when the command began: %w", err)
	}
	return time.Unix(is.Ctim.Unix()), nil
}

// Later waits until the clock of a file system has moved on: what was changed before has an earlier time.
func Later(in string, than time.Time) (time.Time, error) {
	for {
		t, err := Clock(in)
		if err != nil || t.After(than) {
			return t, err
		}
		time.Sleep(time.Millisecond / 2)
	}
}

// Again is the layer as if its command had begun now: what somebody else changed until now is no conflict any more. Its
// caller has asked a person about that.
func (l *Layer) Again() (*Layer, error) {
	private := filepath.Dir(l.Upper)
	now, err := Clock(private)
	if err != nil {
		return nil, err
	}
	again := *l
	again.Began, err = Later(private, now)
	return &again, err
}

// Rewrite gives a file that the command wrote another text. A file that has several names in the layer is left as it
// is: they would all change.
func (l *Layer) Rewrite(rel, text string) error {
	f, err := fileIn(l.Upper, rel, unix.O_WRONLY)
	if err != nil {
		return err
	}
	var is unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &is); err != nil || is.Nlink > 1 {
		return errors.Join(errors.New("the command gave it several names"), err, f.Close())
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = f.WriteString(text)
	}
	return errors.Join(err, f.Close())
}

// TimesAlone reports whether nothing changed but when a file was last changed.
func (c Change) TimesAlone() bool { return c.Kind == Set && c.old.Mode&0o777 == c.fresh.Mode&0o777 }

// Linked reports whether the file that the command left has several names.
func (c Change) Linked() bool { return c.fresh.Links > 1 }

// Texts are what a file held and what the command left of it, if both are at most so many bytes; nil: there was none,
// or there is none. It is called before Apply.
func (c Change) Texts(l *Layer, most int64) (before, after *string, ok bool) {
	if c.Mode.Type() != 0 {
		return nil, nil, false
	}
	ok = true
	if c.Kind != Made {
		if before, ok = readText(l.Root, c.Rel, most); !ok {
			return nil, nil, false
		}
	}
	if c.Kind != Removed {
		after, ok = readText(l.Upper, c.Rel, most)
	}
	return before, after, ok
}

// readText reads a file of a folder; ok is false if it cannot be read or has more than so many bytes.
func readText(dir, rel string, most int64) (text *string, ok bool) {
	f, err := fileIn(dir, rel, unix.O_RDONLY)
	if err != nil {
		return nil, false
	}
	defer f.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	read := string(data)
	return &read, err == nil && int64(len(data)) <= most
}
