package lsp

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/workspace"
)

// folders are the editor's workspace folders; each becomes a workspace when a chat in it first needs it.
type folders struct {
	buffers workspace.Buffers
	// These make what a workspace has, once for each.
	tools  func(folder string, ws *workspace.Workspace) *tools.Sources
	ledger func(ws *workspace.Workspace) *ledger.Ledger

	mu   sync.Mutex
	list []string              // guarded by mu, in the editor's order
	open map[string]openFolder // guarded by mu, by folder; of chats in no folder there is one without a name
}

// openFolder is a workspace, nil for chats in no folder, with its tools.
type openFolder struct {
	ws     *workspace.Workspace
	tools  *tools.Sources
	ledger *ledger.Ledger
}

func newFolders(
	b workspace.Buffers, first []protocol.WorkspaceFolder, tools func(folder string, ws *workspace.Workspace) *tools.Sources,
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

func (f *folders) remove(folders []protocol.WorkspaceFolder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, folder := range folders {
		if path, err := documents.PathOf(folder.URI); err == nil {
			f.list = slices.DeleteFunc(f.list, func(p string) bool { return p == path })
		}
	}
}

// of finds the workspace of a chat: the innermost folder that contains it; if none does, the only folder; else nil.
func (f *folders) of(chat string) (openFolder, error) {
	best := f.folderOf(chat)
	f.mu.Lock()
	defer f.mu.Unlock()
	if o, ok := f.open[best]; ok {
		return o, nil
	}
	var o openFolder
	if best != "" {
		ws, err := workspace.Open(best, f.buffers)
		if err != nil {
			return o, err
		}
		o.ws, o.ledger = ws, f.ledger(ws)
	}
	o.tools = f.tools(best, o.ws)
	f.open[best] = o
	return o, nil
}

// folderOf is the folder of a chat, or empty.
func (f *folders) folderOf(chat string) string {
	if best := f.holding(chat); best != "" {
		return best
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.list) == 1 {
		return f.list[0]
	}
	return ""
}

// holding is the innermost folder that contains a path, or is it; empty if none does.
func (f *folders) holding(path string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
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

func (f *folders) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
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
