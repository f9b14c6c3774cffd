//go:build linux && (amd64 || arm64)

package changes_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	sandboxtest.Handle()
	os.Exit(m.Run())
}

// view is a workspace in which commands run in a view.
type view struct {
	t    *testing.T
	root string
	s    *sandbox.Sandbox
}

func newView(t *testing.T, files map[string]string) *view {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	v := &view{t: t, root: filepath.Join(root, "ws")}
	must(t, os.Mkdir(v.root, 0o755))
	fill(t, v.root, files)
	v.s = sandboxtest.New(t, "namespaces", v.root)
	return v
}

// again gives the workspace these files and no others. Its sandbox stays: to prove one takes longer than a script does.
func (v *view) again(files map[string]string) {
	v.t.Helper()
	old, err := os.ReadDir(v.root)
	must(v.t, err)
	for _, entry := range old {
		must(v.t, os.RemoveAll(filepath.Join(v.root, entry.Name())))
	}
	fill(v.t, v.root, files)
}

func fill(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, name)
		must(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)))
	}
}

// run runs a script in a view, and leaves its layer to the test.
func (v *view) run(script string) *changes.Layer {
	v.t.Helper()
	w, err := v.s.Wrap(v.t.Context(), sandbox.Command{Argv: []string{"/bin/bash", "-c", script}, Env: []string{"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + os.Getenv("HOME")}, Dir: v.root})
	must(v.t, err)
	v.t.Cleanup(w.Close)
	cmd := w.Command(v.t.Context())
	cmd.Dir = v.root
	if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() > 100 {
		v.t.Fatalf("%s: %v: %s", script, err, out)
	}
	return w.Layer
}

func (v *view) read(l *changes.Layer) changes.List {
	v.t.Helper()
	list, err := changes.Read(v.t.Context(), l)
	must(v.t, err)
	return list
}

// applied applies all that a script did, and fails if something of it was not applied.
func (v *view) applied(script string) changes.List {
	v.t.Helper()
	l := v.run(script)
	list := v.read(l)
	report, err := changes.Apply(l, list.Changes)
	if err != nil || len(report.Conflicts)+len(report.Failed) > 0 {
		v.t.Fatalf("%s: %v, not applied: %v %v", script, err, report.Conflicts, report.Failed)
	}
	return list
}

// tree is what a folder holds: modes, and what files hold and links lead to.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		info, err := entry.Info()
		if err != nil {
			return err
		}
		is := info.Mode().String()
		switch {
		case entry.Type()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			is = "-> " + to
		case info.Mode().IsRegular():
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			is += fmt.Sprintf(" %s %q", info.ModTime().UTC().Format("150405.000000000"), text)
			if !strings.Contains(string(text), "@") { // the time counts where the text says so
				is = info.Mode().String() + fmt.Sprintf(" %q", text)
			}
		}
		all[rel] = is
		return nil
	}))
	return all
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func project() map[string]string {
	return map[string]string{"main.go": "package main\n", "a/one": "1\n", "a/two": "2\n", "a/b/three": "3\n", "c/four": "4\n", "old": "@\n", "x y/ü": "5\n"}
}

// bare runs a script on the files of a folder themselves.
func bare(t *testing.T, root, script string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/bin/bash", "-c", script)
	cmd.Dir = root
	_ = cmd.Run() // as in the view, its status does not count
}

