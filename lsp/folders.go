package lsp

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/agent/guidance/relevant"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/mcp"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/workspace"
)

// folders are the editor's workspace folders; each becomes a workspace when a chat in it first needs it.
type folders struct {
	buffers workspace.Buffers
	// These make what a workspace has, once for each.
	tools  func(folder string, ws *workspace.Workspace) openFolder
	ledger func(ws *workspace.Workspace) *ledger.Ledger

	ending sync.WaitGroup // of the tools of folders that are gone

	mu   sync.Mutex
	list []string               // guarded by mu, in the editor's order
	open map[string]openFolder  // guarded by mu, by folder; of chats in no folder there is one without a name
	left []*workspace.Workspace // guarded by mu: of folders that are gone; a run may still read in them
}

// openFolder is a workspace, nil for chats in no folder, with its tools.
type openFolder struct {
	folder  string // of the editor; empty: none
	ws      *workspace.Workspace
	tools   *tools.Sources
	servers *mcp.Source        // one of the sources of tools; nil: there is none
	sandbox runcommand.Sandbox // of its commands; nil: there is none
	ledger  *ledger.Ledger
	words   *relevant.Words // of its files
}

func newFolders(
	b workspace.Buffers, first []protocol.WorkspaceFolder, tools func(folder string, ws *workspace.Workspace) openFolder,
	ledger func(ws *workspace.Workspace) *ledger.Ledger,
) *folders {
	f := &folders{buffers: b, tools: tools, ledger: ledger, open: map[string]openFolder{}}
	f.add(first)
	return f
}

func (f *folders) add(folders []protocol.WorkspaceFolder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, folder := range folders {
		if path, err := documents.PathOf(folder.URI); err == nil && !slices.Contains(f.list, path) {
			f.list = append(f.list, path)
		}
	}
}

// paths are the folders as they are now.
func (f *folders) paths() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.list)
}

// remove forgets folders, and ends what runs for them, such as their servers. It does not wait for the end.
func (f *folders) remove(folders []protocol.WorkspaceFolder) {
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
			f.left = append(f.left, o.ws)
			f.ending.Go(o.tools.Close)
		}
	}
}

// of finds the workspace of a chat: the innermost folder that contains it; if none does, the only folder; else nil.
func (f *folders) of(chat string) (openFolder, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	best := f.folderFor(chat)
	if o, ok := f.open[best]; ok {
		return o, nil
	}
	if best == "" {
		o := f.tools("", nil)
		f.open[""] = o
		return o, nil
	}
	ws, err := workspace.Open(best, f.buffers)
	if err != nil {
		return openFolder{}, err
	}
	o := f.tools(best, ws)
	o.folder, o.ws, o.ledger, o.words = best, ws, f.ledger(ws), &relevant.Words{}
	f.open[best] = o
	return o, nil
}

// folderOf is the folder of a chat, or empty.
func (f *folders) folderOf(chat string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.folderFor(chat)
}

// folderFor is folderOf; mu is held.
func (f *folders) folderFor(chat string) string {
	if best := f.innermost(chat); best != "" || len(f.list) != 1 {
		return best
	}
	return f.list[0]
}

// holding is the innermost folder that contains a path, or is it; empty if none does.
func (f *folders) holding(path string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.innermost(path)
}

// innermost is holding; mu is held.
func (f *folders) innermost(path string) string {
	best := ""
	for _, folder := range f.list {
		if contains(folder, path) && len(folder) > len(best) {
			best = folder
		}
	}
	return best
}

// relative is a path as people know it: below its folder.
func (f *folders) relative(path string) string {
	rel, err := filepath.Rel(f.holding(path), path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// first is where a new chat goes when no document says: the first folder.
func (f *folders) first() (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.list) == 0 {
		return "", false
	}
	return f.list[0], true
}

// all are the workspaces of all folders, and what chats in no folder have; that alone is there without a folder.
func (f *folders) all() (list []openFolder) {
	f.mu.Lock()
	names := slices.Clone(f.list)
	outside, used := f.open[""]
	f.mu.Unlock()
	for _, name := range names {
		if o, err := f.of(name); err == nil { // what is wrong with a folder is told where it is used
			list = append(list, o)
		}
	}
	if len(names) == 0 && !used {
		outside, _ = f.of("")
	}
	if len(names) == 0 || used {
		list = append(list, outside)
	}
	return list
}

func (f *folders) close() {
	f.ending.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, ws := range f.left {
		_ = ws.Close() // only read from
	}
	for _, o := range f.open {
		o.tools.Close()
		if o.ws != nil {
			_ = o.ws.Close() // only read from
		}
	}
	clear(f.open)
}

// contains reports whether a path lies in a folder, by whole names.
func contains(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
