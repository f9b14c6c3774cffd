//go:build linux && (amd64 || arm64)

package runcommand_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/runcommand"
	"github.com/assent-ls/assent/tools/toolstest"
)

// never fails if anything is asked.
func never(t *testing.T) *toolstest.Person {
	t.Helper()
	return &toolstest.Person{Answer: func(q tools.Inquiry) tools.Reply {
		t.Errorf("it asks: %s\n%s", q.Target, q.Text)
		return tools.Reply{}
	}}
}

func absent(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%q is in:\n%s", part, text)
		}
	}
}

// What tried commands write to ignored files asks nothing and is not in the workspace. Later commands of the chat that
// are tried, or only read, see it, in order; those of other chats do not, and neither do those that are approved.
// Promise 4.
func TestBuiltFilesAreSeenInTheirChatAlone(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	p := never(t)
	r := b.Try("mkdir -p build/deep; echo one >build/deep/o; echo two >build/p", p)
	b.Contains(r.Text(), "Not in the workspace, and there for the next tried commands of this chat: 4 files that git ignores (build).")
	b.Gone("build")
	b.Contains(b.Try("cat build/deep/o build/p; echo three >>build/p; rm build/deep/o", p).Text(), "one\ntwo\n")
	b.Tries = true
	unasked, err := b.Dispatcher.Execute(t.Context(), b.Prepare("run_command", toolstest.Args("command", "cat build/p")), p)
	if err != nil {
		t.Fatal(err)
	}
	b.Contains(unasked.Text(), "two\nthree\n")
	b.Contains(b.Try("find build | sort", p).Text(), "build\nbuild/deep\nbuild/p\n[Exit")
	r = b.Command("cat build/p", p)
	if b.Contains(r.Text(), "Only tried commands of this chat see what they built: build."); !r.Failed {
		t.Errorf("an approved command sees it: %s", r.Text())
	}
	b.Chat = "other"
	if r := b.Try("ls build", p); !r.Failed {
		t.Errorf("another chat sees it: %s", r.Text())
	}
	b.Try("mkdir build; echo other >build/p", p)
	b.Chat = "chat"
	b.Contains(b.Try("cat build/p", p).Text(), "two\nthree\n[Exit")
	b.Gone("build")
}

// What a command changed besides is kept first, and then the next one sees both.
// Promise 4.
func TestBuiltFilesAndOthers(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	p := &toolstest.Person{Yes: true}
	r := b.Try("echo 2 >>a; mkdir -p new/build build; cp a build/a; cp a new/build/b; echo n >new/n", p)
	b.Contains(r.Text(), "[Changed: a.]", "4 files that git ignores (build, new/build)")
	if len(p.Asked) != 1 {
		t.Fatalf("asked %d times", len(p.Asked))
	}
	absent(t, p.Asked[0].Text, "build")
	b.Contains(b.Try("cat a build/a new/build/b; ls new", never(t)).Text(), "1\n2\n1\n2\n1\n2\nbuild\nn\n")
}

// If anything else is discarded, what was built from it is, too: it would pass for newer than its source.
func TestBuiltFilesOfDiscardedOnes(t *testing.T) {
	for name, p := range map[string]*toolstest.Person{
		"all":     {},
		"a file":  {Answer: keeping(t, "sub/x")},
		"a hunk":  {Answer: keeping(t, "list line 10", "sub/x", " a")},
		"stopped": {},
	} {
		b := toolstest.ConfinedBench(t)
		b.Write("list", tenLines)
		b.Try("mkdir build; echo before >build/o", never(t))
		line := "echo 2 >>a; echo y >>sub/x; sed -i 's/^1$/one/; s/10/ten/' list; echo after >build/o"
		if name == "stopped" {
			line = "echo after >build/o; kill -9 $$"
		}
		b.Contains(b.Try(line, p).Text(), "Dropped, since ", "(build)")
		b.Contains(b.Try("cat build/o", never(t)).Text(), "before\n")
	}
}

