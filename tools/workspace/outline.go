package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// bulky folders hold generated or foreign files: an outline only counts them as one line.
var bulky = []string{
	"node_modules", "vendor", "third_party", "target", "dist", "build", "out", "__pycache__", "venv", ".venv", ".tox",
	".cache",
}

// guides are the files at the root that say most about a project, best first.
var guides = []string{
	"readme", "agents", "makefile", "go", "package", "pyproject", "cargo", "cmakelists", "pom", "requirements", "setup",
	"dockerfile",
}

// Outline lists the workspace in at most limit lines: paths relative to the root, most useful first (near the root,
// guides before others, hidden ones last), a folder whose files are not all listed as "src/ (12 files)", and a last
// line "… N more files" if any are left out. Chats are not listed. Equal folders give equal outlines.
func (w *Workspace) Outline(ctx context.Context, limit int) string {
	files, folders, more := survey(ctx, w)
	files = mostUseful(files)
	if len(files)+len(empty(folders)) <= limit && !more {
		return strings.Join(append(files, empty(folders)...), "\n")
	}
	return strings.Join(shorten(files, folders, limit, more), "\n")
}

// mostUseful sorts files, the most useful first.
func mostUseful(files []string) []string {
	type ranked struct {
		file string
		rank int
	}
	all := make([]ranked, len(files))
	for i, file := range files {
		all[i] = ranked{file, usefulness(file)}
	}
	slices.SortStableFunc(
		all, func(a, b ranked) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.file, b.file)) },
	)
	sorted := make([]string, len(files))
	for i, r := range all {
		sorted[i] = r.file
	}
	return sorted
}

// folder is one folder at the root with the number of files in it.
type folder struct {
	path  Path
	name  string
	files int
	more  bool // it has more files than were counted
	bulky bool
}

// line describes a folder in one line.
func (f folder) line() string {
	switch {
	case f.bulky || f.files == 0:
		return f.name + "/"
	case f.more:
		return fmt.Sprintf("%s/ (more than %d files)", f.name, f.files)
	case f.files == 1:
		return f.name + "/ (1 file)"
	}
	return fmt.Sprintf("%s/ (%d files)", f.name, f.files)
}

// survey returns the files worth a line, and the folders at the root, sorted. In a large workspace each folder gets an
// equal share of what is looked at; more says that the root itself has more than that.
func survey(ctx context.Context, w *Workspace) (files []string, folders []folder, more bool) {
	b := helpBudget()
	share := *b
	// A walk that was cut short gives the outline of what was seen; the tools still reach the rest.
	err := w.walk(ctx, w.rootPath(), b, func(p Path) error {
		if p.Dir {
			folders = append(folders, folder{path: p, name: p.Rel, bulky: slices.Contains(bulky, p.Rel)})
			return fs.SkipDir
		}
		if p.Protected == "" {
			files = append(files, p.Rel)
		}
		return nil
	})
	for i := range folders {
		if f := &folders[i]; !f.bulky {
			files = append(
				files,
				surveyFolder(
					ctx, w, f, &budget{names: share.names / len(folders), matches: share.matches / len(folders)},
				)...,
			)
		}
	}
	return files, folders, errors.Is(err, ErrTooMany)
}

// surveyFolder counts a folder and returns its files, as far as its budget goes.
func surveyFolder(ctx context.Context, w *Workspace, f *folder, b *budget) (files []string) {
	err := w.walk(ctx, f.path, b, func(p Path) error {
		if p.Dir {
			if slices.Contains(bulky, path.Base(p.Rel)) {
				return fs.SkipDir
			}
		} else if p.Protected == "" {
			files = append(files, p.Rel)
		}
		return nil
	})
	f.files, f.more = len(files), errors.Is(err, ErrTooMany)
	return files
}

func empty(folders []folder) []string {
	var lines []string
	for _, f := range folders {
		if f.bulky || f.files == 0 {
			lines = append(lines, f.name+"/")
		}
	}
	return lines
}

// shorten lists the files at the root and the folders with their counts, then fills up with files below.
func shorten(files []string, folders []folder, limit int, partly bool) []string {
	var lines []string
	nested := files
	for i, f := range files {
		if strings.Contains(f, "/") {
			nested = files[i:]
			break
		}
		lines, nested = append(lines, f), files[i+1:]
	}
	more := "…"
	if partly {
		more = "… more than"
	}
	for _, f := range folders {
		lines = append(lines, f.line())
		if f.more {
			more = "… more than"
		}
	}
	room := max(0, limit-1)
	if len(lines) > room {
		left := len(lines) - room
		return append(lines[:room], fmt.Sprintf("%s %d more", more, left+len(nested)))
	}
	taken := min(len(nested), room-len(lines))
	lines = append(lines, nested[:taken]...)
	if left := len(nested) - taken; left > 0 {
		lines = append(lines, fmt.Sprintf("%s %d more files", more, left))
	}
	return lines
}

// usefulness ranks a file; lower is more useful.
func usefulness(rel string) int {
	depth := strings.Count(rel, "/")
	rank := 100 * depth
	base := strings.ToLower(path.Base(rel))
	if at := slices.Index(guides, stem(base)); at >= 0 {
		return rank + at
	}
	if strings.HasPrefix(rel, ".") || strings.Contains(rel, "/.") {
		return rank + 10_000
	}
	return rank + len(guides)
}
