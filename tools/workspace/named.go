package workspace

import (
	"slices"
	"strings"
)

// Named says what the words of a path say about the file or folder there: that it is not to be changed unasked, since
// it is protected, itself or by what it lies in, or guarded; and whether it is a secret. The path has slashes, is
// relative to a workspace, and need not exist.
func Named(rel string, dir bool) (kept, secret bool) {
	lists := builtinLists()
	var last string
	for folded := range foldedNames(rel) {
		last = folded[len(folded)-1]
		if protectedName(folded) != "" {
			kept = true
			_, is := lists.secret.match(folded)
			secret = secret || is
		}
	}
	// A folder with such a file can be a repository of git, which obeys the settings in it: see diskHolds.
	head := !dir && last == "head"
	return kept || head || NamedGuarded(rel), secret
}

// NamedGuarded reports whether the words of a path say that the file or folder there is guarded.
func NamedGuarded(rel string) bool {
	_, ok := builtinLists().guarded.matchPath(rel)
	return ok
}

// gitsOwn are the protected names whose files git must read to work. Of those in its folder, see [GitSettings].
var gitsOwn = []string{".git", ".gitmodules", ".gitattributes"}

// Asked reports whether the words of a path say that reading the file or folder there is asked about; git's own files
// are left out.
func Asked(rel string) bool {
	for folded := range foldedNames(rel) {
		_, listed := builtinLists().protected.match(folded)
		if _, template := builtinLists().templates.match(folded); listed && !template {
			return !slices.Contains(gitsOwn, folded[len(folded)-1])
		}
	}
	return false
}

// GitSettings reports whether a path is a file of settings in git's folder: they name programs that git starts, and
// addresses that may hold passwords.
func GitSettings(rel string) bool {
	names := strings.Split(FoldPath(rel), "/")
	last := names[len(names)-1]
	return slices.Contains(names, ".git") && (last == "config" || last == "config.worktree")
}

// AskedPatterns are patterns of all names that Asked knows: "*" stands for a part of a name, "**/" and "/**" for any
// folders.
func AskedPatterns() []string {
	var out []string
	for _, name := range builtinLists().askedNames {
		out = append(out, "**/"+name, "**/"+name+"/**")
	}
	return out
}
