package layers

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"time"

	"github.com/assent-ls/assent/tools/changes"
)

// Chat is the layer of one chat while a command of it runs.
type Chat struct {
	store   Store
	dir     string
	lock    *os.File
	root    string
	record  record
	dropped []string
}

// Open opens the layer of a chat for a command. What the workspace has changed since, what git does not ignore any
// more, and what a crash left half done is dropped, see Dropped. The error says why the command sees none.
func (s Store) Open(root, chat string, ignored func(rel string, dir bool) bool) (*Chat, error) {
	s = s.withDefaults()
	c := &Chat{store: s, dir: s.of(root, chat), root: root}
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return nil, err
	}
	var err error
	if c.lock, err = lockOf(c.dir); err != nil {
		return nil, err
	}
	if err := c.open(chat, ignored); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// open reads the layer, and leaves it locked so that others can have it, too.
func (c *Chat) open(chat string, ignored func(rel string, dir bool) bool) error {
	alone := exclusive(c.lock)
	if !alone && !shared(c.lock) {
		return ErrInUse
	}
	if alone {
		if err := changes.Finish(c.dir); err != nil {
			return err
		}
	}
	why := c.read(chat)
	wrong := map[string][]string{}
	for rel := range c.record.Parts {
		if why := c.wrong(rel, ignored); why != "" {
			wrong[why] = append(wrong[why], rel)
		}
	}
	switch {
	case why == "" && len(wrong) == 0:
	case !alone:
		return ErrInUse // it cannot be changed below a view
	case why != "":
		if err := empty(c.dir); err != nil {
			return err
		}
		c.record.Parts = map[string]part{}
		c.dropped = append(c.dropped, "What tried commands of this chat built is dropped: "+why+".")
	default:
		for _, why := range slices.Sorted(maps.Keys(wrong)) {
			if err := c.drop(wrong[why]...); err != nil {
				return err
			}
			c.dropped = append(c.dropped, fmt.Sprintf(
				"Of what tried commands of this chat built this is dropped, since %s: %s.", why, some(wrong[why]),
			))
		}
		c.record.Moving = nil
		if err := c.record.write(c.dir); err != nil {
			return err
		}
	}
	if !alone {
		return nil
	}
	now := time.Now()
	_ = os.Chtimes(filepath.Join(c.dir, recordName), now, now) // it is used, if there is one
	if !shared(c.lock) {
		return ErrInUse
	}
	if again, err := readRecord(c.dir); err == nil && !reflect.DeepEqual(again, c.record) {
		return ErrInUse // between the two locks somebody else had it
	}
	return nil
}

// read reads the record. why says why nothing of the layer counts, if there is one.
func (c *Chat) read(chat string) (why string) {
	r, err := readRecord(c.dir)
	fresh := record{Root: c.root, Folder: identity(c.root), Chat: chat, Parts: map[string]part{}}
	c.record = fresh
	is, filesErr := os.Lstat(filepath.Join(c.dir, filesName))
	switch {
	case errors.Is(err, os.ErrNotExist) && errors.Is(filesErr, os.ErrNotExist):
		return ""
	case err != nil:
		return "its record cannot be read"
	case filesErr != nil || !is.IsDir():
		return "its folder was replaced or removed"
	case r.Root != fresh.Root || r.Chat != fresh.Chat || r.Folder != fresh.Folder:
		return "the workspace is another folder now"
	}
	if r.Parts != nil {
		c.record = r
	}
	return ""
}

// wrong says why a part does not count any more; empty: it does.
func (c *Chat) wrong(rel string, ignored func(rel string, dir bool) bool) string {
	if slices.Contains(c.record.Moving, rel) {
		return "it was not wholly written"
	}
	if !ignored(rel, false) && !ignored(rel, true) {
		return "git does not ignore it any more"
	}
	if now, err := changes.StampOf(c.root, rel); err != nil || now.Sum != c.record.Parts[rel].Stamp {
		return "the workspace has changed there"
	}
	return ""
}

// drop takes parts out of the layer. Its caller writes the record.
func (c *Chat) drop(rels ...string) error {
	for _, rel := range rels {
		if err := changes.Drop(c.files(), rel); err != nil {
			return fmt.Errorf("%s: %w", rel, err)
		}
		delete(c.record.Parts, rel)
	}
	return nil
}

func (c *Chat) files() string { return filepath.Join(c.dir, filesName) }

// Folder is the layer, for the view of the command; empty: there is nothing in it. It stays as it is until Close.
func (c *Chat) Folder() string {
	if len(c.record.Parts) == 0 {
		return ""
	}
	return c.files()
}

// Above are the folders of the workspace that the layer has only since something in them is ignored: a view shows them
// as the disk has them.
func (c *Chat) Above() []string {
	all := map[string]bool{}
	for rel := range c.record.Parts {
		for at := path.Dir(rel); at != "."; at = path.Dir(at) {
			all[at] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// Parts are the outermost ignored folders and files in it.
func (c *Chat) Parts() []string { return slices.Sorted(maps.Keys(c.record.Parts)) }

// Dropped are sentences about what Open dropped.
func (c *Chat) Dropped() []string { return c.dropped }

// Leave makes all of the layer ready to go into the workspace: whatever becomes of it, the next command of the chat
// sees none of it. It returns what is there as if a command had just written it; a crash while that is applied is made
// good before the layer is opened again. ErrInUse: a command of the chat runs.
func (c *Chat) Leave() (*changes.Layer, error) {
	if !exclusive(c.lock) {
		return nil, ErrInUse
	}
	if why := c.read(c.record.Chat); why != "" || len(c.record.Parts) == 0 {
		return nil, errors.New("it is not there any more")
	}
	for _, rel := range c.Above() { // the workspace's own folders stay as they are
		is, err := os.Lstat(filepath.Join(c.root, filepath.FromSlash(rel)))
		if err == nil {
			err = os.Chmod(filepath.Join(c.files(), filepath.FromSlash(rel)), is.Mode().Perm())
		}
		if err != nil {
			return nil, err
		}
	}
	c.record.Moving = c.Parts()
	if err := c.record.write(c.dir); err != nil {
		return nil, err
	}
	now, err := changes.Clock(c.dir)
	if err == nil {
		now, err = changes.Later(c.dir, now)
	}
	return &changes.Layer{Root: c.root, Upper: c.files(), Began: now}, err
}

// Remove removes all of the layer, which Leave made ready.
func (c *Chat) Remove() error { return empty(c.dir) }

// Close ends the use of the layer.
func (c *Chat) Close() { _ = c.lock.Close() }
