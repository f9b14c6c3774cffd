//go:build !linux

package workspace

import "io/fs"

// markOf is the mark of a file or folder: here there is none that nobody can set, so nothing is kept.
func markOf(fs.FileInfo) mark { return mark{} }

// markAt is the mark of what has an absolute path.
func markAt(string) mark { return mark{} }
