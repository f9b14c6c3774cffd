package tree

import "time"

// Mark tells a folder or file from what it was before: it changes with what is in it, and nobody can set it back. The
// zero value is that of nothing.
type Mark struct {
	device, inode uint64
	Changed       time.Time
}
