//go:build amd64 || arm64

package sandbox

import (
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/workspace"
)

// draftName is the folder of the files of a draft, in the private folder of a command.
const draftName = "draft"

// addDraft lays the changes of a draft over the workspace: what it made and changed is a layer of its own, and what it
// deleted is not there. What commands do not see of the workspace they do not see of the draft.
func (o *order) addDraft(list []workspace.DraftChange) error {
	if len(list) == 0 {
		return nil
	}
	o.Draft = filepath.Join(o.Private, draftName)
	if err := os.Mkdir(o.Draft, 0o700); err != nil {
		return err
	}
	kept := slices.Concat(o.Mask.Hidden, o.Mask.Covered, o.Mask.Cut)
	for _, c := range list {
		if !ShowsDrafted(c.Rel) ||
			slices.ContainsFunc(kept, func(folder string) bool { return changes.Within(folder, c.Rel) }) {
			continue
		}
		info, err := os.Lstat(filepath.Join(o.Root, filepath.FromSlash(c.Rel)))
		switch {
		case c.After != nil:
			mode := c.Mode.Perm()
			if err == nil && info.Mode().IsRegular() {
				mode = info.Mode().Perm()
			} else if mode == 0 {
				mode = 0o644
			}
			if err := o.draft(c.Rel, *c.After, mode); err != nil {
				return err
			}
		case err == nil && info.Mode().IsRegular():
			o.Mask.Hidden = append(slices.Clip(o.Mask.Hidden), c.Rel)
		}
	}
	return nil
}

// draft writes one file of the layer, in folders that look as those of the workspace.
func (o *order) draft(rel, text string, mode os.FileMode) error {
	at := filepath.Join(o.Draft, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	for dir := path.Dir(rel); dir != "."; dir = path.Dir(dir) {
		if exists(filepath.Join(o.Root, filepath.FromSlash(dir))) && !slices.Contains(o.Mask.Above, dir) {
			o.Mask.Above = append(o.Mask.Above, dir)
		}
	}
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		return err
	}
	return os.Chmod(at, mode)
}
