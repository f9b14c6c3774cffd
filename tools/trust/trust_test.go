//go:build unix

package trust_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/trust"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

const rules = `{"deny": [{"tool": "run_command"}]}`

func open(t *testing.T, root string) *workspace.Workspace {
	t.Helper()
	ws, err := workspace.Open(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	return ws
}

func store(t *testing.T, dir string) *trust.Store {
	t.Helper()
	state, err := userstate.OpenState(dir)
	if err != nil {
		t.Fatal(err)
	}
	return trust.New(state)
}

func put(t *testing.T, root, rel, text string) {
	t.Helper()
	file := filepath.Join(root, rel)
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// S24: trust is lost with any change of the content, whatever the change; it comes back with the content, and is shown
// as a diff.
// Promise 6.
func TestTrustIsOfTheContent(t *testing.T) {
	dir := t.TempDir()
	s, key := store(t, dir), open(t, t.TempDir()).Key()
	if ok, why := s.Trusted(key, trust.Permissions, []byte(rules)); ok || !strings.Contains(why, "until you trust this file") {
		t.Errorf("a new file is trusted: %v, %q", ok, why)
	}
	if err := s.Trust(key, trust.Permissions, []byte(rules)); err != nil {
		t.Fatal(err)
	}
	for at := range len(rules) { // every byte: changed, left out, doubled
		for _, other := range []string{rules[:at] + string(rules[at]^1) + rules[at+1:], rules[:at] + rules[at+1:], rules[:at+1] + rules[at:], rules[:at]} {
			if ok, _ := s.Trusted(key, trust.Permissions, []byte(other)); ok {
				t.Fatalf("%q is trusted", other)
			}
		}
	}
	for _, other := range []string{rules + "\n", " " + rules, "\ufeff" + rules, strings.ToUpper(rules), rules + "\x00"} {
		ok, why := s.Trusted(key, trust.Permissions, []byte(other))
		diff := s.New(key, trust.Permissions, []byte(other))
		if ok || !strings.Contains(why, "changed since you trusted it") || !strings.Contains(diff, "-"+rules) {
			t.Errorf("%q: %v, %q, %q", other, ok, why, diff)
		}
	}
	again := store(t, dir) // after a restart
	if ok, why := again.Trusted(key, trust.Permissions, []byte(rules)); !ok || why != "" || again.New(key, trust.Permissions, []byte(rules)) != "" {
		t.Errorf("after a restart: %v, %q", ok, why)
	}
	if ok, _ := again.Trusted(key, ".assent/tools/permissions.json", []byte(rules)); ok {
		t.Error("the trust passed to another path")
	}
	if err := again.Revoke(key, trust.Permissions); err != nil {
		t.Fatal(err)
	}
	if ok, _ := s.Trusted(key, trust.Permissions, []byte(rules)); ok {
		t.Error("what was taken back in another process still counts")
	}
}

func TestTrustDoesNotPassToAnotherFolder(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	s, ws := store(t, dir), open(t, root)
	if err := s.Trust(ws.Key(), trust.Permissions, []byte(rules)); err != nil {
		t.Fatal(err)
	}
	other := open(t, t.TempDir())
	if ok, _ := s.Trusted(other.Key(), trust.Permissions, []byte(rules)); ok {
		t.Error("another workspace has it")
	}
	if err := errors.Join(os.Rename(root, root+"-old"), os.Mkdir(root, 0o700)); err != nil {
		t.Fatal(err)
	}
	made := open(t, root)
	if ok, _ := s.Trusted(made.Key(), trust.Permissions, []byte(rules)); ok {
		t.Error("a folder made again has it")
	}
	if err := s.Trust(made.Key(), trust.Tools+"/a.json", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if ok, _ := s.Trusted(ws.Key(), trust.Permissions, []byte(rules)); ok {
		t.Error("what is there now did not take the place of what was")
	}
}

func TestWhatCannotBeToldApartIsTrustedInThisProcessOnly(t *testing.T) {
	dir := t.TempDir()
	s, key := store(t, dir), "/somewhere|session:x"
	if err := s.Trust(key, trust.Permissions, []byte(rules)); err != nil {
		t.Fatal(err)
	}
	if ok, why := s.Trusted(key, trust.Permissions, []byte(rules)); !ok {
		t.Error(why)
	}
	if ok, _ := store(t, dir).Trusted(key, trust.Permissions, []byte(rules)); ok {
		t.Error("it was kept")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the state folder: %v, %v", left, err)
	}
}

// A broken or forged state file trusts nothing.
func TestABrokenStateTrustsNothing(t *testing.T) {
	for _, broken := range []string{"", "{", `{"version":1,"data":[]}`, `{"version":99,"data":{}}`, `{"version":1,"data":{"K":{".assent/permissions.json":{"sha256":1}}}}`} {
		dir := t.TempDir()
		key := open(t, t.TempDir()).Key()
		put(t, dir, "trusted-files.json", strings.ReplaceAll(broken, "K", key))
		if ok, why := store(t, dir).Trusted(key, trust.Permissions, nil); ok || why == "" {
			t.Errorf("%q: %v, %q", broken, ok, why)
		}
	}
}

func TestListNamesWhatNeedsTrust(t *testing.T) {
	root := t.TempDir()
	put(t, root, trust.Permissions, rules)
	put(t, root, trust.Tools+"/b.json", "{}")
	put(t, root, trust.Tools+"/a.json", "{}")
	put(t, root, trust.Tools+"/gone.json", "{}")
	put(t, root, trust.Tools+"/huge.json", strings.Repeat(" ", 64<<10+1))
	put(t, root, trust.Tools+"/notes.txt", "no tool")
	put(t, root, trust.Tools+"/.hidden.json", "no tool")
	put(t, root, trust.Tools+"/deep/c.json", "no tool")
	put(t, root, "outside.json", "{}")
	put(t, root, ".assent/prompts/system.md", "prose")
	if err := os.Symlink("../../outside.json", filepath.Join(root, trust.Tools, "link.json")); err != nil {
		t.Fatal(err)
	}
	s, ws := store(t, t.TempDir()), open(t, root)
	for _, rel := range []string{"a", "gone"} {
		if err := s.Trust(ws.Key(), trust.Tools+"/"+rel+".json", []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(root, trust.Tools, "gone.json")); err != nil {
		t.Fatal(err)
	}
	files, err := s.List(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		got = append(got, fmt.Sprintf("%s %v %v %v", strings.TrimPrefix(f.Rel, ".assent/"), f.Trusted, f.Missing, f.Data != nil))
	}
	want := []string{
		"permissions.json false false true", "tools/a.json true false true", "tools/b.json false false true",
		"tools/gone.json false true false", "tools/huge.json false false false", "tools/link.json false false false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("listed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if err := s.Revoke(ws.Key(), ""); err != nil {
		t.Fatal(err)
	}
	if files, err = s.List(t.Context(), ws); err != nil || slices.ContainsFunc(files, func(f trust.File) bool { return f.Trusted || f.Missing }) {
		t.Errorf("after all was taken back: %v, %v", files, err)
	}
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	s, key := store(t, t.TempDir()), open(t, t.TempDir()).Key()
	if err := s.Trust(key, trust.Permissions, make([]byte, 65<<10)); !errors.Is(err, trust.ErrCannotTrust) {
		t.Errorf("a huge file: %v", err)
	}
	text := func(n int) []byte { return []byte(strings.Repeat("\x01", 60<<10) + fmt.Sprint(n)) } // six bytes each in JSON
	for n := range 20 {
		if err := s.Trust(key, fmt.Sprintf("%s/%d.json", trust.Tools, n), text(n)); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 20 {
		if ok, why := s.Trusted(key, fmt.Sprintf("%s/%d.json", trust.Tools, n), text(n)); !ok {
			t.Errorf("%d: %s", n, why)
		}
	}
}

// S27: what is trusted is kept in private files, which are replaced as a whole, and in no folder that is a link.
func TestTrustIsKeptInPrivate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	s, key := store(t, dir), open(t, t.TempDir()).Key()
	if err := s.Trust(key, trust.Permissions, []byte(rules)); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(filepath.Join(dir, "trusted-files.json"))
	if err != nil || before.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", before.Mode(), err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := s.Trust(key, trust.Tools+"/a.json", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(filepath.Join(dir, "trusted-files.json")); err != nil || os.SameFile(before, after) {
		t.Errorf("it was written in place: %v", err)
	}
	linked := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, linked); err != nil {
		t.Fatal(err)
	}
	if _, err := userstate.OpenState(linked); !errors.Is(err, workspace.ErrState) {
		t.Errorf("a linked state folder is used: %v", err)
	}
}
