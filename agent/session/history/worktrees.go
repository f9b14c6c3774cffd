package history

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/workspace"
)

const (
	maxGitFile   = 8 << 10 // bytes of a file that names a folder
	maxWorktrees = 1_000
)

// repository is what the worktrees of one repository have in common: the folder of its data. It is the root itself
// where there is no repository. See gitrepository-layout(5).
func repository(root string) string {
	git := filepath.Join(root, ".git")
	info, err := os.Lstat(git)
	switch {
	case err != nil:
		return root
	case info.IsDir():
		return git
	}
	own := gitFolder(root)
	if own == "" {
		return root
	}
	common := firstLine(filepath.Join(own, "commondir"))
	if common == "" {
		return root // a submodule has no other worktrees here
	}
	if !filepath.IsAbs(common) {
		common = filepath.Join(own, common)
	}
	common = workspace.RealName(common)
	// only what names this very folder in return is believed: a repository may be somebody else's
	if named := firstLine(filepath.Join(own, "gitdir")); filepath.Dir(own) != filepath.Join(common, "worktrees") ||
		workspace.RealName(filepath.Dir(named)) != root {
		return root
	}
	return common
}

// gitFolder is the folder that the file .git of a worktree names; empty: there is none.
func gitFolder(root string) string {
	folder, ok := strings.CutPrefix(firstLine(filepath.Join(root, ".git")), "gitdir: ")
	if !ok {
		return ""
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(root, folder)
	}
	return workspace.RealName(folder)
}

// firstLine is that of a small file; empty: there is none.
func firstLine(path string) string {
	text, err := diskfile.ReadSmall(path, maxGitFile)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

// worktrees are the roots of the other worktrees of the repository of a root.
func worktrees(root string) (roots []string) {
	common := repository(root)
	if common == root {
		return nil
	}
	if filepath.Base(common) == ".git" {
		roots = append(roots, filepath.Dir(common))
	}
	entries, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if err != nil {
		entries = nil
	}
	for _, e := range entries[:min(len(entries), maxWorktrees)] {
		own := filepath.Join(common, "worktrees", e.Name())
		if named := firstLine(filepath.Join(own, "gitdir")); filepath.IsAbs(named) {
			roots = append(roots, workspace.RealName(filepath.Dir(named)))
		}
	}
	var others []string
	for _, r := range roots {
		if r != root && repository(r) == common {
			others = append(others, r)
		}
	}
	return others
}
