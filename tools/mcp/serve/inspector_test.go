//go:build unix

package serve_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestTheInspector: the official client uses the real program over stdio and over HTTP, and cannot approve anything,
// since it cannot be asked.
func TestTheInspector(t *testing.T) {
	folder := os.Getenv("ASSENT_CONFORMANCE") // where npm put it
	if folder == "" {
		t.Skip("NOT TESTED: the official Inspector as a client, which .ci/mcp installs and runs")
	}
	program, dir, home := build(t), t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + home, "PATH=" + filepath.Join(folder, "node_modules", "node", "bin") + ":/usr/bin:/bin"}
	server := exec.CommandContext(t.Context(), program, "mcp", "serve", "--http", ":0", "--folder", dir)
	server.Env = env
	notes, err := server.StderrPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	address := ""
	for lines := bufio.NewScanner(notes); address == "" && lines.Scan(); {
		for word := range strings.FieldsSeq(lines.Text()) {
			if strings.HasPrefix(word, "http://") {
				address = strings.TrimRight(word, ".,")
			}
		}
	}
	token, err := os.ReadFile(filepath.Join(home, ".local", "state", "assent", "mcp-token"))
	if err != nil || address == "" {
		t.Fatal(address, err)
	}
	for name, target := range map[string][]string{
		"stdio": {program, "mcp", "serve", "--folder", dir},
		"HTTP":  {"--transport", "http", "--server-url", address, "--header", "Authorization: Bearer " + strings.TrimSpace(string(token))},
	} {
		inspect := func(args ...string) string {
			t.Helper()
			cmd := exec.CommandContext(t.Context(), filepath.Join(folder, "node_modules", ".bin", "mcp-inspector"), append(append([]string{"--cli"}, target...), args...)...)
			cmd.Env = env
			var wrong strings.Builder
			cmd.Stderr = &wrong
			out, err := cmd.Output()
			t.Logf("%s %q: %v %s", name, args, err, wrong.String())
			return string(out)
		}
		var listed mcp.ListToolsResult
		if out := inspect("--method", "tools/list"); json.Unmarshal([]byte(out), &listed) != nil || len(listed.Tools) < 5 {
			t.Errorf("%s lists %s", name, out)
		}
		if out := inspect("--method", "tools/call", "--tool-name", "read_file", "--tool-arg", "path=a.txt"); !strings.Contains(out, `one\ntwo`) {
			t.Errorf("%s reads %s", name, out)
		}
		if out := inspect("--method", "tools/call", "--tool-name", "write_file", "--tool-arg", "path=b.txt", "content=x"); !strings.Contains(out, "othing was done") {
			t.Errorf("%s writes %s", name, out)
		}
		if out := inspect("--method", "resources/list"); !strings.Contains(out, "a.txt") {
			t.Errorf("%s lists %s", name, out)
		}
		if _, err := os.Stat(filepath.Join(dir, "b.txt")); err == nil {
			t.Errorf("%s: a file was written that nobody allowed", name)
		}
	}
	if err := errors.Join(server.Process.Signal(syscall.SIGTERM), server.Wait()); err != nil {
		t.Error(err)
	}
}
