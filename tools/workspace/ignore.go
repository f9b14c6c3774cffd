package workspace

import (
	"cmp"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"github.com/assent-ls/assent/tools/workspace/tree"
)

const (
	maxIgnoreFile = 1 << 20 // bytes
	ignoreFile    = ".gitignore"
	excludeFile   = ".git/info/exclude"
	maxRules      = 20_000 // in force in one folder; of more the first count
)

// skipped are the folders that no walk enters.
var skipped = []string{".git", ".hg", ".svn", ".jj", ".assent"}

// rules are the ignore rules in force in a folder, later ones stronger. Rules of git's global file are not read.
type rules []gitignore.Pattern

// inFolder is with for a folder whose names are known.
func (r rules) inFolder(root tree.Directory, dir string, names []fs.DirEntry) rules {
	if _, has := slices.BinarySearchFunc(
		names, ignoreFile, func(d fs.DirEntry, name string) int { return cmp.Compare(d.Name(), name) },
	); !has && dir != "." {
		return r
	}
	return r.with(root, dir)
}

// with adds the .gitignore of a folder (below the root, "." for the root) to the rules above it.
func (r rules) with(root tree.Directory, dir string) rules {
	if dir == "." {
		r = append(r, editorFiles()...)
	}
	return r.withGit(root, dir)
}

// withGit is with by git's rules alone.
func (r rules) withGit(root tree.Directory, dir string) rules {
	var own rules
	if dir == "." {
		own = readIgnore(root, excludeFile, nil)
	}
	own = append(own, readIgnore(root, path.Join(dir, ignoreFile), split(dir))...)
	if len(own) == 0 {
		return r
	}
	all := slices.Concat(r, own)
	return all[:min(len(all), maxRules)]
}

// editorFiles are what Vim and Emacs keep beside the files that somebody edits: swap files, backups, saved text, locks.
// A .gitignore may bring them back.
func editorFiles() rules {
	var out rules
	for _, pattern := range []string{".*.sw[a-p]", "*~", "#*#", ".#*"} {
		out = append(out, gitignore.ParsePattern(pattern, nil))
	}
	return out
}

// ignores says whether a path is ignored, given that the folders above it are not.
func (r rules) ignores(rel string, dir bool) bool {
	names := split(rel)
	for _, pattern := range slices.Backward(r) {
		switch pattern.Match(names, dir) {
		case gitignore.Exclude:
			return true
		case gitignore.Include:
			return false
		case gitignore.NoMatch:
		}
	}
	return false
}

// Ignores gives what says about a file, by its path relative to the root, whether the rules of this moment ignore it or
// a folder that it lies in.
func (w *Workspace) Ignores() func(rel string) bool {
	ignores := ignoring(w, rules.with, skipped)
	return func(rel string) bool { return ignores(rel, false) }
}

// GitIgnores is Ignores by git's rules alone, for files and folders: what editors keep beside files, and folders that
// no walk enters, count as any other. The rules of the root are read now, those of a folder when something in it is
// first asked about.
func GitIgnores(w *Workspace) func(rel string, dir bool) bool {
	ignores := ignoring(w, rules.withGit, nil)
	ignores(ignoreFile, false)
	return ignores
}

// ignoring says whether a path is ignored, or a folder that it lies in. add adds the rules of a folder.
func ignoring(
	w *Workspace, add func(above rules, root tree.Directory, dir string) rules, skips []string,
) func(rel string, dir bool) bool {
	type known struct {
		rules   rules
		ignored bool
	}
	folders := map[string]known{}
	var in func(dir string) known
	in = func(dir string) known {
		k, have := folders[dir]
		if have {
			return k
		}
		if dir != "." {
			above := in(path.Dir(dir))
			k = known{
				above.rules,
				above.ignored || slices.Contains(skips, fold(path.Base(dir))) || above.rules.ignores(dir, true),
			}
		}
		if !k.ignored {
			k.rules = add(k.rules, w.dir, dir)
		}
		folders[dir] = k
		return k
	}
	return func(rel string, dir bool) bool {
		k := in(path.Dir(rel))
		return k.ignored || k.rules.ignores(rel, dir)
	}
}

func split(rel string) []string {
	if rel == "." {
		return nil
	}
	return strings.Split(rel, "/")
}

// readIgnore reads one file of rules; one that is missing or cannot be read has none.
func readIgnore(root tree.Directory, name string, domain []string) rules {
	f, err := root.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close() //nolint:errcheck // only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(f, maxIgnoreFile))
	if err != nil {
		return nil
	}
	var read rules
	for line := range strings.Lines(string(data)) {
		if len(read) == maxRules {
			break
		}
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		read = append(read, gitignore.ParsePattern(line, domain))
	}
	return read
}
