//go:build amd64 || arm64

package sandbox

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// maxCounted is how many files are counted.
const maxCounted = 100_000

// Readable says what a command with a network can read of the workspace.
func (s *Sandbox) Readable(ctx context.Context) (r Readable, err error) {
	unseen, err := s.notSeen(true)
	if err != nil {
		return r, err
	}
	r.Hidden, r.Covered = unseen.Hidden, slices.Concat(unseen.Covered, unseen.Settings)
	err = filepath.WalkDir(s.options.Root, func(path string, entry fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(path, s.options.Root+"/")
		_, hidden := slices.BinarySearch(r.Hidden, rel)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case r.Files == maxCounted:
			r.More = true
			return fs.SkipAll
		case err != nil || !hidden && entry.IsDir() && entry.Name() != ".git":
			return nil //nolint:nilerr // what cannot be read is not sent
		case entry.IsDir():
			r.Git = r.Git || !hidden
			return fs.SkipDir
		case !hidden && !slices.Contains(r.Covered, rel) && entry.Type().IsRegular():
			r.Files++
		}
		return nil
	})
	return r, err
}
