package tree

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
)

// The bounds of a draft.
const (
	maxFiles = 2_000
	maxText  = 64 << 20 // bytes of all texts, before and after
)

// ErrFull says that a draft cannot hold another change. The errors that wrap it say what to do.
var ErrFull = errors.New("too many changes")

// fullError is the sentence of an ErrFull.
type fullError string

func (e fullError) Error() string { return string(e) }
func (fullError) Unwrap() error   { return ErrFull }

// Draft is what is changed in memory alone. It may be used concurrently; who changes something holds Writing.
type Draft struct {
	Writing sync.Mutex // held from the check of a file to its change, so that no change is lost

	base   Root
	origin func(rel string) Origin

	mu      sync.RWMutex
	folders map[string]map[string]*entry // guarded by mu: by path of the folder, and name
	temps   map[string]*entry            // guarded by mu: by path, created and without a name of their own yet
	origins map[string]Origin            // guarded by mu: of all that was ever changed, by path
	texts   map[string]string            // guarded by mu: of open documents that were changed, by path
	names   map[string]string            // guarded by mu: paths of those documents, by the name of the editor
	removed map[string]bool              // guarded by mu: files that were deleted, made again or not
	size    int                          // guarded by mu: bytes of all texts
}

// NewDraft makes a draft over a folder. origin says what a file is there now.
func NewDraft(base Root, origin func(rel string) Origin) *Draft {
	return &Draft{
		base: base, origin: origin, folders: map[string]map[string]*entry{}, temps: map[string]*entry{},
		origins: map[string]Origin{}, texts: map[string]string{}, names: map[string]string{},
		removed: map[string]bool{},
	}
}

// Root is the folder as the draft has it. To close it does nothing.
func (t *Draft) Root() Root { return draftRoot{&draftFolder{tree: t, rel: ".", base: t.base}} }

// entry is a name in a draft. It is not changed after others can see it.
type entry struct {
	name  string
	gone  bool
	dir   bool
	text  string
	mode  fs.FileMode
	kept  bool // the mode is that of another file, or was set
	since time.Time
}

// Origin is what a file is before a draft changes it.
type Origin struct {
	Disk  *string     // nil: it is not there
	Shown *string     // in an editor; nil: none has it open
	Mode  fs.FileMode // of the file on disk
}

func (o Origin) size() int { return len(value(o.Disk)) + len(value(o.Shown)) }

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Change is what a draft made of one file. A move is a deletion and a making.
type Change struct {
	Rel string // slash-separated, relative to the root, links followed
	// Before is what the file held when the draft first changed it: in an open buffer, unsaved changes included, else
	// on disk; nil: it was not there. Of a deleted file it is what was on disk.
	Before *string
	After  *string     // nil: it is not there
	Mode   fs.FileMode // of a deleted file, or of a new one that has not that of new files; else 0
}

// find gives what a draft has of a path: nil, as the base has it. A path below a file is gone.
func (t *Draft) find(rel string) *entry {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if len(t.folders) == 0 || rel == "." {
		return nil
	}
	if e := t.folders[path.Dir(rel)][path.Base(rel)]; e != nil {
		return e
	}
	for at := path.Dir(rel); at != "."; at = path.Dir(at) {
		if e := t.folders[path.Dir(at)][path.Base(at)]; e != nil && !e.dir {
			return &entry{gone: true}
		}
	}
	return nil
}

// in gives what a draft has in a folder, by name.
func (t *Draft) in(folder string) map[string]*entry {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return maps.Clone(t.folders[folder])
}

// temp gives what was created under a path and has no name of its own yet.
func (t *Draft) temp(rel string) *entry {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.temps[rel]
}

// IsRemoved reports whether a file was deleted, made again or not.
func (t *Draft) IsRemoved(rel string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.removed[rel]
}

// Typed is the text of an open document that was changed, by the name that the editor has for it.
func (t *Draft) Typed(abs string) (string, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	text, changed := t.texts[t.names[abs]]
	return text, changed
}

// TypedNames are the names of the open documents that were changed.
func (t *Draft) TypedNames() []string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Collect(maps.Keys(t.names))
}

// SetText keeps the text of an open document.
func (t *Draft) SetText(rel, abs, text string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.grow(len(text) - len(t.texts[rel])); err != nil {
		return err
	}
	t.texts[rel], t.names[abs] = text, rel
	return nil
}

