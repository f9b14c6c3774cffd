//go:build linux && (amd64 || arm64)

package runcommand_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/toolstest"
)

// Keep what was built moves the layer of the chat into the workspace, after a question in every mode. What a rule denies
// is left out, and what is replaced is kept for a while.
// Promise 1, 4, 10.
func TestKeepWhatWasBuilt(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	b.Write("build/old", "old\n")
	b.Write("build/gone/x", "x\n")
	b.Try("umask 22; echo new >build/old; rm -r build/gone; mkdir -p build/in sub/build; echo o >build/in/o; echo d >build/denied; echo s >sub/build/s", never(t))
	b.Rules(`{"deny":[{"tool":"write_file","paths":["build/denied"]}]}`)
	store, err := b.Sandbox.Layers()
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(filepath.Join(b.Dir, "sub"))
	if err != nil {
		t.Fatal(err)
	}
	for _, mode := range []policy.Mode{policy.ModeAsk, policy.ModeEdits, policy.ModeFull} {
		call := b.Call("keep_built", "{}")
		call.Mode = func() policy.Mode { return mode }
		if _, err := b.Dispatcher.Execute(t.Context(), b.Dispatcher.Prepare(t.Context(), call), nil); !errors.Is(err, tools.ErrNotApproved) {
			t.Fatalf("%s: %v", mode, err)
		}
	}
	p := b.Prepare("keep_built", "{}")
	b.Contains(p.Preview, "build: ", "sub/build: 2 files and folders", "all: ")
	b.Contains(b.Do("keep_built", "{}").Text(), "build/in/o", "build/gone/x", "build/denied (")
	if got := b.OnDisk("build/old") + b.OnDisk("build/in/o") + b.OnDisk("sub/build/s"); got != "new\no\ns\n" {
		t.Errorf("the files hold %q", got)
	}
	b.Gone("build/gone", "build/denied")
	if after, err := os.Stat(filepath.Join(b.Dir, "sub")); err != nil || after.Mode() != before.Mode() {
		t.Errorf("a folder above it has another mode: %v", err)
	}
	if kept, _ := filepath.Glob(filepath.Join(filepath.Dir(store.Folder), "kept/*/*/build/old")); len(kept) != 1 || readFile(t, kept[0]) != "old\n" {
		t.Errorf("what was replaced is kept in %v", kept)
	}
	if p := b.Prepare("keep_built", "{}"); p.Answered == nil {
		t.Error("there is something left")
	}
	b.Contains(b.Try("cat build/old", never(t)).Text(), "new\n[Exit status 0.]")
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What a question was about is what is kept: a command that built more since makes it another question.
// Promise 2.
func TestWhatIsKeptIsWhatWasAskedAbout(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	b.Try("mkdir build; echo o >build/o", never(t))
	p := b.Prepare("keep_built", "{}")
	b.Try("echo p >build/p", never(t))
	if _, err := b.Dispatcher.Execute(t.Context(), p.Approved(), nil); !errors.Is(err, tools.ErrChanged) {
		t.Errorf("it runs: %v", err)
	}
	b.Gone("build")
	b.Contains(b.Do("keep_built", toolstest.Args("remove", true)).Text(), "Removed.")
	if r := b.Try("ls build", never(t)); !r.Failed {
		t.Errorf("it is there: %s", r.Text())
	}
}

// A crash while what was built is moved leaves none of it to later commands, and nothing is lost in the workspace.
func TestACrashWhileKeeping(t *testing.T) {
	b := toolstest.ConfinedBench(t)
	b.Write("build/old", "old\n")
	b.Try("echo new >build/old", never(t))
	chat, _, err := b.Sandbox.LeaveBuilt(sandbox.Chat{Name: "chat", Ignored: func(string, bool) bool { return true }})
	if err != nil {
		t.Fatal(err)
	}
	chat.Close()
	b.Contains(b.Try("cat build/old", never(t)).Text(), "old\n[Exit", "since it was not wholly written: build.")
}
