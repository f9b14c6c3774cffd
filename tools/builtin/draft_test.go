package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/builtin"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/shell/shelltest"
	"github.com/assent-ls/assent/tools/workspace"
)

// saving is an editor that saves each change of a document that was saved before it, and can delete and move files.
type saving struct {
	workspace.NoBuffers

	mu    sync.Mutex
	texts map[string]string
}

func (e *saving) Text(abs string) (string, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	text, open := e.texts[abs]
	return text, open
}

func (e *saving) Open() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Sorted(maps.Keys(e.texts))
}

func (e *saving) Replace(_ context.Context, abs, before, after string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.texts[abs] != before {
		return workspace.ErrChanged
	}
	e.texts[abs] = after
	if data, err := os.ReadFile(abs); err == nil && string(data) == before {
		return os.WriteFile(abs, []byte(after), 0o644)
	}
	return nil
}

func (e *saving) Delete(_ context.Context, abs string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.texts, abs)
	return os.Remove(abs)
}

// Move closes the document: whether the editor opens it again under its new name changes nothing of what is there.
func (e *saving) Move(_ context.Context, from, to string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.texts, from)
	return os.Rename(from, to)
}

// copied is a folder of its own with a model that works in it.
type copied struct {
	t          *testing.T
	root       string
	editor     *saving
	ws         *workspace.Workspace // where the model works
	dispatcher *tools.Dispatcher
	reads      *tools.ReadSet
}

// newCopy makes the folder. If it is a draft the model works on a draft of it.
func newCopy(t *testing.T, draft bool) *copied {
	t.Helper()
	c := &copied{t: t, root: filepath.Join(t.TempDir(), "ws"), reads: tools.NewReadSet()}
	for name, text := range map[string]string{
		"a.txt": "alpha\nbeta\ngamma\n", "b.md": "# B\n\nalpha beta\n", "sub/c.go": "package sub\n\nvar Alpha = 1\n",
		"sub/deep/d.txt": "delta\r\nalpha\r\n", "sub/deep/e.txt": "", ".gitignore": "*.log\n/build/\n", "x.log": "alpha in a log\n",
		"open.txt": "alpha, saved\n", "unsaved.txt": "alpha on disk\n", ".env": "KEY=alpha\n", "run.sh": "#!/bin/sh\necho alpha\n",
		"binary.dat": "alpha\x00beta", ".git/config": "[core]\n", "hard.txt": "alpha twice\n",
	} {
		abs := filepath.Join(c.root, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(abs), 0o755))
		must(t, os.WriteFile(abs, []byte(text), 0o644))
	}
	must(t, os.Chmod(filepath.Join(c.root, "run.sh"), 0o755))
	must(t, os.Link(filepath.Join(c.root, "hard.txt"), filepath.Join(c.root, "same.txt")))
	must(t, os.Symlink("a.txt", filepath.Join(c.root, "link.txt")))
	must(t, os.Symlink("sub", filepath.Join(c.root, "linked")))
	must(t, os.Symlink("/etc", filepath.Join(c.root, "out")))
	c.editor = &saving{texts: map[string]string{
		filepath.Join(c.root, "open.txt"): "alpha, saved\n", filepath.Join(c.root, "unsaved.txt"): "alpha in the editor\n",
	}}
	ws, err := workspace.Open(c.root, c.editor)
	must(t, err)
	t.Cleanup(func() { _ = ws.Close() })
	if c.ws = ws; draft {
		c.ws = ws.Draft()
	}
	all := builtin.Tools(c.ws, builtin.Options{Shell: shelltest.New()})
	c.dispatcher = tools.NewDispatcher(tools.NewSources(all).Known(), policy.New(nil), c.ws)
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// do makes a call, and says all that a model and a person are told of it.
func (c *copied) do(name string, arguments map[string]any) string {
	c.t.Helper()
	raw, err := json.Marshal(arguments)
	must(c.t, err)
	p := c.dispatcher.Prepare(c.t.Context(), tools.Call{
		Name: name, Arguments: raw, Chat: "chat", Reads: c.reads, Caller: policy.Model,
	})
	said := fmt.Sprintf("%s\n%s\n%s\n%s\n%s\n%v", p.Target, p.Preview, p.Protected, p.Notice, p.Waits, p.Decision.Verdict)
	r, err := c.dispatcher.Execute(c.t.Context(), p.Approved(), nil)
	said += fmt.Sprintf("\n%v %v\n%s", err, r.Failed, r.Text())
	for _, change := range r.Changes {
		said += fmt.Sprintf("\n%s %v %q %q", change.Path, change.Mode, text(change.Before), text(change.After))
	}
	return strings.ReplaceAll(said, c.root, "ROOT")
}

