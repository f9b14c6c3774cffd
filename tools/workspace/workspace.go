// Package workspace is a folder and what is known of it: a confined root, the editor's open buffers over the disk,
// ignore rules, protected names and an outline. It imports nothing of this program but tree, diskfile and visible.
package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/assent-ls/assent/tools/workspace/tree"
)

// Errors that callers tell apart with errors.Is. The errors that wrap them are sentences that a model can act on.
var (
	ErrOutside     = errors.New("outside the workspace")
	ErrInvalid     = errors.New("not a usable path")
	ErrNotFound    = errors.New("no such file")
	ErrNotRegular  = tree.ErrNotRegular
	ErrNotWritable = errors.New("not writable")
	ErrTooLarge    = errors.New("too large")
	ErrTooMany     = errors.New("too many files")
	ErrChanged     = errors.New("changed meanwhile")
	ErrNotApplied  = errors.New("not applied")
	ErrUnknown     = errors.New("not known whether it was applied")
	// ErrUnsaved says that an editor has changes of the file that are not on disk.
	ErrUnsaved = errors.New("not saved")
	// ErrNoFileOperations says that an editor cannot delete or move files: the disk is to be changed.
	ErrNoFileOperations = errors.New("no file operations")
	ErrTooWide          = errors.New("too wide for a workspace")
	ErrLocked           = errors.New("open in another process")
)

// problem is a sentence that also answers to errors.Is for one kind, without the kind's own words in it.
type problem struct {
	sentence string
	kind     error
}

func (p *problem) Error() string { return p.sentence }
func (p *problem) Unwrap() error { return p.kind }

// Fail makes an error of a kind from a sentence.
func Fail(kind error, format string, args ...any) error {
	return &problem{sentence: fmt.Sprintf(format, args...), kind: kind}
}

// Workspace is one folder, held open for the session. Its methods may be called concurrently.
type Workspace struct {
	root    string // links followed
	given   string // as it was named, absolute: editors may use this name
	key     string
	dir     tree.Root
	own     []string // those folders where Assent keeps what the user said that this one holds or lies in
	buffers Buffers
	denied  *atomic.Pointer[func() *Denials]
	known   *known
	draft   *tree.Draft // nil: it is no draft
	moment  *moment     // nil: each walk asks whether folders changed
}

// Open opens a folder as a workspace. The folder is held: if another one takes its place, this one stays in use.
// A nil b means NoBuffers. The caller closes the workspace. ErrTooWide: see Check.
func Open(root string, b Buffers) (*Workspace, error) {
	given, resolved, err := resolveFolder(root)
	if err != nil {
		return nil, err
	}
	dir, err := os.OpenRoot(resolved)
	if err != nil {
		return nil, fmt.Errorf("open workspace %q: %w", root, err)
	}
	key, err := keyOf(resolved, dir)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open workspace %q: %w", root, err), dir.Close())
	}
	if b == nil {
		b = NoBuffers{}
	}
	return &Workspace{
		root: resolved, given: given, key: key, dir: tree.OnDisk(dir, resolved), own: ownFolders(resolved),
		buffers: b, denied: &atomic.Pointer[func() *Denials]{}, known: &known{},
	}, nil
}

// ownFolders are where Assent keeps what the user said, links followed as far as they exist, if they have to do with a
// workspace.
func ownFolders(root string) []string {
	var folders []string
	if state, err := StateFolder(); err == nil {
		folders = append(folders, RealName(state))
	}
	if config, err := os.UserConfigDir(); err == nil {
		folders = append(folders, RealName(filepath.Join(config, "assent")))
	}
	return slices.DeleteFunc(folders, func(folder string) bool {
		_, inside := below(root, folder)
		_, around := below(folder, root)
		return !inside && !around
	})
}

// Check says why a folder cannot be a workspace, or nil: it is missing, or ErrTooWide, being the root of a disk, the
// user's home or above it. There Assent's own files and all secrets would be in reach of its tools.
func Check(root string) error {
	_, _, err := resolveFolder(root)
	return err
}

// resolveFolder returns the absolute path of a folder, as it was named and with links followed.
func resolveFolder(root string) (given, resolved string, err error) {
	given, err = filepath.Abs(root)
	if err == nil {
		resolved, err = filepath.EvalSymlinks(given)
	}
	if err != nil {
		return "", "", fmt.Errorf("open workspace %q: %w", root, err)
	}
	if isTooWide(resolved) {
		return "", "", Fail(ErrTooWide, "%q is too wide for a workspace: open a folder inside it.", resolved)
	}
	return given, resolved, nil
}

// isTooWide says whether a resolved folder is the root of a disk, the user's home or above it, by whatever name.
func isTooWide(resolved string) bool {
	if filepath.Dir(resolved) == resolved {
		return true
	}
	folder, err := os.Stat(resolved)
	if err != nil {
		return false
	}
	home, err := os.UserHomeDir()
	if err != nil || home == "" {
		return false
	}
	for _, at := range []string{filepath.Clean(home), RealName(home)} {
		for ; ; at = filepath.Dir(at) {
			if above, err := os.Stat(at); err == nil && os.SameFile(above, folder) {
				return true
			}
			if filepath.Dir(at) == at {
				break
			}
		}
	}
	return false
}

// below says whether path is dir or lies below it by its words alone, and returns what remains, slash-separated and
// not cleaned.
func below(dir, path string) (rest string, ok bool) {
	dir = strings.TrimSuffix(filepath.ToSlash(dir), "/")
	path = filepath.ToSlash(path)
	if path == dir {
		return "", true
	}
	return strings.CutPrefix(path, dir+"/")
}

// inside is below for the root by either of its names.
func (w *Workspace) inside(abs string) (rest string, ok bool) {
	if rest, ok = below(w.root, abs); ok {
		return rest, true
	}
	return below(w.given, abs)
}

// Close releases the folder.
func (w *Workspace) Close() error { return w.dir.Close() }

// Root is the absolute path of the folder, links followed.
func (w *Workspace) Root() string { return w.root }

// Name is the folder's own name.
func (w *Workspace) Name() string { return filepath.Base(w.root) }

// Key names this very folder: grants and trust are kept under it, if it is Lasting. Each Open of a folder whose key is
// not gives another key.
func (w *Workspace) Key() string { return w.key }

// Unsaved names the files, relative to the root and sorted, that Assent changed in a buffer and that are not saved.
func (w *Workspace) Unsaved() []string {
	var names []string
	for _, abs := range w.buffers.Unsaved() {
		if rel, ok := w.inside(abs); ok {
			names = append(names, rel)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
