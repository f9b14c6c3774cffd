package changes

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// stamp is how the name of a kept folder begins; its size in bytes follows.
const stamp = "20060102T150405.000000000"

// Keep keeps some of what was replaced or removed, under the names that it had, and returns the folder; empty: nothing
// is kept, or it is too large. What is too old or too much is removed, the oldest first.
func (l *Layer) Keep(some []Aside) (folder string, err error) {
	if len(some) == 0 || l.Kept.Folder == "" || l.Kept.Bytes == 0 {
		return "", nil
	}
	began := filepath.Join(l.Kept.Folder, "new")
	if err := errors.Join(os.RemoveAll(began), os.MkdirAll(began, 0o700)); err != nil {
		return "", err
	}
	for _, a := range some {
		to := filepath.Join(began, filepath.FromSlash(a.Rel))
		err = errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o700), os.Rename(a.place, to))
	}
	name := time.Now().UTC().Format(stamp) + "-" + strconv.FormatUint(Size(began), 10)
	folder = filepath.Join(l.Kept.Folder, name)
	if err := errors.Join(err, os.Rename(began, folder)); err != nil {
		return "", err
	}
	l.Kept.prune(time.Now())
	if _, err := os.Lstat(folder); err != nil {
		return "", nil //nolint:nilerr // it was too large
	}
	return folder, nil
}

// prune removes what is too old, and the oldest of what is too much.
func (k Kept) prune(now time.Time) {
	entries, _ := os.ReadDir(k.Folder) // without one nothing is kept
	total := uint64(0)
	for _, entry := range slices.Backward(entries) {
		when, bytes, ok := strings.Cut(entry.Name(), "-")
		made, err := time.Parse(stamp, when)
		n, sizeErr := strconv.ParseUint(bytes, 10, 64)
		if !ok || err != nil || sizeErr != nil {
			continue // not ours
		}
		if total += n; total > k.Bytes || now.Sub(made) > k.For {
			_ = os.RemoveAll(filepath.Join(k.Folder, entry.Name())) // the next time is soon enough
		}
	}
}

// Size is how many bytes of the disk a folder takes.
func Size(folder string) (bytes uint64) {
	_ = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // it is gone, or closed: what else is there counts
		}
		if info, err := entry.Info(); err == nil {
			if is, ok := info.Sys().(*syscall.Stat_t); ok {
				bytes += uint64(is.Blocks) * 512 //nolint:gosec // never negative
			}
		}
		return nil
	})
	return bytes
}
