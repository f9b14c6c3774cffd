package changes

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// StampOf looks at a path, which need not be there. It reads no file.
func StampOf(root, rel string) (Stamp, error) {
	t, err := openTree(root)
	if err != nil {
		return Stamp{}, err
	}
	defer t.close()
	if above := path.Dir(rel); above != "." {
		if is, err := t.lstat(above); err != nil || is.kind() != unix.S_IFDIR {
			return Stamp{}, errors.Join(ErrNoFolder, err)
		}
	}
	sum := sha256.New()
	var s Stamp
	if err := t.stamp(rel, &s, sum); err != nil {
		return Stamp{}, err
	}
	s.Sum = hex.EncodeToString(sum.Sum(nil))
	return s, nil
}

// stamp adds a path to a stamp. Reading a file does not change its stamp.
func (t tree) stamp(rel string, s *Stamp, sum io.Writer) error {
	is, err := t.lstat(rel)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(
		sum, "%q %o %d %d %d %d %d\n", rel, is.Mode, is.Device, is.Inode, is.Size, is.Modified, is.Changed,
	); err != nil {
		return err
	}
	if changed := time.Unix(is.Changed.Unix()); !is.missing() && changed.After(s.Last) {
		s.Last = changed
	}
	if is.kind() != unix.S_IFDIR {
		return nil
	}
	names, err := t.names(rel)
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		if err := t.stamp(path.Join(rel, name), s, sum); err != nil {
			return err
		}
	}
	return nil
}
