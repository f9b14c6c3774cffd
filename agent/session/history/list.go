package history

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/assent-ls/assent/tools/workspace"
)

// Chat is a chat in a list.
type Chat struct {
	Path    string
	Title   string // empty: nothing was asked yet
	Model   string // empty: none is named
	Root    string // of the workspace
	Changed time.Time
}

// Chats lists the chats that the index has and that may be read now, the newest first.
func (h *History) Chats(ctx context.Context) (chats []Chat, err error) {
	err = h.with(func(s *store) error {
		chats = nil
		return s.each(ctx, func(scan scanner) error {
			var c Chat
			var changed int64
			err := scan(&c.Path, &c.Title, &c.Model, &c.Root, &changed)
			c.Changed = time.Unix(0, changed)
			chats = append(chats, c)
			return err
		}, `SELECT path, title, model, root, changed FROM chats JOIN workspaces ON workspaces.id = chats.workspace
			ORDER BY changed DESC`)
	})
	folders := h.entered()
	defer folders.close()
	readable := chats[:0]
	for _, c := range chats {
		name, err := filepath.Rel(c.Root, c.Path)
		if err == nil && folders.at(c.Root).readable(filepath.ToSlash(name)) {
			readable = append(readable, c)
		}
	}
	return readable, err
}

// Gone takes a chat out of the index, if there is one, whose file is not there any more.
func (h *History) Gone(ctx context.Context, path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) || !h.Indexed() {
		return err
	}
	return h.with(func(s *store) error {
		w := s.writer()
		err := w.begin(ctx)
		if err == nil {
			err = w.remove(workspace.RealName(path))
		}
		return errors.Join(err, w.end(err == nil))
	})
}

// entered are places that were entered for one look at the index.
type entered struct {
	history *History
	places  map[string]*place
}

func (h *History) entered() entered { return entered{history: h, places: map[string]*place{}} }

// at is the place with a root. One that cannot be entered has no folder.
func (e entered) at(root string) *place {
	p := e.places[root]
	if p == nil {
		p = &place{root: root}
		if err := e.history.enter(p); err != nil {
			p.close()
			p = &place{root: root} // what is there is not found
		}
		e.places[root] = p
	}
	return p
}

func (e entered) close() {
	for _, p := range e.places {
		p.close()
	}
}

// readable reports whether a name is there and may be read now.
func (p *place) readable(name string) bool {
	if p.dir == nil || p.denied(name) {
		return false
	}
	info, err := p.dir.Lstat(filepath.FromSlash(name))
	return err == nil && info.Mode().IsRegular()
}