// What a script does in a view and is applied is what it does without one.
// Promise 4.
func TestAppliedIsAsWithoutAView(t *testing.T) {
	v := newView(t, nil)
	for _, script := range []string{
		"echo x >new; echo y >>main.go; rm a/one", "mkdir -p n/e/w; echo x >n/e/w/f; ln -s f n/e/w/l; ln -s ../main.go a/up", "rm -rf a", "rm -rf a; echo file >a",
		"rm -rf a; mkdir a; echo x >a/one", "rm -rf a; mkdir -p a/b; echo x >a/b/new", "mv a d", "mv a/b/three a/three; mv c a/c", "mv main.go c/; mv c/four main.go",
		"chmod 600 main.go; chmod 700 a; chmod +x a/one", "touch -d 2001-02-03T04:05:06.007 old", "cp -a a copy; rm -r a; mv copy a", "rm main.go; ln -s c main.go",
		"rm main.go; mkdir main.go; echo x >main.go/x", "ln -s main.go l; rm l; ln -s a l; ln -sfn c l", "printf '' >main.go", "echo '4' >c/four", "mkdir e; rmdir e", "mkdir -p e/f; chmod 500 e/f",
		"mv a/one 'x y/'; mv 'x y' z", "ln main.go hard; echo more >>hard", "echo a >t; mv t main.go", "sed -i s/package/module/ main.go", "rm -rf *", "rm -rf a/b; rmdir a 2>/dev/null; rm a/*; rmdir a",
		"truncate -s 3000000 sparse; echo end >>sparse", "mkdir -p p; for i in $(seq 300); do echo $i >p/$i; done", "mkdir d; cd d; for i in 1 2 3 4 5 6 7 8 9; do mkdir d; cd d; done; echo x >deep",
	} {
		v.again(project())
		same := t.TempDir()
		must(t, os.Chmod(same, 0o755))
		fill(t, same, project())
		for _, root := range []string{v.root, same} {
			bare(t, root, "touch -d 2020-01-01 old")
		}
		bare(t, same, script)
		v.applied(script)
		if diff := cmp.Diff(tree(t, same), tree(t, v.root)); diff != "" {
			t.Errorf("%s: without a view (-) and with one (+): %s", script, diff)
		}
	}
}

// random is a script of file operations on a few names.
func random(r *rand.Rand, length int) string {
	names := []string{"main.go", "a", "a/one", "a/b", "a/b/three", "c", "c/four", "n", "n/m", "n/m/o", "p"}
	name := func() string { return names[r.IntN(len(names))] }
	var lines []string
	for range length {
		line := []string{
			"echo NUMBER >ONE", "echo NUMBER >>ONE", "rm -rf ONE", "rm ONE", "mkdir ONE", "mkdir -p ONE", "mv ONE TWO", "mv -T ONE TWO", "cp -a ONE TWO", "ln -sfn main.go ONE",
			"chmod MODE ONE", "ln ONE TWO", "touch ONE", "rmdir ONE",
		}[r.IntN(14)]
		one, two := name(), name()
		if strings.HasPrefix(line, "cp") && strings.HasPrefix(two+"/", one+"/") {
			two = "p" // what a copy into itself holds depends on the order of names on the disk
		}
		mode := []string{"755", "700", "750", "711"}[r.IntN(4)]
		lines = append(lines, strings.NewReplacer("ONE", one, "TWO", two, "NUMBER", fmt.Sprint(r.IntN(1000)), "MODE", mode).Replace(line))
	}
	return strings.Join(lines, "\n")
}