// What is ignored is decided by the ignore files on the disk, and what is protected, guarded or tracked never is.
// Promise 4, 5.
func TestWhatCountsAsBuilt(t *testing.T) {
	for name, c := range map[string]struct{ line, asks, takes string }{
		"hiding a change":       {"echo '*' >>.gitignore; echo x >new; mkdir -p .git/info; mkdir build; echo o >build/o", "Made new", "(build)"},
		"an exclude file":       {"echo 'new' >>.git/info/exclude; echo x >new", ".git/info/exclude", ""},
		"a protected file":      {"echo SECRET=1 >.env.local; echo x >.npmrc", ".npmrc", ""},
		"in an ignored folder":  {"mkdir -p build/.vscode; echo {} >build/.vscode/tasks.json; echo o >build/o", "build/.vscode/tasks.json", "(build)"},
		"a tracked file":        {"echo y >>forced/t; echo o >forced/o", "Changed forced/t", "(forced/o)"},
		"removing a tracked":    {"rm -r forced", "Removed forced/t", ""},
		"replacing its folder":  {"rm -r forced; mkdir forced; echo o >forced/o", "Removed forced/t", "(forced/o)"},
		"a tracked one below":   {"rm -r out", "Removed out/t", ""},
		"in place of a tracked": {"rm -r out; mkdir out; echo o >out/o", "Removed out/t", ""},
		"a file in its place":   {"rm -r out; echo o >out", "Removed out/t", ""},
		"a name like a pattern": {"mkdir sub/build; echo o >sub/build/o; echo x >builds", "Made builds", "(sub/build)"},
	} {
		b := toolstest.ConfinedBench(t)
		b.Write(".gitignore", "build/\nforced/*\n.env*\n.npmrc\nout\n")
		b.Write("out/t", "t\n")
		b.Write("forced/t", "t\n")
		b.Write("forced/u", "u\n")
		b.Git("add", "-f", "forced/t", "out/t")
		p := &toolstest.Person{}
		r := b.Try(c.line, p)
		asked := ""
		for _, q := range p.Asked {
			asked += q.Text
		}
		if !strings.Contains(asked, c.asks) || strings.Contains(r.Text(), "git ignores") != (c.takes != "") || !strings.Contains(r.Text(), c.takes) {
			t.Errorf("%s: asked %q: %s", name, asked, r.Text())
		}
		if b.OnDisk("forced/t") != "t\n" {
			t.Errorf("%s: a tracked file was changed", name)
		}
	}
}

// May be in a layer: what git ignores, and is neither protected, guarded nor tracked.
func TestMayBeBuilt(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	b.Write(".gitignore", "build/\nout/\n.env*\n.hidden\n*.log\n.vscode/\n")
	b.Write("out/t", "t\n")
	b.Git("add", "-f", "out/t")
	b.Write("build/repo/f", "f\n")
	b.Write("build/repo/.git", "gitdir: elsewhere\n")
	may := runcommand.MayBuild(b.Workspace)
	for rel, want := range map[string]bool{
		"build/o": true, "out/o": true, "a.log": true, ".hidden": true, "build/repo/g": true, "sub/build/x/y": true,
		"a": false, ".env": false, ".env.local": false, "build/.env": false, ".vscode/tasks.json": false, "build/.git/config": false, "build/AGENTS.md": false,
		".git/index": false, ".assent/chats/x": false, "out/t": false, "build/repo/f": false,
	} {
		if got := may(rel, false); got != want {
			t.Errorf("%s may be built: %v", rel, got)
		}
	}
	b.Write(".git/index", "broken")
	may = runcommand.MayBuild(b.Workspace)
	if may("out/t", false) || !may("out/o", false) {
		t.Error("without an index what is on the disk may be built, or what is not may not")
	}
}

// What a rule denies or asks about is in no layer.
// Promise 1.
func TestRulesHoldForBuiltFiles(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	b.Rules(`{"deny":[{"tool":"write_file","paths":["build/denied"]}],"ask":[{"tool":"write_file","paths":["build/asked"]}]}`)
	p := &toolstest.Person{}
	b.Contains(b.Try("mkdir build; touch build/denied build/asked build/o", p).Text(), "Not applied: build/denied (", "build/asked (")
	if len(p.Asked) != 1 {
		t.Errorf("it asks %d times", len(p.Asked))
	}
	b.Contains(b.Try("ls build", never(t)).Text(), "o\n[Exit")
	if r := b.Try("ls build/asked build/denied", never(t)); strings.Count(r.Text(), "cannot access") != 2 {
		t.Error(r.Text())
	}
}

