package ledger

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools/workspace"
)

// What is kept of a workspace. The oldest turns go first.
const (
	maxTexts = 256 << 20 // bytes of all texts
	maxFiles = 20_000    // files in all turns
	maxTurns = 200
	maxAge   = 30 * 24 * time.Hour

	maxStored = 4 * workspace.MaxFile // bytes of a text or an index that is read
)

// bound gives up the oldest turns until what is left is within the bounds. It returns the sizes of all texts.
func (s store) bound(x *index) (map[string]int64, error) {
	sizes, err := s.sizes()
	if err != nil {
		return nil, err
	}
	for len(x.Turns) > 1 &&
		(len(x.Turns) > maxTurns || x.files() > maxFiles || time.Since(x.Turns[0].Began) > maxAge ||
			total(x.refs(), sizes) > maxTexts) {
		x.forgetOldest()
	}
	return sizes, nil
}

// forget deletes the texts that nothing names any more. The index before stays until the next time: the state file
// still names it.
func (s store) forget(x index, sizes map[string]int64, indexes ...ref) {
	kept := x.refs()
	for _, name := range indexes {
		kept[name] = true
	}
	for name := range sizes {
		if !kept[ref(name)] {
			_ = os.Remove(filepath.Join(s.texts, name)) // the next time, else
		}
	}
}

// forgetOthers deletes the ledgers of workspaces in which nothing was changed for long: perhaps they are not there any
// more.
func (s store) forgetOthers() {
	names, err := filepath.Glob(filepath.Join(s.state.Dir(), "changes-*.json"))
	if err != nil {
		return
	}
	for _, name := range names {
		info, err := os.Lstat(name)
		if err != nil || filepath.Base(name) == s.name || time.Since(info.ModTime()) < maxAge {
			continue
		}
		id := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), "changes-"), ".json")
		for _, old := range []string{filepath.Join(s.state.Dir(), "changes", id), name, name + ".lock"} {
			_ = os.RemoveAll(old) // the next time, else
		}
	}
}

// sizes are those of the texts on disk, by name.
func (s store) sizes() (map[string]int64, error) {
	entries, err := os.ReadDir(s.texts)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	sizes := make(map[string]int64, len(entries))
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			sizes[e.Name()] = info.Size()
		}
	}
	return sizes, nil
}

// files counts the changed files of all turns.
func (x *index) files() int {
	n := 0
	for _, t := range x.Turns {
		n += len(t.Files)
	}
	return n
}

// forgetOldest gives up the oldest turn, and the review of files that no other turn changed.
func (x *index) forgetOldest() {
	gone := x.Turns[0].Files
	x.Turns = x.Turns[1:]
	still := map[string]bool{}
	for _, t := range x.Turns {
		for _, f := range t.Files {
			still[f.Path] = true
		}
	}
	for _, f := range gone {
		if !still[f.Path] {
			delete(x.Files, f.Path)
		}
	}
}

// refs are the texts that the index names.
func (x *index) refs() map[ref]bool {
	refs := map[ref]bool{}
	for _, f := range x.Files {
		refs[f.Base], refs[f.Last] = true, true
	}
	for _, t := range x.Turns {
		for _, f := range t.Files {
			refs[f.From], refs[f.To] = true, true
			for _, s := range f.Steps {
				refs[s.Before], refs[s.After] = true, true
			}
		}
	}
	return refs
}

func total(refs map[ref]bool, sizes map[string]int64) int64 {
	var n int64
	for r := range refs {
		n += sizes[string(r)]
	}
	return n
}
