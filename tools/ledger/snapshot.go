package ledger

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/workspace"
)

// The bounds of what is copied before a command runs.
const (
	maxCopied     = 64 << 20 // bytes of all files
	maxCopiedFile = 1 << 20  // bytes of one file
	maxCopies     = 20_000   // files

	clockStep = 2 * time.Second // by which the times of files may be behind
)

// Copy is what the files of a workspace held before a command ran, within bounds: files on disk that no .gitignore
// excludes and that are not protected.
type Copy struct {
	ws    *workspace.Workspace
	began time.Time
	files map[string]copied // by relative path
	whole bool              // no file is missing in files
}

// copied is one file; of one that is too large only what tells that it changed is kept.
type copied struct {
	path workspace.Path
	info fs.FileInfo
	text *string
}

// Snapshot copies the files of a workspace, so that what a command changes can be told and undone. It holds the copies
// in memory.
func Snapshot(ctx context.Context, ws *workspace.Workspace) *Copy {
	c := &Copy{ws: ws, began: time.Now(), files: map[string]copied{}}
	room := maxCopied
	c.whole = c.walk(ctx, func(p workspace.Path, info fs.FileInfo) {
		f := copied{path: p, info: info}
		if info.Size() <= int64(min(room, maxCopiedFile)) {
			if data, err := ws.ReadDisk(ctx, p); err == nil && len(data) <= room {
				room -= len(data)
				f.text = new(string(data))
			}
		}
		c.files[p.Rel] = f
	})
	return c
}

// walk calls fn for the files that a copy has; false: not for all of them.
func (c *Copy) walk(ctx context.Context, fn func(workspace.Path, fs.FileInfo)) (whole bool) {
	root, err := c.ws.Resolve(".")
	if err != nil {
		return false
	}
	n := 0
	err = c.ws.Walk(ctx, root, func(p workspace.Path) error {
		if p.Dir {
			return nil
		}
		if n++; n > maxCopies {
			return errTooMany
		}
		if p.Protected != "" { // chats are written meanwhile, and secrets are copied nowhere
			return nil
		}
		if info, err := c.ws.Stat(p); err == nil && info.Mode().IsRegular() {
			fn(p, info)
		}
		return nil
	})
	return err == nil
}

var errTooMany = errors.New("more files than are copied")

// Changes compares the files with the copy: what changed, by path, and a sentence for each kind of change that cannot
// be undone because the copy lacks it.
func (c *Copy) Changes(ctx context.Context) (changes []Change, leftOut []string) {
	d := differences{copy: c, seen: map[string]bool{}}
	whole := c.walk(ctx, func(p workspace.Path, info fs.FileInfo) { d.look(ctx, p, info) })
	d.lookForGone()
	if d.rules || !c.whole {
		d.changes = slices.DeleteFunc(d.changes, func(ch Change) bool { return ch.Before == nil })
		d.old = append(d.old, d.fresh...)
	}
	say := func(format string, about any) { leftOut = append(leftOut, fmt.Sprintf(format, about)) }
	if len(d.lost) > 0 {
		say("Undo turn does not cover what this command did to %s: too large to be copied before.", some(d.lost))
	}
	if len(d.old) > 0 { // they may have been there before: then undoing would delete what is not the command's
		say("Undo turn does not delete %s: it is not known whether the command made it.", some(d.old))
	}
	if !whole || !c.whole {
		say("Undo turn covers what this command did to the first %d files of the workspace at most.", maxCopies)
	}
	slices.SortFunc(d.changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return d.changes, leftOut
}

// differences are what is found when the files are compared with a copy.
type differences struct {
	copy    *Copy
	changes []Change
	seen    map[string]bool // paths that are there
	fresh   []string        // files that the copy lacks
	old     []string        // those that are older than the copy
	lost    []string        // changed files that were not copied
	rules   bool            // other files may be ignored now
}

// look compares one file.
func (d *differences) look(ctx context.Context, p workspace.Path, info fs.FileInfo) {
	d.seen[p.Rel] = true
	before, known := d.copy.files[p.Rel]
	if known && diskfile.Same(before.info, info) {
		return
	}
	d.rules = d.rules || path.Base(p.Rel) == ".gitignore"
	data, err := d.copy.ws.ReadDisk(ctx, p)
	after := string(data)
	switch {
	case err != nil || known && before.text == nil || len(data) > maxCopiedFile && !known:
		d.lost = append(d.lost, p.Rel)
	case known:
		if after != *before.text {
			d.changes = append(d.changes, Change{Path: p.Abs, Before: before.text, After: &after})
		}
	case info.ModTime().Before(d.copy.began.Add(-clockStep)):
		d.old = append(d.old, p.Rel)
	default:
		d.changes = append(d.changes, Change{Path: p.Abs, After: &after})
		d.fresh = append(d.fresh, p.Rel)
	}
}

// lookForGone finds the files that are not there any more.
func (d *differences) lookForGone() {
	for rel, before := range d.copy.files {
		if d.seen[rel] {
			continue
		}
		if _, err := d.copy.ws.Stat(before.path); !errors.Is(err, fs.ErrNotExist) {
			continue // ignored since, or not looked at
		}
		d.rules = d.rules || path.Base(rel) == ".gitignore"
		if before.text == nil {
			d.lost = append(d.lost, rel)
			continue
		}
		d.changes = append(
			d.changes, Change{Path: before.path.Abs, Before: before.text, Mode: before.info.Mode().Perm()},
		)
	}
}

// some names a few of many files.
func some(paths []string) string {
	slices.Sort(paths)
	var names []string
	for _, p := range paths {
		names = append(names, strconv.Quote(p))
	}
	return excerpt.Names(names, 5)
}
