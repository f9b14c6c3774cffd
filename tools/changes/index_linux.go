package changes

import (
	"bufio"
	"fmt"
	"maps"
	"path"
	"slices"

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
	f, err := fileIn(root, path.Join(folder, "index"), unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	var list index.Index
	if err := index.NewDecoder(bufio.NewReader(f)).Decode(&list); err != nil {
		return nil, fmt.Errorf("the index of git cannot be read: %w", err)
	}
	found := map[string]string{}
	for _, e := range list.Entries {
		rel := path.Join(path.Dir(folder), e.Name)
		if slices.ContainsFunc(wanted, func(w string) bool { return Within(w, rel) }) {
			found[rel] = fmt.Sprint(e.Hash, e.Mode, e.Stage, e.SkipWorktree)
		}
	}
	return found, nil
}
