package layers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"time"

	"github.com/assent-ls/assent/tools/changes"
)

// Taking is what of a command's work goes into the layer of its chat. It is found out before anything of that work is
// applied to the workspace, and done afterwards.
type Taking struct {
	chat      *Chat
	work      *changes.Layer
	selection *changes.Selection
	stale     map[string]bool // parts whose place on the disk somebody changed while the command ran
	hidden    []string        // parts of the layer that the command removed, with the folder that they lie in
}

// Take finds out what of a command's work may go into the layer: what may says yes to, with all that is in it.
func (c *Chat) Take(
	ctx context.Context, work *changes.Layer, may func(rel string, dir bool) bool,
) (*Taking, error) {
	selection, err := changes.Select(ctx, work, c.Folder(), may)
	if err != nil {
		return nil, err
	}
	t := &Taking{chat: c, work: work, selection: selection, stale: map[string]bool{}}
	for _, p := range selection.Parts() {
		t.stale[p.Rel] = t.isStale(p.Rel)
	}
	for rel := range c.record.Parts {
		if hidden, err := changes.Hides(work, rel); hidden || err != nil {
			t.hidden = append(t.hidden, rel)
		}
	}
	return t, nil
}

// Empty reports whether there is nothing to keep.
func (t *Taking) Empty() bool { return len(t.selection.Parts())+len(t.hidden) == 0 }

// isStale reports whether the command did not see what the disk has at a part.
func (t *Taking) isStale(rel string) bool {
	covering := t.chat.record.covering(rel)
	if covering == "" {
		now, err := changes.StampOf(t.chat.root, rel)
		if errors.Is(err, changes.ErrNoFolder) {
			return false // the command made the folder: it may be kept
		}
		return err != nil || !now.Last.Before(t.work.Began)
	}
	now, err := changes.StampOf(t.chat.root, covering)
	return err != nil || now.Sum != t.chat.record.Parts[covering].Stamp
}

// Has reports whether what the command did to a path goes into the layer.
func (t *Taking) Has(rel string) bool { return t.selection.Has(rel) }

// Parts are the outermost files and folders that go.
func (t *Taking) Parts() (rels []string) {
	for _, p := range t.selection.Parts() {
		rels = append(rels, p.Rel)
	}
	return rels
}

// Files is how many files and folders the command wrote or removed in them.
func (t *Taking) Files() (n int) {
	for _, p := range t.selection.Parts() {
		n += p.Files
	}
	return n
}

// Keep puts all of it into the layer. kept are the parts that are there now, and dropped sentences about what is not.
// Nothing of the command may run any more, and no later command of the chat may have begun. ErrInUse: another one runs.
func (t *Taking) Keep() (kept, dropped []string, err error) {
	c := t.chat
	if !exclusive(c.lock) {
		return nil, nil, ErrInUse
	}
	if why := c.read(c.record.Chat); why != "" {
		if err := empty(c.dir); err != nil {
			return nil, nil, err
		}
		c.record.Parts, c.record.Moving = map[string]part{}, nil
	}
	if err := os.Mkdir(c.files(), 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, nil, err
	}
	parts, gone, stale := t.begin()
	kept = slices.Sorted(maps.Keys(parts))
	c.record.Moving = slices.Concat(gone, kept)
	if err := c.record.write(c.dir); err != nil {
		return nil, nil, err
	}
	if err := errors.Join(c.drop(gone...), t.move(parts)); err != nil {
		return nil, nil, err // the next command of the chat drops what was begun
	}
	for _, rel := range kept {
		p := c.record.Parts[rel]
		if p.Files, p.Bytes, err = changes.Count(c.files(), rel); err != nil {
			return nil, nil, err
		}
		c.record.Parts[rel] = p
	}
	full, err := t.bound()
	if err != nil {
		return nil, nil, err
	}
	c.record.Moving = nil
	if err := c.record.write(c.dir); err != nil {
		return nil, nil, err
	}
	kept = slices.DeleteFunc(kept, func(rel string) bool { _, is := c.record.Parts[rel]; return !is })
	if len(stale) > 0 {
		dropped = append(dropped, fmt.Sprintf(
			"Somebody changed these in the workspace while the command ran, so what it built there is dropped: %s.",
			some(stale),
		))
	}
	if len(full) > 0 {
		dropped = append(dropped, fmt.Sprintf(
			"What tried commands of a chat build may have %d files and %d MB, in %d ignored folders or single files. "+
				"Dropped, the least recently used first: %s.",
			c.store.Files, c.store.Bytes/1e6, mostParts, some(full),
		))
	}
	c.store.prune(time.Now(), c.dir)
	return kept, dropped, nil
}

// begin notes the parts that will be there, with the parts of the command's work that go into each. gone are parts of
// the layer that go away, of which stale were changed on the disk.
func (t *Taking) begin() (parts map[string][]changes.Part, gone, stale []string) {
	c := t.chat
	parts = map[string][]changes.Part{}
	for _, p := range t.selection.Parts() {
		rel := cmp.Or(c.record.covering(p.Rel), p.Rel)
		now, err := changes.StampOf(c.root, rel)
		if t.stale[p.Rel] || err != nil {
			if stale = append(stale, p.Rel); c.record.covering(rel) != "" {
				gone = append(gone, rel)
			}
			continue
		}
		c.record.Parts[rel] = part{Stamp: now.Sum, Used: time.Now()}
		parts[rel] = append(parts[rel], p)
	}
	for rel := range c.record.Parts {
		if c.record.covering(path.Dir(rel)) != "" {
			delete(c.record.Parts, rel) // it is a part of that one now
		}
	}
	for _, rel := range t.hidden {
		if _, is := c.record.Parts[rel]; is && parts[rel] == nil {
			gone = append(gone, rel)
		}
	}
	for _, rel := range gone {
		delete(parts, rel)
	}
	slices.Sort(gone)
	return parts, slices.Compact(gone), stale
}

// move moves the work.
func (t *Taking) move(parts map[string][]changes.Part) error {
	for _, work := range parts {
		for _, p := range work {
			if err := t.selection.Take(t.work, p, t.chat.files()); err != nil {
				return fmt.Errorf("%s: %w", p.Rel, err)
			}
		}
	}
	return nil
}

// bound drops what is too much. What a command just wrote is the last to go.
func (t *Taking) bound() (dropped []string, err error) {
	c := t.chat
	files, bytes := c.record.size()
	for _, rel := range c.record.oldest() {
		if files <= c.store.Files && bytes <= c.store.Bytes && len(c.record.Parts) <= mostParts {
			break
		}
		files, bytes = files-c.record.Parts[rel].Files, bytes-c.record.Parts[rel].Bytes
		if err := c.drop(rel); err != nil {
			return nil, err
		}
		dropped = append(dropped, rel)
	}
	return dropped, nil
}