// put sets an entry and those of the folders above it. mu is held.
func (t *Draft) put(rel string, e *entry) {
	folder, name := path.Dir(rel), path.Base(rel)
	e.name = name
	if t.folders[folder] == nil {
		t.folders[folder] = map[string]*entry{}
	}
	if old := t.folders[folder][name]; old != nil {
		t.size -= len(old.text)
	}
	t.folders[folder][name] = e
	if folder == "." {
		return
	}
	if above := t.folders[path.Dir(folder)][path.Base(folder)]; above == nil {
		t.put(folder, newDraftFolder())
	}
}

func newDraftFolder() *entry {
	return &entry{dir: true, mode: fs.ModeDir | 0o755, since: time.Now()}
}

// Began notes what a file is before its first change.
func (t *Draft) Began(rel string) error {
	t.mu.RLock()
	_, known := t.origins[rel]
	count := len(t.origins)
	t.mu.RUnlock()
	if known {
		return nil
	}
	if count >= maxFiles {
		return fullError(fmt.Sprintf(
			"more than %d files would be changed before the user is asked: "+
				"end here, and change the rest after the user has answered", maxFiles,
		))
	}
	o := t.origin(rel)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.grow(o.size()); err != nil {
		return err
	}
	t.origins[rel] = o
	return nil
}

// grow makes room for some bytes. mu is held.
func (t *Draft) grow(bytes int) error {
	if t.size+bytes > maxText {
		return fullError(fmt.Sprintf(
			"the changes would hold more than %d MB of text before the user is asked: "+
				"end here, and change the rest after the user has answered", maxText>>20,
		))
	}
	t.size += bytes
	return nil
}

// take gives what was created a name, which must be free if it says so.
func (t *Draft) take(temp, rel string, free func() bool) error {
	if t.temp(temp) == nil {
		return fs.ErrNotExist
	}
	if free != nil && !free() {
		return fs.ErrExist
	}
	if err := t.Began(rel); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	e := *t.temps[temp]
	delete(t.temps, temp)
	t.put(rel, &e)
	return nil
}

// remove deletes a file that is there, or what was created and has no name.
func (t *Draft) remove(rel string, there, inBase bool) error {
	if e := t.temp(rel); e != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.size -= len(e.text)
		delete(t.temps, rel)
		return nil
	}
	if !there {
		return fs.ErrNotExist
	}
	if err := t.Began(rel); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.size -= len(t.texts[rel])
	delete(t.texts, rel)
	maps.DeleteFunc(t.names, func(_, at string) bool { return at == rel })
	t.removed[rel] = true
	t.put(rel, &entry{gone: true})
	if o := t.origins[rel]; !inBase && o.Disk == nil && o.Shown == nil { // nothing was there before, and nothing is now
		delete(t.origins, rel)
		delete(t.removed, rel)
		delete(t.folders[path.Dir(rel)], path.Base(rel))
	}
	return nil
}

// Changed lists what differs from the base, by path.
func (t *Draft) Changed() (all []Change) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for rel, o := range t.origins {
		c := Change{Rel: rel, Before: o.Disk}
		e := t.folders[path.Dir(rel)][path.Base(rel)]
		text, typed := t.texts[rel]
		switch {
		case typed:
			c.After = &text
		case e == nil: // it was not changed after all
			continue
		case e.gone, e.dir:
			c.Mode = o.Mode
		default:
			c.After = &e.text
		}
		if c.After != nil && o.Shown != nil && (*o.Shown != "" || o.Disk != nil) {
			c.Before = o.Shown
		}
		if c.Before == nil && e != nil && e.kept {
			c.Mode = e.mode.Perm()
		}
		if c.Before != c.After && (c.Before == nil || c.After == nil || *c.Before != *c.After) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b Change) int { return strings.Compare(a.Rel, b.Rel) })
	return all
}

// draftInfo describes an entry.
type draftInfo struct{ entry *entry }

func (i draftInfo) Name() string       { return i.entry.name }
func (i draftInfo) Size() int64        { return int64(len(i.entry.text)) }
func (i draftInfo) Mode() fs.FileMode  { return i.entry.mode }
func (i draftInfo) ModTime() time.Time { return i.entry.since }
func (i draftInfo) IsDir() bool        { return i.entry.dir }
func (i draftInfo) Sys() any           { return nil }
