//go:build unix

package diagnosis

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gofrs/flock"
)

func file(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// What is mended is what was found: a lock that somebody holds stays, and so do files that are private already.
func TestStateIsMended(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	file(t, filepath.Join(dir, "trust.json"), "{}", 0o644)
	file(t, filepath.Join(dir, "usage.jsonl"), "{}\n", 0o600)
	file(t, filepath.Join(dir, "locks", "a.lock"), "", 0o600)
	file(t, filepath.Join(dir, "locks", "a.owner"), "gone", 0o600)
	file(t, filepath.Join(dir, "locks", "b.lock"), "", 0o600)
	file(t, filepath.Join(dir, "locks", "b.owner"), "alive", 0o600)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	held := flock.New(filepath.Join(dir, "locks", "b.lock"))
	if ok, err := held.TryLock(); !ok || err != nil {
		t.Fatal(err)
	}
	defer held.Unlock() //nolint:errcheck // the test ends
	f, err := State(dir)
	if err != nil || f.Missing || f.Free == 0 || f.Bytes == 0 || !slices.Equal(f.Open, []string{".", "trust.json"}) || !slices.Equal(f.Left, []string{"locks/a.owner"}) {
		t.Fatalf("%+v, %v", f, err)
	}
	done, err := f.Mend()
	if err != nil || len(done) != 3 {
		t.Errorf("%q, %v", done, err)
	}
	for name, mode := range map[string]os.FileMode{".": 0o700, "trust.json": 0o600, "locks/b.owner": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after, err := State(dir); err != nil || len(after.Open)+len(after.Left) > 0 {
		t.Errorf("%+v, %v", after, err)
	}
}

// A folder that is not there yet is looked for above, and nothing is made.
func TestStateThatIsMissing(t *testing.T) {
	above := t.TempDir()
	f, err := State(filepath.Join(above, "a", "b"))
	if err != nil || !f.Missing || f.Free == 0 || f.Unwanted != nil {
		t.Errorf("%+v, %v", f, err)
	}
	if entries, err := os.ReadDir(above); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
	if f, err := State("/proc/nothing/here"); err != nil || f.Unwanted == nil {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestEditors(t *testing.T) {
	home, bin := t.TempDir(), t.TempDir()
	self := filepath.Join(bin, "assent")
	file(t, self, "", 0o700)
	file(t, filepath.Join(bin, "hx"), "", 0o700)
	file(t, filepath.Join(bin, "kate"), "", 0o700)
	t.Setenv("PATH", bin)
	p := Places{Home: home, Config: filepath.Join(home, "c"), Data: filepath.Join(home, "d"), Self: self}
	file(t, filepath.Join(p.Config, "helix", "languages.toml"), "[language-server.assent]\ncommand = \"assent\"\nargs = [\"serve\"]\n", 0o600)
	file(t, filepath.Join(p.Config, "nvim", "lua", "lsp", "a.lua"), `cmd = { "`+home+`/old/assent", "serve" }`, 0o600)
	file(t, filepath.Join(p.Config, "zed", "settings.json"), `{"path": "~/gone/assent"}`, 0o600)
	file(t, filepath.Join(home, "old", "assent"), "", 0o700)
	file(t, filepath.Join(home, ".vscode", "extensions", "x.assent-1", "package.json"), "{}", 0o600)
	file(t, filepath.Join(home, ".vimrc"), "let assent_is_nice = 1\n", 0o600)
	got := map[string]string{}
	for _, e := range p.Editors() {
		got[e.Name] = "none"
		if e.Starts != "" {
			got[e.Name] = strings.ReplaceAll(p.Wrong(e.Starts), home, "~")
		}
	}
	want := map[string]string{
		"Helix": "", "Kate": "none", "Neovim": "~/old/assent is another assent than this one", "Zed": "~/gone/assent does not exist", "VS Code": "",
	}
	for name, state := range want {
		if now, there := got[name]; !there || now != state {
			t.Errorf("%s: %q, want %q", name, now, state)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%v", got)
	}
	t.Setenv("PATH", home)
	if wrong := p.Wrong("assent"); !strings.Contains(wrong, "not on PATH") {
		t.Error(wrong)
	}
}
