package changes

import (
	"errors"
	"fmt"
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

// Later waits until the clock of a file system shows a later time than it showed: what was changed before has an earlier one.
func Later(in string, than time.Time) (time.Time, error) {
	for {
		t, err := Clock(in)
		if err != nil || t.After(than) {
			return t, err
		}
		time.Sleep(time.Millisecond / 2)
	}
}

// Again is the layer as if its command had begun now: what somebody else changed until now is no conflict any more. Its caller has asked a person
// about that.
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

// Rewrite gives a file that the command wrote another text.
func (l *Layer) Rewrite(rel, text string) error {
	t, err := openTree(l.Upper)
	if err != nil {
		return err
	}
	defer t.close()
	f, err := t.file(rel, unix.O_WRONLY|unix.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
