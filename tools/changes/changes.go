// Package changes reads what a command wrote in its view of a workspace (see package sandbox), and applies it.
//
// Read compares the layer with the disk and lists each difference, so that its caller can judge every one of them like
// an edit of that path. Apply makes those that were judged good: files are moved into their places and never half
// written, what they replace is put aside first, and a journal lets Finish complete what a crash interrupted. A file
// that somebody else changed since the command began is left as it is.
//
// Paths are relative to the workspace and have slashes. No link is followed in either tree.
package changes

import (
	"errors"
	"io/fs"
	"strings"
	"time"
)

// Layer is what a command wrote in its view: the upper layer of an overlay, in a private folder of the command alone.
type Layer struct {
	Root  string // the workspace
	Upper string // the upper layer
	// what the view did not show, relative to the root, sorted as if each ended with a slash; a folder stands for all
	// in it
	Hidden []string
	// folders outside the workspace that the view shows, such as those of programs, links followed: links may lead
	// there
	Shown []string
	// by the clock of the file system: what changed on the disk since may be somebody else's work. Zero: when the clock
	// was read last, see Later
	Began time.Time
	Kept  Kept
}

// Kept says where and for how long what a command replaced or removed can be kept.
type Kept struct {
	Folder string // of this workspace; no command sees it
	Bytes  uint64 // of all that is kept there; 0: nothing is
	For    time.Duration
}

// Kind is what becomes of a path.
type Kind int

// The kinds of changes.
const (
	Made    Kind = iota + 1 // there was nothing
	Changed                 // it has another content, or leads elsewhere
	Set                     // it has another mode or time alone
	Removed                 // nothing is there any more
)

// Change is a difference between what a command left and the disk.
type Change struct {
	Rel  string
	Kind Kind
	// what the command left: its type, and its permissions without the bits for other owners; of what it removed: that
	Mode fs.FileMode
	Link string // where a link leads
	Size int64  // of a file that the command left, in bytes

	old, fresh stat // on the disk, and in the layer
	names      bool // the file on the disk has other names, so it is written in its place
}

// Dir reports whether the change is about a folder.
func (c Change) Dir() bool { return c.Mode.IsDir() }

// Compare orders changes as they are listed: removals first, each folder before what is in it.
func Compare(a, b Change) int {
	if (a.Kind == Removed) != (b.Kind == Removed) {
		return map[bool]int{true: -1, false: 1}[a.Kind == Removed]
	}
	return strings.Compare(a.Rel+"/", b.Rel+"/")
}

// LeftOut is something that a command did and that is never applied.
type LeftOut struct{ Rel, Why string }

// List is what a command did, ordered by Compare.
type List struct {
	Changes []Change
	LeftOut []LeftOut
	Kept    []string // hidden files and folders that stay, although the command removed or moved the folder they lie in
}

// Report is what became of changes that were to be applied.
type Report struct {
	Applied   []Change
	Conflicts []Change // somebody else changed these since the command began: nothing was done to them
	Failed    []Failure
	Aside     []Aside // what was replaced or removed
}

// Aside is a file, link or folder that was replaced or removed. Its place goes with the layer, unless it is kept.
type Aside struct{ Rel, place string }

// Failure is a change that the system refused.
type Failure struct {
	Change
	Err error
}

// Part is a file or folder that goes into another layer, alone or with what is in it.
type Part struct {
	Rel   string
	Files int // that the command wrote or removed in it, folders included
}

// Stamp is what a file or folder on the disk was at one moment, with all that is in it: two are equal if nothing was
// changed between them.
type Stamp struct {
	Sum  string
	Last time.Time // when something of it was changed last; zero: nothing is there
}

// ErrNoFolder says that the folder in which a path would lie is not there, or is none.
var ErrNoFolder = errors.New("the folder that it lies in is not there")

// ErrUnsupported says that there are no views on this system.
var ErrUnsupported = errors.New("there are no views of a workspace on this system")
