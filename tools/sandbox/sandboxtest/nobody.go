//go:build linux

package sandboxtest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Nobody is the number of a user without any rights.
const Nobody = 65534

// AsNobody goes on with a test as a user who has no rights, in a process of its own if this one runs as root: true in
// that one. Root can prepare the home folder of that user first.
func AsNobody(t *testing.T, prepare ...func(home string) error) bool {
	t.Helper()
	if os.Getuid() != 0 {
		return true
	}
	home, err := os.MkdirTemp("/tmp", "n") //nolint:usetesting // the folders of t.TempDir are root's alone
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	own := filepath.Join(home, "test")
	if err := errors.Join(
		exec.CommandContext(t.Context(), "cp", os.Args[0], own).Run(), os.Chmod(home, 0o755),
		os.Chown(home, Nobody, Nobody),
	); err != nil {
		t.Fatal(err)
	}
	for _, p := range prepare {
		if err := p(home); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(
		t.Context(), own, "-test.run", "^"+t.Name()+"$", "-test.v", fmt.Sprintf("-test.short=%t", testing.Short()),
	)
	cmd.Dir = home
	cmd.Env = []string{
		"HOME=" + home, "TMPDIR=" + home, "PATH=" + os.Getenv("PATH"),
		"ASSENT_SANDBOX_NO_BUBBLEWRAP=" + os.Getenv("ASSENT_SANDBOX_NO_BUBBLEWRAP"),
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: Nobody, Gid: Nobody}}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		t.Errorf("as an ordinary user: %v\n%s", err, out.String())
	}
	if _, why, skipped := strings.Cut(out.String(), "NOT TESTED: "); skipped {
		why, _, _ = strings.Cut(why, "\n")
		t.Skip("NOT TESTED: as an ordinary user: " + why)
	}
	return false
}