// Ignore files may change between two commands: what is ignored by more, or by less, is one part.
func TestIgnoreFilesChangeBetweenCommands(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	b.Write("build/base", "base\n")
	b.Write(".gitignore", "build/x/\nbuild/z\n")
	b.Try("mkdir build/x; echo 1 >build/x/o; echo 3 >build/z", never(t))
	b.Write(".gitignore", "build/\n")
	b.Contains(b.Try("echo 2 >build/y; ls build", never(t)).Text(), "base\nx\ny\nz\n", "2 files that git ignores (build).")
	b.Contains(b.Try("cat build/x/o build/y build/z", never(t)).Text(), "1\n2\n3\n")
	store, err := b.Sandbox.Layers()
	if err != nil {
		t.Fatal(err)
	}
	if parts, _ := store.Of(b.Workspace.Root(), "chat"); len(parts) != 1 || parts[0].Rel != "build" || parts[0].Files != 5 {
		t.Errorf("the parts are %+v", parts)
	}
}

// What a command removed with the folder above it is not in the layer any more, and is not seen through a new one.
func TestFoldersAboveBuiltOnesAreReplaced(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	yes := &toolstest.Person{Yes: true}
	b.Try("mkdir sub/build; echo o >sub/build/o", never(t))
	b.Try("rm -rf sub; mkdir sub sub/build; echo x >sub/y; echo n >sub/build/n", yes)
	b.Contains(b.Try("ls sub sub/build", never(t)).Text(), "sub:\nbuild\ny\n\nsub/build:\nn\n")
	b.Try("rm -rf sub; mkdir sub; echo x >sub/z", yes)
	if got := b.Try("ls sub", never(t)).Text(); !strings.HasPrefix(got, "z\n[Exit") {
		t.Errorf("sub has %s", got)
	}
}

// A protected file in a folder of the layer can be kept, and the folder with it.
func TestAProtectedFileAmongBuiltOnes(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	r := b.Try("mkdir -p build/x; echo x >build/x/CLAUDE.md; echo o >build/x/o", &toolstest.Person{Yes: true})
	if b.OnDisk("build/x/CLAUDE.md") != "x\n" {
		t.Error(r.Text())
	}
	b.Gone("build/x/o")
	b.Contains(b.Try("ls build/x", never(t)).Text(), "CLAUDE.md\no\n")
}

// Where somebody changed the workspace since, the layer's part is dropped, and no other.
func TestTheWorkspaceChangedUnderTheLayer(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	b.Write("build/base", "base\n")
	b.Write("sub/build/base", "base\n")
	b.Try("echo o >build/o; echo o >sub/build/o", never(t))
	b.Write("build/base", "newer\n")
	r := b.Try("cat build/*; cat sub/build/*", never(t))
	b.Contains(r.Text(), "newer\nbase\no\n", "since the workspace has changed there: build.")
	// while a command runs
	p := never(t)
	p.Prints = func() { b.Write("build/base", "newest\n") }
	r = b.Try("echo printed; sleep 0.3; echo mixed >build/o", p)
	b.Contains(r.Text(), "Somebody changed these in the workspace while the command ran")
	absent(t, b.Try("ls build", never(t)).Text(), "o\n")
	b.Try("echo o >build/o", never(t))
	p.Prints = func() { b.Write("build/base", "last\n") }
	r = b.Try("echo printed; sleep 0.3; echo mixed >build/o", p)
	b.Contains(r.Text(), "Somebody changed these in the workspace while the command ran")
	if got := b.Try("cat build/*", never(t)).Text(); !strings.HasPrefix(got, "last\n[Exit") {
		t.Errorf("the layer has %s", got)
	}
	// git does not ignore it any more
	b.Write(".gitignore", "other/\n")
	b.Contains(b.Try("ls sub/build", never(t)).Text(), "base\n[Exit", "git does not ignore it any more: sub/build.")
}

