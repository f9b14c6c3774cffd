// Package layers owns what tried commands built: a layer for each chat of what they wrote to files that git ignores.
// Later commands of the chat see it between the workspace and what they write themselves, so that no build starts from
// scratch. It is in no workspace, and holds nothing that a person typed.
//
// A layer is right only over the disk that it was written over. So each of its parts, the outermost ignored folders and
// files, has a stamp of what the disk had in its place, and is dropped once that is another one.
package layers

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/assent-ls/assent/tools/changes"
)

// Store has the layers of all chats, in a folder that no command sees. The zero bounds are the defaults.
type Store struct {
	Folder string
	Files  int           // of the layer of one chat, folders included
	Bytes  uint64        // of the disk, of the layer of one chat
	Total  uint64        // of the disk, of all layers
	Unused time.Duration // after which a layer is removed
}

// The bounds if Store says nothing.
const (
	mostFiles = 300_000
	mostParts = 10_000
	mostBytes = 4_000_000_000
	mostTotal = 16_000_000_000
	unusedFor = 14 * 24 * time.Hour
)

// Info is what there is of the layer of one chat.
type Info struct {
	Root, Chat string // the workspace, and what names the chat
	Used       time.Time
	Files      int
	Bytes      uint64
	Parts      []string // the outermost ignored folders and files
}

// What lies in the folder of a chat.
const (
	lockName   = "lock"       // shared while a view has the layer, exclusive while it changes
	recordName = "layer.json" // see record
	filesName  = "files"      // the layer
)

// ErrInUse says that something else uses or changes the layer of the chat at this moment.
var ErrInUse = errors.New("another command of this chat is running")

// of is the folder of a chat.
func (s Store) of(root, chat string) string {
	sum := sha256.Sum256([]byte(root + "\x00" + chat))
	return filepath.Join(s.Folder, hex.EncodeToString(sum[:16]))
}

func (s Store) withDefaults() Store {
	s.Files, s.Unused = cmp.Or(s.Files, mostFiles), cmp.Or(s.Unused, unusedFor)
	s.Bytes, s.Total = cmp.Or(s.Bytes, mostBytes), cmp.Or(s.Total, mostTotal)
	return s
}

// List lists the layers, the one used last first.
func (s Store) List() ([]Info, error) {
	if s.Folder == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(s.Folder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var all []Info
	for _, e := range entries {
		dir := filepath.Join(s.Folder, e.Name())
		r, err := readRecord(dir)
		if err != nil || len(r.Parts) == 0 {
			continue // it is empty, or removed before the next command of its chat
		}
		all = append(all, r.info(dir))
	}
	slices.SortFunc(all, func(a, b Info) int { return b.Used.Compare(a.Used) })
	return all, nil
}

// Part is what there is of one part of a layer.
type Part struct {
	Rel   string
	Files int
	Bytes uint64
}

// Of lists the parts of the layer of a chat, and gives a sum that tells them from what they were before.
func (s Store) Of(root, chat string) (parts []Part, sum string) {
	r, err := readRecord(s.of(root, chat))
	if err != nil || r.Root != root || r.Chat != chat {
		return nil, ""
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, ""
	}
	for _, rel := range slices.Sorted(maps.Keys(r.Parts)) {
		parts = append(parts, Part{rel, r.Parts[rel].Files, r.Parts[rel].Bytes})
	}
	hash := sha256.Sum256(text)
	return parts, hex.EncodeToString(hash[:])
}

// Has reports whether a chat has a layer.
func (s Store) Has(root, chat string) bool {
	_, err := os.Lstat(filepath.Join(s.of(root, chat), recordName))
	return err == nil
}

// Remove removes the layer of a chat. There need be none.
func (s Store) Remove(root, chat string) error { return remove(s.of(root, chat)) }

// remove removes a layer that nothing uses.
func remove(dir string) error {
	lock, err := lockOf(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer lock.Close() //nolint:errcheck // it holds nothing but the lock
	if !exclusive(lock) {
		return ErrInUse
	}
	if err := changes.Finish(dir); err != nil {
		return err
	}
	return errors.Join(empty(dir), os.Remove(lock.Name()), os.Remove(dir))
}

// prune removes the layers that were not used for long, and the oldest of what is too much.
func (s Store) prune(now time.Time, but string) {
	all, err := s.List()
	if err != nil {
		return // the next time is soon enough
	}
	total := uint64(0)
	for _, i := range all {
		total += i.Bytes
		if dir := s.of(i.Root, i.Chat); dir != but && (total > s.Total || now.Sub(i.Used) > s.Unused) &&
			remove(dir) == nil {
			total -= i.Bytes
		}
	}
}