// Random programs come to the same in a view, whatever step of applying a crash interrupts; what a person writes
// meanwhile is kept, and what the view hides never changes.
// F04. Promise 4.
func TestRandomPrograms(t *testing.T) {
	const programs = 60
	v := newView(t, nil)
	for seed := range uint64(programs) {
		r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // the same each time
		script := random(r, 3+r.IntN(12))
		same := t.TempDir()
		must(t, os.Chmod(same, 0o755))
		fill(t, same, project())
		bare(t, same, "touch -d 2020-01-01 old; "+script)
		want := tree(t, same)
		crash, edits := r.IntN(8), seed%3 == 0
		v.again(project())
		bare(t, v.root, "touch -d 2020-01-01 old")
		l := v.run(script)
		edited := ""
		if edits {
			edited = []string{"main.go", "a/one", "c/four"}[r.IntN(3)]
			must(t, os.WriteFile(filepath.Join(v.root, edited), []byte("by a person\n"), 0o644))
		}
		list := v.read(l)
		step := 0
		_, err := changes.ApplyBy(l, list.Changes, func() error {
			if step++; step > crash {
				return errors.New("crash")
			}
			return nil
		})
		if err != nil {
			must(t, changes.Finish(filepath.Dir(l.Upper)))
		}
		got := tree(t, v.root)
		if edited != "" {
			if text := got[edited]; !strings.Contains(text, "by a person") {
				t.Fatalf("program %d, a crash at %d: what a person wrote to %s is %s\n%s", seed, crash, edited, text, script)
			}
			for _, all := range []map[string]string{want, got} { // what is around the file may stay with it
				maps.DeleteFunc(all, func(path, _ string) bool {
					first, _, _ := strings.Cut(edited, "/")
					return path == first || strings.HasPrefix(path, first+"/")
				})
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("program %d, a crash at %d: without a view (-) and with one (+): %s\n%s", seed, crash, diff, script)
		}
	}
}

// Trap: a folder that a command removed or moved keeps what the command did not see.
// Promise 4.
func TestHiddenFilesStay(t *testing.T) {
	v := newView(t, nil)
	for script, want := range map[string][]string{
		"rm -rf app": {"app", "app/.env"}, "mv app moved": {"app", "app/.env", "moved", "moved/main"}, "rm -rf app; mkdir app; echo x >app/new": {"app", "app/.env", "app/new"},
		"rm -rf app; echo x >app": {"app", "app/.env"}, "rm -rf deep": {"app", "app/.env", "app/main", "deep", "deep/er", "deep/er/id_rsa"}, "echo x >app/.env; mkdir -p deep/er/id_rsa": {"app", "app/.env", "app/main", "deep", "deep/er", "deep/er/id_rsa", "deep/er/x"},
		"ln -s main app/.env": {"app", "app/.env", "app/main"},
	} {
		v.again(map[string]string{"app/.env": "KEY=1\n", "app/main": "x\n", "deep/er/id_rsa": "KEY=2\n", "deep/er/x": "x\n"})
		l := v.run(script)
		list := v.read(l)
		if _, err := changes.Apply(l, list.Changes); err != nil {
			t.Fatal(err)
		}
		got := tree(t, v.root)
		for _, path := range want {
			if _, there := got[path]; !there {
				t.Errorf("%s: there is no %s", script, path)
			}
		}
		for path, text := range map[string]string{"app/.env": "KEY=1", "deep/er/id_rsa": "KEY=2"} {
			if !strings.Contains(got[path], text) {
				t.Errorf("%s: %s is %s", script, path, got[path])
			}
		}
		if len(list.LeftOut)+len(list.Kept) == 0 {
			t.Errorf("%s: nothing is said about what stayed", script)
		}
	}
}

// What must not come into the workspace does not, and is told.
// Promise 4.
func TestLeftOut(t *testing.T) {
	v := newView(t, nil)
	for script, want := range map[string]string{
		"mkfifo p": "p", "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"s\")'": "s", "ln -s /etc/passwd l": "l", "ln -s ../.. l": "l", "mkdir d; ln -s ../../x d/l": "d/l", "ln -s / d; ln -s d/etc e": "d",
		"cp /bin/true t; chmod 4755 t": "t", "chmod 2755 a/one": "a/one",
	} {
		v.again(project())
		before := tree(t, v.root)
		list := v.applied(script)
		var got []string
		for _, o := range list.LeftOut {
			got = append(got, o.Rel)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: left out: %v", script, list.LeftOut)
		}
		after := tree(t, v.root)
		for path, is := range after {
			if strings.HasPrefix(is, "-> ") && before[path] == "" && want == path || strings.ContainsAny(is[:1], "ugpSD") {
				t.Errorf("%s made %s: %s", script, path, is)
			}
		}
	}
	v.again(project())
	if list := v.applied("ln -s /usr/bin/env python; ln -s a/one inside; ln -s \"$PWD/c\" abs"); len(list.LeftOut) > 0 || len(list.Changes) != 3 {
		t.Errorf("links to programs of the machine, and inside: %+v", list)
	}
}

// A file with several names stays one file.
// Promise 4.
func TestNamesOfOneFile(t *testing.T) {
	v := newView(t, project())
	must(t, os.Link(filepath.Join(v.root, "main.go"), filepath.Join(v.root, "other.go")))
	v.applied("echo more >>main.go")
	got := tree(t, v.root)
	if got["main.go"] != got["other.go"] || !strings.Contains(got["main.go"], "more") {
		t.Errorf("the names hold %s and %s", got["main.go"], got["other.go"])
	}
}

// Nothing of the overlay is left on what was moved, and one that a command forges means nothing.
// Promise 4.
func TestAttributes(t *testing.T) {
	v := newView(t, project())
	v.applied("rm -rf a; mkdir a; echo x >a/f; mkdir -p n/m; echo y >n/m/f; python3 -c 'import os; os.setxattr(\"n/m\", \"user.overlay.opaque\", b\"y\"); os.setxattr(\"n/m/f\", \"user.note\", b\"kept\")'")
	for _, path := range []string{"a", "a/f", "n", "n/m", "n/m/f"} {
		out, err := exec.CommandContext(t.Context(), "python3", "-c", "import os,sys; print(os.listxattr(sys.argv[1]))", filepath.Join(v.root, path)).Output()
		must(t, err)
		if strings.Contains(string(out), "overlay") || path == "n/m/f" && !strings.Contains(string(out), "user.note") {
			t.Errorf("%s has %s", path, out)
		}
	}
}

// What was replaced is kept by its name, up to a size and an age, the newest last.
// Promise 4.
func TestKept(t *testing.T) {
	kept := func(v *view, most uint64, script string) string {
		t.Helper()
		l := v.run(script)
		l.Kept = changes.Kept{Folder: filepath.Join(v.root, "../kept"), Bytes: most, For: time.Hour}
		report, err := changes.Apply(l, v.read(l).Changes)
		must(t, err)
		folder, err := l.Keep(report.Aside)
		must(t, err)
		return folder
	}
	v := newView(t, project())
	first := kept(v, 1e6, "rm -rf a; echo x >main.go; echo x >new")
	if got := tree(t, first); got["main.go"] == "" || got["a/b/three"] == "" || got["new"] != "" {
		t.Errorf("kept are %v", got)
	}
	second := kept(v, 1e6, "rm c/four")
	if tree(t, first)["main.go"] == "" || tree(t, second)["c/four"] == "" {
		t.Error("too much was removed")
	}
	third := kept(v, 8192, "head -c 4000 /dev/zero >z; rm new")
	if _, err := os.Stat(first); err == nil || tree(t, third)["new"] == "" {
		t.Error("the oldest is still there, or the newest is not")
	}
	old := filepath.Join(v.root, "../kept", time.Now().UTC().Add(-2*time.Hour).Format("20060102T150405.000000000")+"-1")
	must(t, os.Mkdir(old, 0o700))
	kept(v, 1e6, "rm z")
	if _, err := os.Stat(old); err == nil {
		t.Error("what is too old is still there")
	}
	if folder := kept(v, 10, "rm -f 'x y/ü'"); folder != "" {
		t.Error("what is too large is kept")
	}
}

// Real work runs in a view and is applied, and what was built before is not built again.
func TestRealWork(t *testing.T) {
	for name, work := range map[string]struct{ needs, line, then string }{
		"make":   {"make", "printf 'out: in\\n\\tcp in out\\n\\techo built\\n' >Makefile; echo 1 >in; make -s", "make -q"},
		"venv":   {"python3", "python3 -m venv --without-pip v", "v/bin/python -c 'print(1)'"},
		"sqlite": {"python3", `python3 -c "import sqlite3; c = sqlite3.connect('d.sqlite'); c.execute('pragma journal_mode=wal'); c.execute('create table t(x)'); c.execute('insert into t values (1)'); c.commit(); c.close()"`, `python3 -c "import sqlite3; print(sqlite3.connect('d.sqlite').execute('select * from t').fetchall()[0][0])"`},
		"git":    {"git", "git init -q; git -c user.name=t -c user.email=t@example.org commit -q --allow-empty -m x; git clone -q . copy", "git -C copy log --oneline | grep -c x"},
		"npm":    {"npm", "mkdir -p p dep; echo '{\"name\":\"dep\",\"version\":\"1.0.0\"}' >dep/package.json; echo '{\"name\":\"p\"}' >p/package.json; cd p; npm install --offline --no-audit --no-fund ../dep >/dev/null", "ls p/node_modules | grep -c dep"},
		"go":     {"go", "mkdir -p m; printf 'module m\\n\\ngo 1.21\\n' >m/go.mod; printf 'package main\\n\\nfunc main() { println(1) }\\n' >m/main.go; cd m; GOFLAGS=-buildvcs=false go build -o prog .", "m/prog 2>&1"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(work.needs); err != nil {
				t.Skipf("NOT TESTED: there is no %s", work.needs)
			}
			v := newView(t, project())
			l := v.run("export HOME=/tmp PATH=" + os.Getenv("PATH") + "; " + work.line)
			list := v.read(l)
			report, err := changes.Apply(l, list.Changes)
			if err != nil || len(report.Failed)+len(report.Conflicts)+len(list.LeftOut) > 0 || len(report.Applied) == 0 {
				t.Fatalf("%v: %v %v %v", err, report.Failed, report.Conflicts, list.LeftOut)
			}
			cmd := exec.CommandContext(t.Context(), "/bin/bash", "-c", work.then)
			cmd.Dir = v.root
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("then: %v: %s", err, out)
			}
		})
	}
}

