package serve_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// build makes the real program.
func build(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "assent")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", file, "../../../cmd/assent").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return file
}

// TestTheRealProgram builds it once, and is its client.
func TestTheRealProgram(t *testing.T) {
	t.Parallel()
	file := build(t)
	for name, test := range map[string]func(*testing.T, string){"over stdio": theRealProgramOverStdio, "listens": theRealProgramListens} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, file)
		})
	}
}

// theRealProgramOverStdio: a client starts it, calls its tools, is asked, and ends it by closing its input. What it
// prints are messages.
func theRealProgramOverStdio(t *testing.T, file string) {
	t.Helper()
	eachGeneration(t, func(t *testing.T, version string) {
		w := newWorld(t)
		home := t.TempDir()
		cmd := exec.Command(file, "mcp", "serve", "--folder", w.dir) //nolint:noctx // the transport ends it
		cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin"}
		var notes bytes.Buffer
		cmd.Stderr = &notes
		c := w.dial(version, &mcp.CommandTransport{Command: cmd, TerminateDuration: 10 * time.Second}, yes)
		if r, text, err := c.try("read_file", map[string]any{"path": "a.txt"}); err != nil || r.IsError || !strings.Contains(text, "one\ntwo") {
			t.Errorf("%q, %v", text, err)
		}
		if r, text, err := c.try("write_file", newFile); err != nil || r.IsError || w.holds("b.txt") != "made\n" {
			t.Errorf("%q, %v", text, err)
		}
		if err := c.Close(); err != nil {
			t.Errorf("it ended with %v: %s", err, notes.String())
		}
		if notes.Len() > 0 {
			t.Errorf("it says: %s", notes.String())
		}
	})
	t.Run("hostile input", func(t *testing.T) {
		t.Parallel()
		for name, input := range map[string]string{
			"no JSON": "hello\n", "a list": "[]\n", "a cut message": `{"jsonrpc":"2.0","id":1,"meth`, "two objects": "{}{}\n", "a hundred megabytes": `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 100<<20),
		} {
			cmd := exec.CommandContext(t.Context(), file, "mcp", "serve", "--folder", t.TempDir())
			cmd.Env = []string{"HOME=" + t.TempDir()}
			cmd.Stdin = strings.NewReader(input)
			var notes bytes.Buffer
			cmd.Stderr = &notes
			out, err := cmd.Output()
			for line := range strings.Lines(string(out)) {
				if !json.Valid([]byte(line)) {
					t.Errorf("%s: it prints %q", name, line)
				}
			}
			if len(notes.String()) > 500 || strings.Contains(notes.String(), "goroutine") {
				t.Errorf("%s: %v, it says %.500s", name, err, notes.String())
			}
			t.Logf("%s: %v, %s", name, err, notes.String())
		}
	})
}
