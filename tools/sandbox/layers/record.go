package layers

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/excerpt"
)

// record is what is known of a layer. It is written before the layer is changed and afterwards.
type record struct {
	Root   string          `json:"root"`
	Folder string          `json:"folder"` // tells the workspace from another one in its place
	Chat   string          `json:"chat"`
	Parts  map[string]part `json:"parts"`            // by their paths in the workspace, none in another
	Moving []string        `json:"moving,omitempty"` // parts that are being changed: a crash leaves half of them
}

// part is what is known of a part.
type part struct {
	Stamp string    `json:"stamp"` // of the disk, see changes.StampOf
	Files int       `json:"files"`
	Bytes uint64    `json:"bytes"`
	Used  time.Time `json:"used"` // when a command last wrote in it
}

// mostRecord is how large a record may be, in bytes.
const mostRecord = 64 << 20

func readRecord(dir string) (r record, err error) {
	text, err := diskfile.ReadSmall(filepath.Join(dir, recordName), mostRecord)
	if err == nil && text == nil {
		err = os.ErrNotExist
	}
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return record{}, err
	}
	for rel := range r.Parts {
		if !filepath.IsLocal(rel) || path.Clean(rel) != rel || rel == "." || r.covering(path.Dir(rel)) != "" {
			return record{}, fmt.Errorf("%q is no part of a layer", rel)
		}
	}
	return r, nil
}

func (r record) write(dir string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, recordName)
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// covering is the part that a path is or lies in; empty: there is none.
func (r record) covering(rel string) string {
	for at := rel; at != "."; at = path.Dir(at) {
		if _, have := r.Parts[at]; have {
			return at
		}
	}
	return ""
}

// size is all of it.
func (r record) size() (files int, bytes uint64) {
	for _, p := range r.Parts {
		files, bytes = files+p.Files, bytes+p.Bytes
	}
	return files, bytes
}

// oldest are the parts, the one that was used least recently first.
func (r record) oldest() []string {
	rels := slices.Sorted(maps.Keys(r.Parts))
	slices.SortStableFunc(rels, func(a, b string) int { return r.Parts[a].Used.Compare(r.Parts[b].Used) })
	return rels
}

func (r record) info(dir string) Info {
	i := Info{Root: r.Root, Chat: r.Chat, Parts: slices.Sorted(maps.Keys(r.Parts))}
	i.Files, i.Bytes = r.size()
	if is, err := os.Lstat(filepath.Join(dir, recordName)); err == nil {
		i.Used = is.ModTime()
	}
	return i
}

// empty removes a layer and its record. What is a link is removed itself, never what it leads to.
func empty(dir string) error {
	files := filepath.Join(dir, filesName)
	if is, err := os.Lstat(files); err == nil && is.IsDir() {
		entries, err := os.ReadDir(files)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := changes.Drop(files, e.Name()); err != nil {
				return err
			}
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries { // among them what applying left
		if e.Name() != lockName {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// some names parts.
func some(rels []string) string {
	slices.Sort(rels)
	return excerpt.Names(rels, 5)
}