// A file that is replaced between the look at it and the step that would replace it stays.
// Promise 4.
func TestReplacedAtTheVeryMoment(t *testing.T) {
	v := newView(t, project())
	l := v.run("echo command >main.go")
	file := filepath.Join(v.root, "main.go")
	report, err := changes.ApplyBy(l, v.read(l).Changes, func() error {
		return errors.Join(os.WriteFile(file+".new", []byte("theirs"), 0o600), os.Rename(file+".new", file))
	})
	if text, readErr := os.ReadFile(file); err != nil || readErr != nil || string(text) != "theirs" || len(report.Conflicts) != 1 {
		t.Errorf("%v, %v: the file holds %q; %+v", err, readErr, text, report)
	}
}

// Where the private folder lies on another file system, the files are copied.
func TestAnotherFileSystem(t *testing.T) {
	cache, err := os.MkdirTemp("/dev/shm", "assent-test-") //nolint:usetesting // another file system than the others
	if err != nil {
		t.Skipf("NOT TESTED: there is no file system in memory: %v", err)
	}
	t.Cleanup(func() { must(t, os.RemoveAll(cache)) })
	for _, script := range []string{"echo x >new; echo y >>main.go; rm a/one", "rm -rf a; mkdir -p n/m; echo x >n/m/f; ln -s f n/m/l", "rm -rf c; mv a c; chmod 600 main.go"} {
		v := newView(t, project())
		v.s = sandbox.New(sandbox.Options{Helper: sandboxtest.Helper(), Root: v.root, Cache: cache})
		same := t.TempDir()
		must(t, os.Chmod(same, 0o755))
		fill(t, same, project())
		for _, root := range []string{v.root, same} {
			bare(t, root, "touch -d 2020-01-01 old")
		}
		bare(t, same, script)
		v.applied(script)
		if diff := cmp.Diff(tree(t, same), tree(t, v.root)); diff != "" {
			t.Errorf("%s: without a view (-) and with one (+): %s", script, diff)
		}
	}
}

