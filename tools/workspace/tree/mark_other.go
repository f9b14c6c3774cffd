//go:build !linux

package tree

import "io/fs"

// MarkOf is the mark of a file or folder: here there is none that nobody can set, so nothing is kept.
func MarkOf(fs.FileInfo) Mark { return Mark{} }

// markAt is the mark of what has an absolute path.
func markAt(string) Mark { return Mark{} }
