package runner

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/assent-ls/assent/tools/workspace"
)

// buffers are documents with unsaved changes in an editor that deletes and moves no files.
type buffers struct {
	workspace.NoBuffers

	root string

	mu   sync.Mutex
	text map[string]string // guarded by mu, by absolute path
}

// newBuffers opens the files that an editor shows otherwise than the disk has them.
func newBuffers(root string, onDisk, shown map[string]string) *buffers {
	b := &buffers{root: root, text: map[string]string{}}
	for name, text := range shown {
		if onDisk[name] != text {
			b.text[b.path(name)] = text
		}
	}
	return b
}

func (b *buffers) path(name string) string { return filepath.Join(b.root, filepath.FromSlash(name)) }

// Text implements workspace.Buffers.
func (b *buffers) Text(abs string) (text string, open bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text, open = b.text[abs]
	return text, open
}

// Replace implements workspace.Buffers.
func (b *buffers) Replace(_ context.Context, abs, before, after string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.text[abs] != before {
		return workspace.ErrChanged
	}
	b.text[abs] = after
	return nil
}

// Open implements workspace.Buffers.
func (b *buffers) Open() []string { return b.Unsaved() }

// Unsaved implements workspace.Buffers.
func (b *buffers) Unsaved() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(maps.Keys(b.text))
}

// over are the files as the user sees them. What somebody wrote to the disk behind the editor's back is shown as the
// disk has it, since one of both is lost.
func (b *buffers) over(onDisk, first map[string]string) map[string]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := maps.Clone(onDisk)
	for name, text := range first {
		open, isOpen := b.text[b.path(name)]
		if disk, there := onDisk[name]; isOpen && there && disk == text {
			out[name] = open
		}
	}
	return out
}
