package workspace

import "strings"

// Named says what the words of a path say of the file or folder there: that it is not to be changed unasked, since it is protected,
// itself or by what it lies in, or guarded; and whether it is a secret. The path has slashes, is relative to a workspace, and need
// not exist.
func Named(rel string, dir bool) (kept, secret bool) {
	lists := builtinLists()
	var folded []string
	for name := range strings.SplitSeq(rel, "/") {
		if name = fold(name); name == "" {
			continue
		}
		folded = append(folded, name)
		if protectedName(folded) != "" {
			kept = true
			_, is := lists.secret.match(folded)
			secret = secret || is
		}
	}
	// A folder with such a file can be a repository of git, which obeys the settings in it: see diskHolds.
	head := !dir && len(folded) > 0 && folded[len(folded)-1] == "head"
	return kept || head || NamedGuarded(rel), secret
}

// NamedGuarded reports whether the words of a path say that the file or folder there is guarded.
func NamedGuarded(rel string) bool {
	_, ok := builtinLists().guarded.matchPath(rel)
	return ok
}
