//go:build unix

package journal

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/diskfile/diskfiletest"
)

// TestAFullDiskAtEveryByte lets files grow to N bytes and no further, for each N: the journal holds whole pieces, each
// of which was kept, and what was not kept is said. The limit is that of a process of its own.
// Promise 10.
func TestAFullDiskAtEveryByte(t *testing.T) {
	helper := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFullDiskHelper$", "-test.v")
	helper.Env = append(os.Environ(), "FULL_DISK=yes")
	if out, err := helper.CombinedOutput(); err != nil || !strings.Contains(string(out), "kept to its end") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// TestFullDiskHelper is not a test of its own: it is TestAFullDiskAtEveryByte in a process that may be limited.
func TestFullDiskHelper(t *testing.T) {
	if os.Getenv("FULL_DISK") == "" {
		return
	}
	for size := range 1000 {
		dir := t.TempDir()
		j := open(t, dir)
		var kept strings.Builder
		failed := false
		diskfiletest.Limited(t, size, func() {
			for _, piece := range []string{"first ", "second ", "third"} {
				err := j.Append(piece)
				if err == nil {
					kept.WriteString(piece)
				} else if failed = true; !errors.Is(err, ErrNotKept) {
					t.Errorf("limit %d: %v, want ErrNotKept", size, err)
				}
			}
		})
		if text, _ := pending(t, dir, chat); text != kept.String() {
			t.Fatalf("limit %d: the journal holds %q, and kept was %q", size, text, kept.String())
		}
		if !failed {
			t.Logf("kept to its end with %d bytes", size)
			return
		}
	}
}