// In a container the files lie on an overlay, on which no other one can write: the layers lie in memory.
// Promise 4.
func TestOnAnOverlay(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("NOT TESTED: only root can mount an overlay as containers have it")
	}
	for _, script := range []string{
		"echo x >new; echo y >>main.go; rm a/one", "rm -rf a; mkdir -p n/m; echo x >n/m/f; ln -s f n/m/l", "rm -rf c; mv a c; chmod 600 main.go", "rm -rf a; mkdir a; echo x >a/new",
		": >main.go; : >empty; chmod 750 a", "mv a/b/three a/three; rm main.go; mkdir main.go",
	} {
		dir := t.TempDir()
		for _, name := range []string{"lower", "upper", "work", "merged"} {
			must(t, os.Mkdir(filepath.Join(dir, name), 0o755))
		}
		merged := filepath.Join(dir, "merged")
		if err := unix.Mount("overlay", merged, "overlay", 0, fmt.Sprintf("lowerdir=%[1]s/lower,upperdir=%[1]s/upper,workdir=%[1]s/work", dir)); err != nil {
			t.Skipf("NOT TESTED: there is no overlay here: %v", err)
		}
		t.Cleanup(func() { must(t, unix.Unmount(merged, unix.MNT_DETACH)) }) // what was applied may still be flushed
		v := &view{t: t, root: filepath.Join(merged, "ws")}
		must(t, os.Mkdir(v.root, 0o755))
		fill(t, v.root, project())
		t.Setenv("ASSENT_SANDBOX_NO_BUBBLEWRAP", "1")
		v.s = sandbox.New(sandbox.Options{Helper: sandboxtest.Helper(), Root: v.root, Cache: filepath.Join(merged, "cache")})
		if state := v.s.State(t.Context()); !state.Proven || !strings.Contains(state.Sentence, "lies in memory") {
			t.Fatalf("no sandbox on an overlay: %v", state.Details)
		}
		same := t.TempDir()
		must(t, os.Chmod(same, 0o755))
		fill(t, same, project())
		for _, root := range []string{v.root, same} {
			bare(t, root, "touch -d 2020-01-01 old")
		}
		bare(t, same, script)
		v.applied(script)
		if diff := cmp.Diff(tree(t, same), tree(t, v.root)); diff != "" {
			t.Errorf("%s: without a view (-) and with one (+): %s", script, diff)
		}
	}
}

