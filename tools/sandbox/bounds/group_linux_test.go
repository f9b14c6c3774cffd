package bounds

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAbove(t *testing.T) {
	root := t.TempDir()
	for dir, bounds := range map[string]string{".": "cpu memory", "user.slice/app.slice": "memory pids\n", "bare": "cpu pids"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, dir, "cgroup.subtree_control"), []byte(bounds), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for own, want := range map[string]string{
		"0::/user.slice/app.slice/a.scope\n":       "user.slice/app.slice",
		"4:memory:/x\n1:cpu:/\n0::/one\n":          ".",
		"0::/\n":                                   ".",
		"0::/bare/a.scope\n":                       "-",
		"0::/gone/a.scope\n":                       "-",
		"4:memory:/x\n":                            "-",
		"0::/../../user.slice/app.slice/a.scope\n": "user.slice/app.slice",
		"": "-",
	} {
		got, err := above(root, own)
		if rel, relErr := filepath.Rel(root, got); err == nil && (relErr != nil || rel != want) || (err != nil) != (want == "-") {
			t.Errorf("%q: %s, %v", own, got, err)
		}
	}
}

// The kernel ends what has too much memory, however fast it takes it, and the group is gone at the end.
func TestTheKernelBoundsMemory(t *testing.T) {
	if !Grouped() {
		_, err := NewGroup(64 << 20)
		t.Skipf("NOT TESTED: no control group can be made here: %v", err)
	}
	for script, exceeds := range map[string]bool{
		"head -c 300000000 /dev/zero | tail": true, "head -c 1000 /dev/zero | tail": false, "for i in 1 2 3 4; do (head -c 60000000 /dev/zero | tail) & done; wait": true,
	} {
		g, err := NewGroup(100 << 20)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", script)
		cmd.SysProcAttr = &syscall.SysProcAttr{}
		g.Join(cmd.SysProcAttr)
		if out, err := cmd.CombinedOutput(); g.Exceeded() != exceeds {
			t.Errorf("%s: exceeded %v: %v: %s", script, !exceeds, err, strings.ToValidUTF8(string(out[:min(len(out), 100)]), "?"))
		}
		g.Close()
		if _, err := os.Stat(g.dir.Name()); err == nil {
			t.Errorf("%s: the group is still there", script)
		}
	}
}
