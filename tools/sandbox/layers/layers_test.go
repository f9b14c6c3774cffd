//go:build linux && (amd64 || arm64)

package layers_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/sandbox/layers"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	sandboxtest.Handle()
	os.Exit(m.Run())
}

// place is a workspace whose commands have a chat.
type place struct {
	t    *testing.T
	root string
	s    *sandbox.Sandbox
	chat string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	p := &place{t, filepath.Join(root, "ws"), nil, "chat"}
	must(t, os.Mkdir(p.root, 0o755))
	p.s = sandboxtest.New(t, "namespaces", p.root)
	return p
}

// inBuild is what git ignores in these tests.
func inBuild(rel string, _ bool) bool {
	return strings.HasPrefix(rel+"/", "build/") || strings.HasPrefix(rel+"/", "sub/build/")
}

// run runs a script and puts what it built into the layer. It returns what the script printed.
func (p *place) run(script string) string {
	p.t.Helper()
	w, err := p.s.Wrap(p.t.Context(), sandbox.Command{
		Argv: []string{"/bin/bash", "-c", script}, Env: []string{"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + os.Getenv("HOME")}, Dir: p.root,
		Chat: sandbox.Chat{Name: p.chat, Keeps: true, Ignored: inBuild},
	})
	must(p.t, err)
	defer w.Close()
	cmd := w.Command(p.t.Context())
	cmd.Dir = p.root
	out, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState.ExitCode() > 100 {
		p.t.Fatalf("%s: %v: %s", script, err, out)
	}
	_, err = changes.Read(p.t.Context(), w.Layer)
	must(p.t, err)
	taking, err := w.Chat.Take(p.t.Context(), w.Layer, inBuild)
	must(p.t, err)
	_, dropped, err := taking.Keep()
	must(p.t, err)
	return string(out) + strings.Join(slices.Concat(w.Notes, dropped), "\n")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// list shows all that is in build, as a script sees it.
const list = `find build sub/build -printf '%p %y %m %l ' \( -type f -exec cat {} \; -printf '\n' -o -printf '\n' \) 2>/dev/null | grep -v '^$' | LC_ALL=C sort`

// random is a script of file operations on a few names.
func random(r *rand.Rand) string {
	names := []string{"build", "build/a", "build/a/b", "build/a/b/c", "build/d", "build/e", "build/e/f", "sub/build", "sub/build/x", "sub/build/x/y"}
	var lines []string
	for range 6 {
		one, two := names[r.IntN(len(names))], names[r.IntN(len(names))]
		lines = append(lines, strings.NewReplacer("ONE", one, "TWO", two, "NUMBER", fmt.Sprint(r.IntN(1000)), "MODE", []string{"755", "700", "711"}[r.IntN(3)]).Replace([]string{
			"echo NUMBER >ONE", "echo NUMBER >>ONE", "rm -rf ONE", "rm ONE", "mkdir ONE", "mkdir -p ONE", "mv -T ONE TWO", "mv ONE TWO", "rm -rf ONE; mkdir -p ONE",
			"ln -sfn e ONE", "chmod MODE ONE", "touch ONE", "rm -rf ONE; mkdir -p ONE; echo NUMBER >ONE/new", "rmdir ONE",
		}[r.IntN(14)])) // no second names: the kernel copies one of them alone when it is changed in a later view
	}
	return "umask 22\n" + strings.Join(lines, "\n")
}

// What several commands of a chat did one after the other is what they would have done in a folder of their own: what
// they removed, renamed and replaced, too, over what the disk has.
// Promise 4.
func TestCommandsOfAChatInOrder(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("SEED"); s != "" {
		_, err := fmt.Sscan(s, &seed)
		must(t, err)
	}
	t.Logf("SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	p := newPlace(t)
	rounds := 6
	if testing.Short() {
		rounds = 3
	}
	if os.Getenv("SEED") != "" {
		rounds = 100
	}
	for round := range rounds {
		p.chat = fmt.Sprint(round)
		bare := t.TempDir()
		base := "rm -rf build sub; mkdir sub; umask 22; "
		if round%3 > 0 {
			base += "mkdir -p build/a/b sub/build/x build/e; echo c >build/a/b/c; echo d >build/d; echo f >build/e/f; echo y >sub/build/x/y"
		}
		for _, root := range []string{p.root, bare} {
			script(t, root, base)
		}
		disk := script(t, p.root, list)
		var all []string
		for range 4 {
			s := random(r)
			all = append(all, s)
			script(t, bare, s)
			p.run(s)
			if diff := cmp.Diff(script(t, bare, list), p.run(list)); diff != "" {
				t.Fatalf("SEED=%d: bare (-) and in views (+): %s\nafter %s\n---\n%s", seed, diff, base, strings.Join(all, "\n---\n"))
			}
		}
		if now := script(t, p.root, list); now != disk {
			t.Fatalf("the workspace was changed: %s", now)
		}
	}
}

// script runs a script in a folder itself.
func script(t *testing.T, root, text string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/bin/bash", "-c", text)
	cmd.Dir, cmd.Env = root, []string{"PATH=/usr/bin:/bin", "LANG=C.UTF-8"}
	out, _ := cmd.Output()
	return string(out)
}

// What is no file, folder or link into the workspace is in no layer, whatever its caller says, and the folders above a
// part look as those of the workspace.
// Promise 4.
func TestWhatALayerNeverHas(t *testing.T) {
	p := newPlace(t)
	must(t, os.Mkdir(filepath.Join(p.root, "sub"), 0o750))
	p.run("mkdir build sub/build; ln -s /etc build/out; ln -s ../../.. build/up; mkfifo build/pipe; ln -s ../sub build/in; echo o >sub/build/o; chmod 4755 sub/build/o")
	if got := p.run("ls build; stat -c %a sub sub/build/o"); got != "in\n750\n755\n" {
		t.Errorf("it is seen: %q", got)
	}
}

// What is too much goes, the least recently used first, and what was just written last of all.
func TestALayerIsBounded(t *testing.T) {
	p := newPlace(t)
	must(t, os.MkdirAll(filepath.Join(p.root, "sub"), 0o755))
	store, err := p.s.Layers()
	must(t, err)
	store.Files = 30
	for _, c := range []struct{ script, want, says string }{
		{"mkdir build; touch build/{1..20}", "build", ""},
		{"mkdir sub/build; touch sub/build/{1..20}", "sub/build", "30 files and 4000 MB, in 10000 ignored folders or single files. Dropped, the least recently used first: build."},
		{"mkdir -p sub/build; touch sub/build/{21..45}; rm -rf build", "", "Dropped, the least recently used first: sub/build."},
		{"mkdir build; touch build/{1..29}", "build", ""},
	} {
		w, chat := p.begin(store, c.script)
		taking, err := chat.Take(t.Context(), w.Layer, inBuild)
		must(t, err)
		_, dropped, err := taking.Keep()
		must(t, err)
		got := strings.Join(chat.Parts(), " ")
		if got != c.want || !strings.Contains(strings.Join(dropped, " "), c.says) || c.says == "" && len(dropped) > 0 {
			t.Errorf("%s: there is %q, and %q", c.script, got, dropped)
		}
		chat.Close()
		w.Close()
	}
}

// begin runs a script in a view without a chat, and opens the layer of a chat in another store.
func (p *place) begin(store layers.Store, script string) (sandbox.Wrapped, *layers.Chat) {
	p.t.Helper()
	chat, err := store.Open(p.root, "bounded", inBuild)
	must(p.t, err)
	w, err := p.s.Wrap(p.t.Context(), sandbox.Command{Argv: []string{"/bin/bash", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Dir: p.root})
	must(p.t, err)
	out, err := w.Command(p.t.Context()).CombinedOutput()
	if err != nil {
		p.t.Logf("%s: %s", script, out)
	}
	_, err = changes.Read(p.t.Context(), w.Layer)
	must(p.t, err)
	return w, chat
}

// Layers are listed and removed, but none that is used at this moment; what was not used for long, or is too much for
// all together, goes when another one grows.
func TestListAndRemove(t *testing.T) {
	p := newPlace(t)
	store, err := p.s.Layers()
	must(t, err)
	if all, err := store.List(); err != nil || len(all) > 0 {
		t.Fatalf("%v: %v", all, err)
	}
	for _, p.chat = range []string{"one", "two", "three"} {
		p.run("mkdir build; echo o >build/o")
	}
	all, err := store.List()
	if err != nil || len(all) != 3 || all[0].Chat != "three" || all[0].Root != p.root || all[0].Files != 2 || all[0].Bytes == 0 || !slices.Equal(all[0].Parts, []string{"build"}) {
		t.Fatalf("%+v: %v", all, err)
	}
	used, err := store.Open(p.root, "two", inBuild)
	must(t, err)
	if err := store.Remove(p.root, "two"); !errors.Is(err, layers.ErrInUse) {
		t.Errorf("it is removed while it is used: %v", err)
	}
	used.Close()
	must(t, errors.Join(store.Remove(p.root, "two"), store.Remove(p.root, "two"), store.Remove("/other", "one")))
	if got := p.chats(store); got != "one three" {
		t.Errorf("there are %q", got)
	}
	must(t, filepath.WalkDir(store.Folder, func(path string, _ os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".json") {
			long := time.Now().Add(-15 * 24 * time.Hour)
			return os.Chtimes(path, long, long)
		}
		return err
	}))
	p.chat = "one"
	p.run("echo p >build/p")
	if got := p.chats(store); got != "one" {
		t.Errorf("there are %q", got)
	}
}

func (p *place) chats(store layers.Store) string {
	p.t.Helper()
	all, err := store.List()
	must(p.t, err)
	var names []string
	for _, i := range all {
		names = append(names, i.Chat)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// A user without rights has layers, too, with folders that they may not write.
// Promise 4.
func TestALayerOfAnOrdinaryUser(t *testing.T) {
	if !sandboxtest.AsNobody(t) {
		return
	}
	p := newPlace(t)
	p.run("mkdir -p build/closed/in; echo o >build/closed/in/o; chmod 444 build/closed/in/o; chmod 555 build/closed/in build/closed build")
	if got := p.run("cat build/closed/in/o; stat -c %a build/closed; chmod -R u+w build; echo p >build/closed/in/p; chmod 555 build/closed/in"); got != "o\n555\n" {
		t.Errorf("it saw %q", got)
	}
	if got := p.run("cat build/closed/in/p; chmod -R u+w build; rm -r build/closed; ls build"); got != "p\n" {
		t.Errorf("it saw %q", got)
	}
	p.run("mkdir -p build/x/y; echo o >build/x/y/o; chmod 500 build/x/y")
	store, err := p.s.Layers()
	must(t, err)
	must(t, store.Remove(p.root, p.chat))
}
