//go:build unix

package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/workspace"
)

// swapper is an editor without documents that puts something in the place of something else when it is asked for the
// nth time: between any two steps of a read or a write.
type swapper struct {
	workspace.NoBuffers

	left int
	swap func()
}

func (s *swapper) Text(string) (string, bool) {
	if s.left--; s.left == 0 {
		s.swap()
	}
	return "", false
}

// swaps is more than a read or a write asks for documents, so that every moment is met.
const swaps = 16

// A link that is put in the place of a folder while a call works must not lead it to a protected file.
// Promise 4. Invariant 10.
func TestALinkSwappedInDuringACallReachesNothingProtected(t *testing.T) {
	const safe, secret = "safe\n", "secret\n"
	for n := 1; n <= swaps; n++ {
		for _, deep := range []string{"", "sub/"} {
			root := tree(t, map[string]string{deep + "a/config": safe, ".git/config": secret, ".git/HEAD": "x", deep + "a/kept": safe, ".git/kept": safe})
			s := &swapper{}
			w := open(t, root, s)
			file, kept, made := resolve(t, w, deep+"a/config"), resolve(t, w, deep+"a/kept"), resolve(t, w, deep+"a/hooks/pre-commit")
			folder := resolve(t, w, deep+"a")
			arm := func() {
				_ = os.Remove(filepath.Join(root, deep, "a"))
				_ = os.Rename(filepath.Join(root, deep, "was"), filepath.Join(root, deep, "a"))
				s.left, s.swap = n, func() {
					must(t, os.Rename(filepath.Join(root, deep, "a"), filepath.Join(root, deep, "was")))
					link(t, strings.Repeat("../", strings.Count(deep, "/"))+".git", filepath.Join(root, deep, "a"))
				}
			}
			arm()
			if f, err := w.Read(t.Context(), file); err == nil && f.Text != safe {
				t.Errorf("at %d: Read = %q", n, f.Text)
			}
			arm()
			before := safe
			_ = w.Replace(t.Context(), kept, &before, "changed\n") // refused or done where it was approved
			arm()
			_ = w.Replace(t.Context(), made, nil, "made\n")
			arm()
			if entries, err := w.List(t.Context(), folder); err == nil {
				for _, e := range entries {
					if e.Name == "HEAD" {
						t.Errorf("at %d: List = %+v", n, entries)
					}
				}
			}
			if got := readDisk(t, root+"/.git/kept"); got != safe {
				t.Fatalf("at %d: .git/kept holds %q", n, got)
			}
			if _, err := os.Lstat(root + "/.git/hooks"); err == nil {
				t.Fatalf("at %d: a hook was made", n)
			}
		}
	}
}

// A file that is swapped for a link to a protected one is neither read nor written.
// Promise 4.
func TestALinkSwappedInForAFileIsNotFollowed(t *testing.T) {
	for n := 1; n <= swaps; n++ {
		root := tree(t, map[string]string{"a.txt": "same\n", ".env": "same\n", "b.txt": "safe\n", ".envrc": "secret\n"})
		s := &swapper{}
		w := open(t, root, s)
		a, b := resolve(t, w, "a.txt"), resolve(t, w, "b.txt")
		swap := func(name, target string) {
			s.left, s.swap = n, func() {
				must(t, os.Remove(filepath.Join(root, name)))
				link(t, target, filepath.Join(root, name))
			}
		}
		swap("b.txt", ".envrc")
		if f, err := w.Read(t.Context(), b); err == nil && f.Text != "safe\n" {
			t.Errorf("at %d: Read = %q", n, f.Text)
		}
		swap("a.txt", ".env")
		before := "same\n"
		_ = w.Replace(t.Context(), a, &before, "changed\n")
		if got := readDisk(t, root+"/.env"); got != "same\n" {
			t.Errorf("at %d: .env holds %q", n, got)
		}
	}
}

// A folder that became a repository since the question has another question.
// Promise 2.
func TestAFolderThatBecameARepositoryIsAskedAboutAgain(t *testing.T) {
	for n := 1; n <= swaps; n++ {
		root := tree(t, map[string]string{"r/config": "old\n", "r/objects/": "", "r/refs/": ""})
		s := &swapper{left: n, swap: func() { write(t, root, map[string]string{"r/HEAD": "ref: refs/heads/main\n"}) }}
		p := resolve(t, open(t, root, nil), "r/config")
		w := open(t, root, s)
		before := "old\n"
		err := w.Replace(t.Context(), p, &before, "evil\n")
		if s.left > 0 { // it was over before the swap
			break
		}
		if got := readDisk(t, root+"/r/config"); err == nil || got != "old\n" {
			t.Fatalf("at %d: Replace = %v, r/config holds %q", n, err, got)
		}
	}
}
