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
	"time"

	"github.com/assent-ls/assent/tools/workspace"
)

// walkPause is how long the folders of a workspace count as known: walking it takes far longer than to look at those
// that hold chats.
const walkPause = 10 * time.Minute

// maxProblems bounds what is said about one refresh.
const maxProblems = 20

// refresh is one comparison of the index with the files.
type refresh struct {
	history  *History
	store    *store
	now      time.Time
	places   places
	problems []string
	todo     []changed
	gone     []string
	entered  []*place
}

// changed is a chat that the index does not hold as it is.
type changed struct {
	at   *place
	name string
	when time.Time
}

func (r *refresh) run(ctx context.Context, here []string) (err error) {
	if r.places, err = r.history.places(ctx, here); err != nil {
		return err
	}
	defer func() {
		for _, p := range r.entered {
			p.close()
		}
	}()
	have, err := r.store.known(ctx)
	if err != nil {
		return err
	}
	for _, root := range r.places.roots {
		if err := r.look(ctx, &place{root: root}, nil, have); err != nil {
			return err
		}
	}
	for folder, names := range r.looseFolders() {
		if err := r.look(ctx, &place{root: folder, loose: true}, names, have); err != nil {
			return err
		}
	}
	for file := range have { // of no place that is searched now
		if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
			r.gone = append(r.gone, file)
		}
	}
	return r.write(ctx)
}

// write takes over what was found, the oldest first, so that the newest are at the end of the index.
func (r *refresh) write(ctx context.Context) error {
	slices.SortStableFunc(r.todo, func(a, b changed) int { return a.when.Compare(b.when) })
	w := r.store.writer()
	for _, file := range r.gone {
		err := w.begin(ctx)
		if err == nil {
			err = w.remove(file)
		}
		if err != nil {
			return errors.Join(err, w.end(false))
		}
	}
	for _, c := range r.todo {
		err := ctx.Err()
		if err == nil {
			err = w.take(ctx, c.at, c.name)
		}
		switch {
		case err == nil:
		case errors.Is(err, errLeftOut) && codeOf(err) == 0:
			r.problem(err)
		case ctx.Err() != nil:
			return errors.Join(ctx.Err(), w.end(true))
		default:
			return errors.Join(err, w.end(false))
		}
	}
	err := errors.Join(w.end(true), r.history.settle(""))
	if w.indexd >= batchChats {
		r.store.tidy()
	}
	return err
}

func (r *refresh) problem(err error) {
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, err.Error())
	}
}

// looseFolders are the folders of chats that are in no workspace, with their names.
func (r *refresh) looseFolders() map[string][]string {
	folders := map[string][]string{}
	for _, file := range r.places.loose {
		if real := workspace.RealName(file); r.places.owner(real) == "" {
			folders[filepath.Dir(real)] = append(folders[filepath.Dir(real)], filepath.Base(real))
		}
	}
	return folders
}

// look finds what changed in a place. only: nothing but these names; nil: all. What is looked at is taken out of have.
func (r *refresh) look(ctx context.Context, p *place, only []string, have map[string]known) error {
	if err := r.history.enter(p); err != nil {
		p.close()
		return workspace.IgnoreMissing(ignorePermission(err)) // its chats are looked for by themselves
	}
	before := len(r.todo)
	defer func() {
		if len(r.todo) > before {
			r.entered = append(r.entered, p)
		} else {
			p.close()
		}
	}()
	folders, walked, err := r.folders(ctx, p, have)
	if err != nil {
		return err
	}
	found, more := p.in(ctx, folders, r.history.most)
	if err := ctx.Err(); err != nil {
		return err
	}
	if more {
		r.problem(fmt.Errorf("%q holds more than %d chats: the others are left out", p.root, r.history.most))
	}
	for name, info := range found {
		file := filepath.Join(p.root, filepath.FromSlash(name))
		if r.places.owner(file) != p.root && !p.loose || only != nil && !slices.Contains(only, name) {
			continue
		}
		k, known := have[file]
		delete(have, file)
		if known && k.size == info.Size() && k.changed == info.ModTime().UnixNano() && (!walked || !p.denied(name)) {
			continue
		}
		r.todo = append(r.todo, changed{p, name, info.ModTime()})
	}
	if walked {
		return r.store.mark(p.root, r.now)
	}
	return nil
}

// folders are those of a place that are looked into: after a while all, else those in which there were chats.
func (r *refresh) folders(ctx context.Context, p *place, have map[string]known) (
	folders []string, walked bool, err error,
) {
	if p.workspace == nil {
		return []string{"."}, false, nil
	}
	last, err := r.store.walked(p.root)
	if err != nil {
		return nil, false, err
	}
	if r.now.Sub(last) >= walkPause || last.After(r.now) {
		folders, err = p.walked(ctx)
		if err != nil && ctx.Err() == nil {
			r.problem(err)
			err = nil
		}
		return folders, true, err
	}
	folders = []string{chatFolder, "."}
	for file := range have {
		rel, err := filepath.Rel(p.root, file)
		if err == nil && filepath.IsLocal(rel) {
			folders = append(folders, path.Dir(filepath.ToSlash(rel)))
		}
	}
	slices.Sort(folders)
	return slices.Compact(folders), false, nil
}

// known is what the index holds of all chats, by path.
func (s *store) known(ctx context.Context) (map[string]known, error) {
	have := map[string]known{}
	err := s.each(ctx, func(scan scanner) error {
		var file string
		var k known
		err := scan(&file, &k.size, &k.changed)
		have[file] = k
		return err
	}, "SELECT path, size, changed FROM chats")
	return have, err
}

// walked says when the folders of a workspace were last listed.
func (s *store) walked(root string) (when time.Time, err error) {
	var seconds int64
	err = s.db.QueryRow("SELECT coalesce(max(walked), 0) FROM workspaces WHERE root = ?", root).Scan(&seconds)
	return time.Unix(seconds, 0), err
}

// mark keeps when they were.
func (s *store) mark(root string, when time.Time) error {
	_, err := s.db.Exec(
		`INSERT INTO workspaces(root, repository, walked) VALUES(?, ?, ?)
			ON CONFLICT(root) DO UPDATE SET walked = excluded.walked`,
		root, repository(root), when.Unix(),
	)
	return err
}

func ignorePermission(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
