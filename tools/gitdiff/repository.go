package gitdiff

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"

	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/workspace"
)

// repository reads the files of a repository, and nothing outside of its folder.
type repository struct {
	files  *os.Root
	packs  []*packfile.Packfile
	opened []*os.File
}

// open finds the repository whose root a folder is.
func open(root string) (*repository, error) {
	dir := filepath.Join(root, ".git")
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, errors.New("the workspace is not the root of a git repository")
	case err != nil:
		return nil, unreadable(err)
	case !info.IsDir(): // a worktree or a submodule
		return nil, errors.New("the git repository of the workspace lies outside of it, where nothing is read")
	}
	files, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unreadable(err)
	}
	r := &repository{files: files}
	if err := r.openPacks(); err != nil {
		r.close()
		return nil, unreadable(err)
	}
	return r, nil
}

func (r *repository) close() {
	for _, f := range r.opened {
		_ = f.Close() // it was only read
	}
	_ = r.files.Close()
}

// head lists the files of the last commit.
func (r *repository) head() (map[string]plumbing.Hash, error) {
	hash, err := r.resolve("HEAD")
	if err != nil {
		return nil, err
	}
	commit, err := r.read(plumbing.CommitObject, hash)
	if err != nil {
		return nil, err
	}
	tree, ok := strings.CutPrefix(commit, "tree ")
	if !ok || len(tree) < 40 {
		return nil, broken("a commit has no tree")
	}
	files := map[string]plumbing.Hash{}
	return files, r.tree(plumbing.NewHash(tree[:40]), "", 0, files)
}

// resolve follows a reference to its commit.
func (r *repository) resolve(name string) (plumbing.Hash, error) {
	for range 5 {
		text, err := r.text(name)
		switch to, symbolic := strings.CutPrefix(strings.TrimSpace(text), "ref: "); {
		case errors.Is(err, fs.ErrNotExist):
			return r.packed(name)
		case err != nil:
			return plumbing.ZeroHash, unreadable(err)
		case !symbolic && plumbing.IsHash(to):
			return plumbing.NewHash(to), nil
		case !symbolic:
			return plumbing.ZeroHash, broken("%s names no commit", name)
		case symbolic:
			name = to
		}
	}
	return plumbing.ZeroHash, broken("its references go in a circle")
}

// packed finds a reference that has no file of its own.
func (r *repository) packed(name string) (plumbing.Hash, error) {
	text, err := r.text("packed-refs")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return plumbing.ZeroHash, unreadable(err)
	}
	for line := range strings.Lines(text) {
		if hash, of, ok := strings.Cut(strings.TrimSpace(line), " "); ok && of == name && plumbing.IsHash(hash) {
			return plumbing.NewHash(hash), nil
		}
	}
	return plumbing.ZeroHash, errors.New("the git repository has no commit yet")
}

// open opens a regular file of the repository that has at most so many bytes.
func (r *repository) open(name string, most int64) (*os.File, error) {
	f, err := diskfile.OpenRegularIn(r.files, name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > most {
		err = diskfile.ErrTooLarge
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// text reads a small file of the repository.
func (r *repository) text(name string) (string, error) {
	data, err := diskfile.ReadSmallIn(r.files, name, workspace.MaxFile)
	return string(data), err
}

const maxDepth = 128

// tree adds the regular files of a tree; links and submodules have no text.
func (r *repository) tree(hash plumbing.Hash, folder string, depth int, files map[string]plumbing.Hash) error {
	text, err := r.read(plumbing.TreeObject, hash)
	if err != nil {
		return err
	}
	for text != "" {
		head, rest, ok := strings.Cut(text, "\x00")
		word, name, named := strings.Cut(head, " ")
		mode, err := filemode.New(word)
		if !ok || !named || err != nil || len(rest) < len(hash) {
			return broken("a tree is broken")
		}
		var child plumbing.Hash
		copy(child[:], rest)
		text, name = rest[len(child):], folder+name
		switch mode {
		case filemode.Dir:
			if depth == maxDepth {
				return broken("its folders are too deep")
			}
			if err := r.tree(child, name+"/", depth+1, files); err != nil {
				return err
			}
		case filemode.Empty, filemode.Symlink, filemode.Submodule:
		case filemode.Regular, filemode.Executable, filemode.Deprecated:
			if files[name] = child; len(files) > maxFiles {
				return fmt.Errorf("the git repository has more than %d files", maxFiles)
			}
		}
	}
	return nil
}

// tracked is a file as git saw it last.
type tracked struct {
	Hash plumbing.Hash
	size uint32
	when time.Time
}

// index lists the files that git tracks.
func (r *repository) index() (map[string]tracked, error) {
	f, err := r.open("index", maxIndexes)
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close() //nolint:errcheck // only read
	var list index.Index
	if err := index.NewDecoder(f).Decode(&list); err != nil {
		return nil, unreadable(err)
	}
	files := make(map[string]tracked, len(list.Entries))
	for _, e := range list.Entries {
		if e.Mode == filemode.Regular || e.Mode == filemode.Executable {
			files[e.Name] = tracked{e.Hash, e.Size, e.ModifiedAt}
		}
	}
	return files, nil
}

// unchanged reports whether a file is surely what git saw last.
func unchanged(path string, t tracked) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && t.size > 0 && info.Size() == int64(t.size) &&
		info.ModTime().Equal(t.when)
}

func unreadable(err error) error { return fmt.Errorf("the git repository cannot be read: %w", err) }

// broken is unreadable for what is wrong in the repository.
func broken(format string, args ...any) error { return unreadable(fmt.Errorf(format, args...)) }

// names are those of both, sorted.
func names(committed map[string]plumbing.Hash, index map[string]tracked) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(committed)), maps.Keys(index))
	slices.Sort(all)
	return slices.Compact(all)
}
