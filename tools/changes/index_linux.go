package changes

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/index"
	"golang.org/x/sys/unix"
)

// LosesHidden reports whether what a command did to a repository would lose files that commands do not see and that git
// tracks: git took them for deleted, and recorded that or wrote them anew. folder is the repository's, such as ".git".
func (list List) LosesHidden(l *Layer, folder string) (bool, error) {
	var hidden []string
	for _, h := range l.Hidden {
		if Within(path.Dir(folder), h) || path.Dir(folder) == "." {
			hidden = append(hidden, h)
		}
	}
	if len(hidden) == 0 {
		return false, nil
	}
	before, err := entries(l.Root, folder, hidden)
	if gone(err) {
		return false, nil // nothing is tracked
	}
	if err != nil || len(before) == 0 {
		return false, err
	}
	for _, o := range list.LeftOut {
		if _, tracked := before[o.Rel]; tracked {
			return true, nil
		}
	}
	after, err := entries(l.Upper, folder, hidden)
	if gone(err) {
		return false, nil // it is as it was
	}
	return !maps.Equal(before, after), err
}

// entries are those of a repository's index for some files, by their paths relative to the workspace.
func entries(root, folder string, wanted []string) (map[string]string, error) {
	list, err := readIndex(root, folder)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, e := range list {
		rel := path.Join(path.Dir(folder), e.Name)
		if slices.ContainsFunc(wanted, func(w string) bool { return Within(w, rel) }) {
			found[rel] = fmt.Sprint(e.Hash, e.Mode, e.Stage, e.SkipWorktree)
		}
	}
	return found, nil
}

// readIndex reads the index of a repository by its folder.
func readIndex(root, folder string) ([]*index.Entry, error) {
	f, err := fileIn(root, path.Join(folder, "index"), unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	var list index.Index
	if err := index.NewDecoder(bufio.NewReader(f)).Decode(&list); err != nil {
		return nil, fmt.Errorf("the index of git cannot be read: %w", err)
	}
	return list.Entries, nil
}

// Tracked says which files git may track in a workspace, as the disk has it: those in the index of a repository that
// they lie in. If an index cannot be read, as that of a worktree, which lies elsewhere, any file on the disk may be in
// it.
func Tracked(root string) func(rel string) bool {
	known := map[string]*tracked{}
	of := func(folder string) *tracked {
		if known[folder] == nil {
			known[folder] = readTracked(root, folder)
		}
		return known[folder]
	}
	return func(rel string) bool {
		for folder := path.Dir(rel); ; folder = path.Dir(folder) {
			if in := of(folder); in.unknown && onDisk(root, rel) || in.has(strings.TrimPrefix(rel, folder+"/")) {
				return true
			}
			if folder == "." {
				return false
			}
		}
	}
}

// tracked are the files of one repository.
type tracked struct {
	names   map[string]bool
	unknown bool // there is one, and its index cannot be read
}

// has reports whether a path, relative to the repository, is in the index, or in a repository that is.
func (t *tracked) has(rel string) bool {
	for at := rel; at != "." && len(t.names) > 0; at = path.Dir(at) {
		if t.names[at] {
			return true
		}
	}
	return false
}

// readTracked reads what git tracks of a folder, if it is that of a repository.
func readTracked(root, folder string) *tracked {
	disk, err := openTree(root)
	if err != nil {
		return &tracked{unknown: true}
	}
	defer disk.close()
	repository := path.Join(folder, ".git")
	is, err := disk.lstat(repository)
	switch {
	case err != nil:
		return &tracked{unknown: true}
	case is.missing() && folder == ".":
		return &tracked{unknown: inOther(filepath.Dir(root))}
	case is.missing():
		return &tracked{}
	case is.kind() != unix.S_IFDIR:
		return &tracked{unknown: true}
	}
	list, err := readIndex(root, repository)
	if gone(err) {
		return &tracked{}
	}
	t := &tracked{names: make(map[string]bool, len(list)), unknown: err != nil}
	for _, e := range list {
		t.names[e.Name] = true
	}
	return t
}

// inOther reports whether a folder lies in a repository.
func inOther(folder string) bool {
	for ; ; folder = filepath.Dir(folder) {
		if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil {
			return true
		}
		if folder == filepath.Dir(folder) {
			return false
		}
	}
}

func onDisk(root, rel string) bool {
	_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(rel)))
	return err == nil
}
