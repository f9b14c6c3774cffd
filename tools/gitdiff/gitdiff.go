// Package gitdiff says what changed in a workspace since the last commit of its git repository. It reads git's own
// files: no program is started, so that nothing which a repository configures (filters, drivers, hooks) runs.
package gitdiff

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/workspace"
)

const (
	maxFiles = 200_000 // in a commit
	maxNamed = 50      // names in one list

	maxCompared = 8 << 20 // bytes of a file, before and after together
)

// Since shows what changed since the last commit in about limit bytes: files that differ, and the names of those that
// git does not know. What rules deny and what is protected is left out. An error is a sentence. It is empty where
// nothing changed.
func Since(ctx context.Context, ws *workspace.Workspace, limit int) (string, error) {
	return inBackground(ctx, func() (string, error) { return since(ctx, ws, limit) })
}

// Committed is the text that the last commit has of a file, by its path relative to the root. An error is a sentence.
func Committed(ctx context.Context, ws *workspace.Workspace, rel string) (string, error) {
	return inBackground(ctx, func() (string, error) {
		repo, err := open(ws.Root())
		if err != nil {
			return "", err
		}
		defer repo.close()
		files, err := repo.head()
		if err != nil {
			return "", err
		}
		hash, ok := files[rel]
		if !ok {
			return "", fmt.Errorf("the last commit has no %s", rel)
		}
		return repo.read(plumbing.BlobObject, hash)
	})
}

// inBackground reads a repository beside its caller: the library knows no contexts, and may not have met every broken
// repository.
func inBackground(ctx context.Context, read func() (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			if p := recover(); p != nil {
				r.err = broken("%v", p)
			}
			done <- r
		}()
		r.text, r.err = read()
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func since(ctx context.Context, ws *workspace.Workspace, limit int) (string, error) {
	repo, err := open(ws.Root())
	if err != nil {
		return "", err
	}
	defer repo.close()
	committed, err := repo.head()
	if err != nil {
		return "", err
	}
	tracked, err := repo.index()
	if err != nil {
		return "", err
	}
	s := shown{ctx: ctx, ws: ws, limit: limit}
	unsaved := ws.Unsaved()
	for _, name := range names(committed, tracked) {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if len(s.short) > maxNamed { // what is looked at is not shown any more
			break
		}
		entry, known := tracked[name]
		was, stood := committed[name]
		if known && stood && entry.Hash == was &&
			unchanged(filepath.Join(ws.Root(), filepath.FromSlash(name)), entry) && !slices.Contains(unsaved, name) {
			continue
		}
		before := ""
		if stood {
			if before, err = repo.read(plumbing.BlobObject, was); err != nil {
				return "", err
			}
		}
		s.file(name, before, stood)
	}
	s.untracked(committed, tracked)
	return s.text(), nil
}

// shown collects what is shown.
type shown struct {
	ctx     context.Context //nolint:containedctx // of one call
	ws      *workspace.Workspace
	limit   int
	diffs   strings.Builder
	short   []string // changed, and not shown
	unknown []string // files that git does not know
	hidden  int      // denied or protected
}

// file adds one file that may have changed.
func (s *shown) file(name, before string, stood bool) {
	p, err := s.ws.Resolve(name)
	if err != nil || p.Protected != "" || p.Rel != name {
		if errors.Is(err, workspace.ErrDenied) || err == nil {
			s.hidden++
		}
		return
	}
	if !p.Exists {
		if stood {
			s.add(name, fmt.Sprintf("deleted: %s\n", name))
		}
		return
	}
	file, err := s.ws.Read(s.ctx, p)
	after := file.Content()
	switch {
	case err != nil, len(before)+len(after) > maxCompared:
		s.short = append(s.short, name)
	case !strings.Contains(before, "\r") && strings.ReplaceAll(after, "\r\n", "\n") == before:
		// git writes the line ends of the system
	case file.Binary || strings.Contains(before, "\x00"):
		s.add(name, fmt.Sprintf("changed, and no text: %s\n", name))
	default:
		s.add(name, edit.Diff(name, before, after))
	}
}

// add shows a change if there is room.
func (s *shown) add(name, text string) {
	if s.diffs.Len()+len(text) > s.limit {
		s.short = append(s.short, name)
		return
	}
	s.diffs.WriteString(text)
}

// untracked lists the files that git does not know.
func (s *shown) untracked(committed map[string]plumbing.Hash, tracked map[string]tracked) {
	root, err := s.ws.Resolve("")
	if err != nil {
		return
	}
	// What cannot be walked stays unlisted.
	_ = s.ws.Walk(s.ctx, root, func(p workspace.Path) error {
		_, inCommit := committed[p.Rel]
		_, inIndex := tracked[p.Rel]
		if !p.Dir && p.Protected == "" && !inCommit && !inIndex {
			if len(s.unknown) <= maxNamed { // the last one is not named
				s.unknown = append(s.unknown, p.Rel)
			}
		}
		return s.ctx.Err()
	})
}

func (s *shown) text() string {
	var b strings.Builder
	b.WriteString(s.diffs.String())
	list := func(what string, names []string) {
		if len(names) == 0 {
			return
		}
		b.WriteString(what + strings.Join(names[:min(len(names), maxNamed)], ", "))
		if len(names) > maxNamed {
			b.WriteString(", …")
		}
		b.WriteByte('\n')
	}
	list("Changed too, and not shown here: ", s.short)
	list("New, and not known to git: ", s.unknown)
	if s.hidden > 0 {
		fmt.Fprintf(&b, "Left out, because they are denied or protected: %d of the changed files.\n", s.hidden)
	}
	return b.String()
}