func text(s *string) string {
	if s == nil {
		return "(none)"
	}
	return *s
}

// tree is all that lies in the folder, as somebody else sees it, and what is not saved.
func (c *copied) tree() map[string]string {
	c.t.Helper()
	all := map[string]string{}
	must(c.t, filepath.WalkDir(c.root, func(abs string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(c.root, abs)
		info, err := entry.Info()
		must(c.t, err)
		if info.Mode()&fs.ModeSymlink != 0 {
			all[rel], err = os.Readlink(abs)
			return err
		}
		data, err := os.ReadFile(abs)
		all[rel] = fmt.Sprintf("%v %q", info.Mode(), data)
		return err
	}))
	for abs, text := range c.editor.texts {
		rel, _ := filepath.Rel(c.root, abs)
		if data, err := os.ReadFile(abs); err != nil || string(data) != text {
			all["(editor) "+rel] = text
		}
	}
	return all
}

var (
	draftNames = []string{
		"a.txt", "b.md", "sub/c.go", "sub/deep/d.txt", "sub/deep/e.txt", "new.txt", "new/f.txt", "new/deep/g.txt", ".gitignore", "x.log",
		"build/h.txt", "open.txt", "unsaved.txt", ".env", "run.sh", "binary.dat", ".git/config", "hard.txt", "same.txt", "link.txt",
		"linked/c.go", "linked/new.txt", "out/passwd", "sub", "new", "a.txt/below", "../up.txt", "missing.txt", "sub/HEAD", "sub/objects/x", "sub/refs/y",
	}
	draftTexts   = []string{"alpha\n", "beta", "# B\n", "Alpha", "gamma\ndelta\n", "", "line 1\nline 2\nalpha\n", "*.md\n", "gr\xc3\xbc\xc3\x9fe\n"}
	draftFolders = []string{"", ".", "sub", "sub/deep", "new", "new/deep", "linked", "build", "out", "a.txt", "missing"}
)

var draftTools = []string{
	"read_file", "write_file", "edit_file", "edit_files", "insert_text", "move_file", "delete_file", "list_directory", "find_files", "search_files",
	"replace_everywhere",
}

// step is a random call.
func step(r *rand.Rand) (name string, arguments map[string]any) {
	one := func(list []string) string { return list[r.IntN(len(list))] }
	edited := func() map[string]any {
		return map[string]any{
			"path": one(draftNames[:12]), "old_text": one([]string{"alpha", "beta", "line 1\n"}), "new_text": one(draftTexts),
			"replace_all": r.IntN(2) == 0,
		}
	}
	switch r.IntN(14) {
	case 0, 1:
		return "read_file", map[string]any{"path": one(draftNames)}
	case 2, 3:
		return "write_file", map[string]any{"path": one(draftNames), "content": one(draftTexts)}
	case 4, 5:
		return "edit_file", edited()
	case 6:
		return "edit_files", map[string]any{"edits": []any{edited(), edited()}}
	case 7:
		return "insert_text", map[string]any{"path": one(draftNames[:12]), "after": one([]string{"alpha", "line 1"}), "text": one(draftTexts[:5])}
	case 8:
		return "move_file", map[string]any{"from": one(draftNames), "to": one(draftNames)}
	case 9:
		return "delete_file", map[string]any{"path": one(draftNames)}
	case 10:
		return "list_directory", map[string]any{"path": one(draftFolders)}
	case 11:
		return "find_files", map[string]any{"pattern": one([]string{"*", "*.txt", "sub/**", "new", "g.txt", "*.log", "nothing"})}
	case 12:
		return "search_files", map[string]any{"pattern": one([]string{"alpha", "line", "delta", "KEY", "nowhere"}), "path": one(draftFolders)}
	}
	return "replace_everywhere", map[string]any{
		"old_text": one([]string{"alpha", "beta", "line", "Alpha"}), "new_text": one([]string{"alpha", "omega", "beta", "Alpha"}), "path": one(draftFolders),
	}
}

