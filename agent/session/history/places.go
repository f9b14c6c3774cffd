package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

// placesFile keeps where chats were saved.
const placesFile = "history.json"

const (
	maxPlaces = 10_000  // workspaces, and chats in none, that are kept
	maxChats  = 200_000 // of one workspace
)

// kept is what placesFile holds.
type kept struct {
	Workspaces []string `json:"workspaces"`
	Chats      []string `json:"chats"` // those that are in no workspace
}

// note keeps the place of a chat that was saved.
func (h *History) note(root, path string) error {
	place, list := path, func(k *kept) *[]string { return &k.Chats }
	if root != "" {
		place, list = workspace.RealName(root), func(k *kept) *[]string { return &k.Workspaces }
	}
	h.mu.Lock()
	known := h.noted[place]
	h.noted[place] = true
	h.mu.Unlock()
	if known {
		return nil
	}
	have, err := userstate.Load[kept](h.state, placesFile)
	if err != nil || slices.Contains(*list(&have), place) {
		return err
	}
	return userstate.Update(h.state, placesFile, func(k *kept) error {
		all := list(k)
		if !slices.Contains(*all, place) {
			*all = append(*all, place)
			*all = (*all)[max(0, len(*all)-maxPlaces):]
		}
		return nil
	})
}

// places are the folders whose chats are indexed: the roots of workspaces, and folders of chats that are in none.
type places struct {
	roots []string // resolved, sorted
	loose []string // paths of chats
}

// places lists them: where chats were saved, what the user trusts, the worktrees of both, and here.
func (h *History) places(ctx context.Context, here []string) (places, error) {
	have, err := userstate.Load[kept](h.state, placesFile)
	if err != nil {
		return places{}, err
	}
	trusted, err := userstate.Load[map[string]time.Time](h.state, "trust.json")
	if err != nil {
		return places{}, err
	}
	roots := have.Workspaces
	for key := range trusted {
		roots = append(roots, workspace.Folder(key))
	}
	roots = append(roots, here...)
	p := places{loose: have.Chats}
	for _, root := range roots {
		if ctx.Err() != nil {
			return p, ctx.Err()
		}
		root = workspace.RealName(root)
		p.roots = append(append(p.roots, root), worktrees(root)...)
	}
	slices.Sort(p.roots)
	p.roots = slices.Compact(p.roots)
	return p, nil
}

// owner is the deepest root that a path lies in; empty: none.
func (p places) owner(path string) (root string) {
	for _, r := range p.roots {
		if strings.HasPrefix(path, strings.TrimSuffix(r, string(filepath.Separator))+string(filepath.Separator)) &&
			len(r) > len(root) {
			root = r
		}
	}
	return root
}

// of finds the place of a chat, and its name there.
func (p places) of(file string) (at *place, name string, ok bool) {
	real := workspace.RealName(file)
	if !transcript.IsChat(real) {
		return nil, "", false
	}
	if root := p.owner(real); root != "" {
		rel, err := filepath.Rel(root, real)
		return &place{root: root}, filepath.ToSlash(rel), err == nil
	}
	return &place{root: filepath.Dir(real), loose: true}, filepath.Base(real), true
}

// place is a folder with chats.
type place struct {
	root  string // resolved
	loose bool   // it is no workspace
	id    int64  // in the index

	dir       *os.Root
	workspace *workspace.Workspace // nil: loose, or too wide
}

// enter opens a place. fs.ErrNotExist: it is not there now.
func (h *History) enter(p *place) (err error) {
	if p.dir != nil {
		return nil
	}
	if p.dir, err = os.OpenRoot(p.root); err != nil || p.loose {
		return err
	}
	p.workspace, err = workspace.Open(p.root, workspace.NoBuffers{})
	if errors.Is(err, workspace.ErrTooWide) {
		p.workspace, p.loose = nil, true
		return nil
	}
	if err == nil && h.policy != nil {
		h.policy.Enter(p.workspace)
	}
	return err
}

func (p *place) close() {
	if p.workspace != nil {
		_ = p.workspace.Close() // only read
	}
	if p.dir != nil {
		_ = p.dir.Close()
	}
}

// denied reports whether a name may not be read now, or is no name of a file that tools could mean.
func (p *place) denied(name string) bool {
	if p.workspace == nil {
		return false
	}
	_, err := p.workspace.Resolve(name)
	return errors.Is(err, workspace.ErrDenied)
}

// chatFolder is where new chats of a workspace are made, whatever a .gitignore says.
const chatFolder = ".assent/chats"

// in lists at most so many chats of some folders by name, with their file information. more: others were left out.
func (p *place) in(ctx context.Context, folders []string, most int) (found map[string]fs.FileInfo, more bool) {
	found = map[string]fs.FileInfo{}
	for _, folder := range folders {
		f, err := diskfile.OpenFolderIn(p.dir, folder)
		if err != nil {
			continue // it is gone, or cannot be read: so are its chats
		}
		for err == nil && ctx.Err() == nil {
			var entries []fs.DirEntry
			entries, err = f.ReadDir(1000)
			for _, e := range entries {
				if !transcript.IsChat(e.Name()) || !e.Type().IsRegular() {
					continue // a link leads to a chat that has a name of its own
				}
				if len(found) >= most {
					return found, errors.Join(f.Close()) == nil
				}
				if info, err := e.Info(); err == nil {
					found[path.Join(folder, e.Name())] = info
				}
			}
		}
		_ = f.Close() // only read
	}
	return found, false
}

// walked are all folders of a workspace that may hold chats.
func (p *place) walked(ctx context.Context) (folders []string, err error) {
	folders = []string{chatFolder, "."}
	top, err := p.workspace.Resolve("")
	if err != nil {
		return folders, err
	}
	err = p.workspace.Walk(ctx, top, func(at workspace.Path) error {
		if at.Dir && at.Rel != chatFolder {
			folders = append(folders, at.Rel)
		}
		return nil
	})
	if errors.Is(err, workspace.ErrTooMany) {
		return folders, fmt.Errorf("not all chats below %q are found: %w", p.root, err)
	}
	return folders, err
}
