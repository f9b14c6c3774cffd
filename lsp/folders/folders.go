// Package folders has the workspaces of an editor: its folders with their tools, and its open documents as their
// buffers.
package folders

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/guidance/relevant"
	"github.com/assent-ls/assent/agent/session"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/tasks"
	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/workspace"
)

// Folders are the editor's workspace folders; each becomes a workspace when a chat in it first needs it.
type Folders struct {
	buffers workspace.Buffers
	// These make what a workspace has, once for each.
	tools  func(folder string, ws *workspace.Workspace) session.Tooling
	ledger func(ws *workspace.Workspace) *ledger.Ledger

	ending tasks.Group // of the tools of folders that are gone

	mu   sync.Mutex
	list []string               // guarded by mu, in the editor's order
	open map[string]Folder      // guarded by mu, by folder; of chats in no folder there is one without a name
	left []*workspace.Workspace // guarded by mu: of folders that are gone; a run may still read in them
}

// Folder is a workspace, nil for chats in no folder, with its tools.
type Folder struct {
	session.Tooling

	Folder    string // of the editor; empty: none
	Workspace *workspace.Workspace
	Ledger    *ledger.Ledger
	Words     *relevant.Words // of its files
}

func New(
	b workspace.Buffers, first []protocol.WorkspaceFolder,
	tools func(folder string, ws *workspace.Workspace) session.Tooling,
	ledger func(ws *workspace.Workspace) *ledger.Ledger,
) *Folders {
	f := &Folders{buffers: b, tools: tools, ledger: ledger, open: map[string]Folder{}}
	f.Add(first)
	return f
}

func (f *Folders) Add(folders []protocol.WorkspaceFolder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, folder := range folders {
		if path, err := documents.PathOf(folder.URI); err == nil && !slices.Contains(f.list, path) {
			f.list = append(f.list, path)
		}
	}
}

// Paths are the folders as they are now.
func (f *Folders) Paths() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.list)
}

// Remove forgets folders, and ends what runs for them, such as their servers. It does not wait for the end.
func (f *Folders) Remove(folders []protocol.WorkspaceFolder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, folder := range folders {
		path, err := documents.PathOf(folder.URI)
		if err != nil {
			continue
		}
		f.list = slices.DeleteFunc(f.list, func(p string) bool { return p == path })
		if o, ok := f.open[path]; ok {
			delete(f.open, path)
			f.left = append(f.left, o.Workspace)
			if !f.ending.Go(o.Tools.Close) {
				o.Tools.Close() // the server ends
			}
		}
	}
}

// Of finds the workspace of a chat: the innermost folder that contains it; if none does, the only folder; else nil.
func (f *Folders) Of(chat string) (Folder, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	best := f.folderFor(chat)
	if o, ok := f.open[best]; ok {
		return o, nil
	}
	if best == "" {
		o := Folder{Tooling: f.tools("", nil)}
		f.open[""] = o
		return o, nil
	}
	ws, err := workspace.Open(best, f.buffers)
	if err != nil {
		return Folder{}, err
	}
	o := Folder{
		Tooling: f.tools(best, ws), Folder: best, Workspace: ws, Ledger: f.ledger(ws), Words: &relevant.Words{},
	}
	f.open[best] = o
	return o, nil
}

// Opened is the workspace that holds a file, if something has needed it already.
func (f *Folders) Opened(file string) (Folder, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o, ok := f.open[f.innermost(file)]
	return o, ok
}

// FolderOf is the folder of a chat, or empty.
func (f *Folders) FolderOf(chat string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.folderFor(chat)
}

// folderFor is folderOf; mu is held.
func (f *Folders) folderFor(chat string) string {
	if best := f.innermost(chat); best != "" || len(f.list) != 1 {
		return best
	}
	return f.list[0]
}

// Holding is the innermost folder that contains a path, or is it; empty if none does.
func (f *Folders) Holding(path string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.innermost(path)
}

// innermost is holding; mu is held.
func (f *Folders) innermost(path string) string {
	best := ""
	for _, folder := range f.list {
		if contains(folder, path) && len(folder) > len(best) {
			best = folder
		}
	}
	return best
}

// Relative is a path as people know it: below its folder.
func (f *Folders) Relative(path string) string {
	rel, err := filepath.Rel(f.Holding(path), path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// First is where a new chat goes when no document says: the first folder.
func (f *Folders) First() (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.list) == 0 {
		return "", false
	}
	return f.list[0], true
}

// All are the workspaces of all folders, and what chats in no folder have; that alone is there without a folder.
func (f *Folders) All() (list []Folder) {
	f.mu.Lock()
	names := slices.Clone(f.list)
	outside, used := f.open[""]
	f.mu.Unlock()
	for _, name := range names {
		if o, err := f.Of(name); err == nil { // what is wrong with a folder is told where it is used
			list = append(list, o)
		}
	}
	if len(names) == 0 && !used {
		outside, _ = f.Of("")
	}
	if len(names) == 0 || used {
		list = append(list, outside)
	}
	return list
}

func (f *Folders) Close() {
	f.ending.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, ws := range f.left {
		_ = ws.Close() // only read from
	}
	for _, o := range f.open {
		o.Tools.Close()
		if o.Workspace != nil {
			_ = o.Workspace.Close() // only read from
		}
	}
	clear(f.open)
}

// contains reports whether a path lies in a folder, by whole names.
func contains(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