// A layer that somebody broke, or replaced by a link, is dropped, and nothing that the link leads to is seen or removed.
// Promise 4.
func TestABrokenLayer(t *testing.T) {
	for name, breaks := range map[string]func(dir, outside string) error{
		"no record": func(dir, _ string) error { return os.Remove(filepath.Join(dir, "layer.json")) },
		"no JSON":   func(dir, _ string) error { return os.WriteFile(filepath.Join(dir, "layer.json"), []byte("{"), 0o600) },
		"odd parts": func(dir, _ string) error { return replaceIn(filepath.Join(dir, "layer.json"), `"build"`, `"../build"`) },
		"half moved": func(dir, _ string) error {
			return replaceIn(filepath.Join(dir, "layer.json"), `}}}`, `}},"moving":["build"]}`)
		},
		"no folder": func(dir, _ string) error { return os.RemoveAll(filepath.Join(dir, "files")) },
		"a link": func(dir, outside string) error {
			if err := os.RemoveAll(filepath.Join(dir, "files")); err != nil {
				return err
			}
			return os.Symlink(outside, filepath.Join(dir, "files"))
		},
		"a link inside": func(dir, outside string) error {
			if err := os.RemoveAll(filepath.Join(dir, "files/build")); err != nil {
				return err
			}
			return os.Symlink(outside, filepath.Join(dir, "files/build"))
		},
	} {
		b := toolstest.ConfinedBench(t)
		outside := filepath.Join(t.TempDir(), "outside")
		if err := os.MkdirAll(filepath.Join(outside, "build"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(outside, "build/o"), []byte("canary"), 0o600); err != nil {
			t.Fatal(err)
		}
		b.Try("mkdir build; echo o >build/o", never(t))
		store, err := b.Sandbox.Layers()
		if err != nil {
			t.Fatal(err)
		}
		dirs, err := filepath.Glob(store.Folder + "/*")
		if err != nil || len(dirs) != 1 {
			t.Fatalf("%v: %v", dirs, err)
		}
		if err := breaks(dirs[0], outside); err != nil {
			t.Fatal(err)
		}
		r := b.Try("cat build/o; cat build/build/o; rm -rf build; mkdir build; echo again >build/o", never(t))
		absent(t, r.Text(), "canary")
		if name != "a link inside" {
			b.Contains(r.Text(), "hat tried commands of this chat built", "dropped")
		}
		b.Contains(b.Try("cat build/o", never(t)).Text(), "again\n")
		if text, err := os.ReadFile(filepath.Join(outside, "build/o")); string(text) != "canary" {
			t.Errorf("%s: what lies elsewhere is gone: %v", name, err)
		}
	}
}

func replaceIn(file, old, with string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	changed := strings.Replace(string(text), old, with, 1)
	if changed == string(text) {
		return os.ErrNotExist
	}
	return os.WriteFile(file, []byte(changed), 0o600)
}

// Links out of the workspace, sockets and pipes are in no layer.
// Promise 4.
func TestOddBuiltFiles(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	outside := t.TempDir()
	r := b.Try("mkdir build; ln -s "+outside+" build/out; ln -s ../../.. build/up; mkfifo build/pipe; ln -s ../a build/in; echo o >build/o; chmod u+s build/o", never(t))
	b.Contains(r.Text(), "Not applied:", "build/out", "it is a link that leads outside the workspace", "build/pipe")
	b.Contains(b.Try("ls build; cat build/in; stat -c %a build/o", never(t)).Text(), "in\no\n1\n644\n")
}

// Two processes have one chat: both see the layer, and the first to end keeps nothing while the other runs.
func TestTwoCommandsOfOneChat(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	b.Try("mkdir build; echo o >build/o", never(t))
	store, err := b.Sandbox.Layers()
	if err != nil {
		t.Fatal(err)
	}
	other, err := store.Open(b.Workspace.Root(), "chat", func(string, bool) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	r := b.Try("cat build/o; echo p >build/p", never(t))
	b.Contains(r.Text(), "o\n[Exit", "another command of this chat is running")
	b.Write("build/base", "base\n")
	b.Contains(b.Try("ls build", never(t)).Text(), "base\n[Exit", "What tried commands of this chat built is not there: another command of this chat is running.")
	other.Close()
	b.Contains(b.Try("ls build", never(t)).Text(), "since the workspace has changed there: build.")
}

// Very many ignored files ask nothing, and the next command sees them.
func TestManyBuiltFiles(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	b.Write(".gitignore", "build/\n*.tmp\n")
	b.Contains(b.Try("mkdir build; cd build; seq 20000 | xargs touch", never(t)).Text(), "20001 files that git ignores (build)")
	b.Contains(b.Try("ls build | wc -l; rm -r build; for i in `seq 1500`; do : >$i.tmp; done", never(t)).Text(), "20000\n")
	b.Contains(b.Try("ls *.tmp | wc -l; ls -d build", never(t)).Text(), "1500\n", "cannot access")
}