// As an ordinary user, who has no rights over the files of others, it is the same.
func TestAsAnOrdinaryUser(t *testing.T) {
	if !sandboxtest.AsNobody(t) {
		return
	}
	for name, test := range map[string]func(*testing.T){
		"programs": TestRandomPrograms, "applied": TestAppliedIsAsWithoutAView, "hidden": TestHiddenFilesStay, "left out": TestLeftOut, "names": TestNamesOfOneFile, "attributes": TestAttributes,
	} {
		t.Run(name, test)
	}
}

// What a command made and nobody applied is not kept as if it had been replaced.
func TestWhatIsNotAppliedIsNotAside(t *testing.T) {
	v := newView(t, project())
	l := v.run("mkdir -p new/in; echo x >new/in/x; echo y >new/in/y; echo z >main.go; rm a/one")
	list := v.read(l).Changes
	list = slices.DeleteFunc(list, func(c changes.Change) bool { return c.Rel == "new/in/y" })
	report, err := changes.Apply(l, list)
	must(t, err)
	var aside []string
	for _, a := range report.Aside {
		aside = append(aside, a.Rel)
	}
	if slices.Sort(aside); !slices.Equal(aside, []string{"a/one", "main.go"}) {
		t.Errorf("put aside: %v", aside)
	}
}

// A crash while the layer of a chat goes into the workspace is made good before the layer is opened again, after
// whatever step it came.
// Promise 4, 10.
func TestACrashWhileALayerIsKept(t *testing.T) {
	files := map[string]string{"build/old": "old\n", "build/gone/x": "x\n", "sub/a": "a\n"}
	v := newView(t, files)
	ignored := func(rel string, _ bool) bool {
		return strings.HasPrefix(rel+"/", "build/") || strings.HasPrefix(rel+"/", "sub/build/")
	}
	for steps := 0; ; steps++ {
		v.again(files)
		chat := sandbox.Chat{Name: fmt.Sprint(steps), Keeps: true, Ignored: ignored}
		wrapped := func(script string) (sandbox.Wrapped, string) {
			w, err := v.s.Wrap(t.Context(), sandbox.Command{Argv: []string{"/bin/bash", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Dir: v.root, Chat: chat})
			must(t, err)
			out, err := w.Command(t.Context()).CombinedOutput()
			must(t, err)
			return w, string(out)
		}
		w, _ := wrapped("echo new >build/old; rm -r build/gone; mkdir -p build/n/m sub/build; echo m >build/n/m/m; echo s >sub/build/s")
		v.read(w.Layer)
		taking, err := w.Chat.Take(t.Context(), w.Layer, ignored)
		must(t, err)
		_, _, err = taking.Keep()
		must(t, err)
		w.Close()
		layer, work, err := v.s.LeaveBuilt(chat)
		must(t, err)
		left := steps
		_, err = changes.ApplyBy(work, v.read(work).Changes, func() error {
			if left--; left < 0 {
				return errors.New("killed")
			}
			return nil
		})
		layer.Close()
		again, out := wrapped("cat build/old build/n/m/m sub/build/s; ls build")
		again.Close()
		got := tree(t, v.root)
		if out != "new\nm\ns\nn\nold\n" || len(got) != 10 {
			t.Fatalf("after %d steps a command sees %q, and there is %v", steps, out, got)
		}
		if err == nil {
			if steps < 4 {
				t.Errorf("there were %d steps", steps)
			}
			return
		}
	}
}