// TestADraftIsLikeACopy makes the same random calls on a draft and on a copy of its folder: each is told the same,
// nothing outside the draft changes, and its changes make the folder what the copy is.
func TestADraftIsLikeACopy(t *testing.T) {
	done := map[string]int{} // calls that went well
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 11))
		draft, real := newCopy(t, true), newCopy(t, false)
		before := draft.tree()
		var log []string
		for range 60 {
			name, arguments := step(r)
			log = append(log, fmt.Sprint(name, " ", arguments))
			for again, times := true, 0; again && times < 2; times++ {
				said := real.do(name, arguments)
				if diff := cmp.Diff(said, draft.do(name, arguments)); diff != "" {
					t.Fatalf("seed %d: (-copy +draft)\n%s\n%s", seed, diff, strings.Join(log, "\n"))
				}
				if strings.Contains(said, "<nil> false\n") {
					done[name]++
				}
				again = strings.Contains(said, "make the same call again:") || strings.Contains(said, "Call edit_files again")
			}
		}
		if diff := cmp.Diff(before, draft.tree()); diff != "" {
			t.Fatalf("seed %d: something outside the draft changed:\n%s\n%s", seed, diff, strings.Join(log, "\n"))
		}
		got, want := draft.apply(), real.tree()
		for rel, text := range got { // which was deleted and made again, and keeps its mode
			_, want[rel], _ = strings.Cut(want[rel], " ")
			got[rel] = text
		}
		after := draft.tree()
		maps.Copy(after, got)
		if diff := cmp.Diff(want, after); diff != "" {
			t.Fatalf("seed %d: the changes make something else: (-copy +draft)\n%s\n%s", seed, diff, strings.Join(log, "\n"))
		}
	}
	for _, name := range draftTools {
		if done[name] == 0 {
			t.Errorf("no %s went well", name)
		}
	}
}

// apply makes the changes of the draft on the disk, and gives the texts of the files that were there before, in quotation
// marks.
func (c *copied) apply() map[string]string {
	c.t.Helper()
	ws, err := workspace.Open(c.root, c.editor)
	must(c.t, err)
	defer ws.Close() //nolint:errcheck // only a test
	list, replaced := c.ws.Drafted(c.t.Context()), map[string]string{}
	for _, deleted := range []bool{true, false} {
		for _, change := range list {
			if (change.After == nil) != deleted {
				continue
			}
			p, err := ws.Resolve(change.Rel)
			must(c.t, err)
			switch {
			case deleted:
				err = ws.Delete(c.t.Context(), p, *change.Before)
			case change.Before == nil:
				err = ws.Restore(c.t.Context(), p, *change.After, change.Mode)
			default:
				err = ws.Replace(c.t.Context(), p, change.Before, *change.After)
				replaced[change.Rel] = fmt.Sprintf("%q", readDisk(c.t, p.Abs))
			}
			if err != nil {
				c.t.Fatalf("%+v: %v", change, err)
			}
		}
	}
	return replaced
}

func readDisk(t *testing.T, abs string) string {
	t.Helper()
	data, err := os.ReadFile(abs)
	must(t, err)
	return string(data)
}
