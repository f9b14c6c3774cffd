//go:build linux

package runcommand_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/sandbox/sandboxtest"
	"github.com/assent-ls/assent/tools/toolstest"
)

// S11: a program whose real program a file of the workspace can choose does not run unasked, by whatever kind of proxy:
// a script, a link, a second name or a copy of a version manager's program, before the system's folders in PATH.
// F05.
func TestAProxyDoesNotRunUnasked(t *testing.T) {
	program, err := os.ReadFile("/bin/true")
	if err != nil {
		t.Fatal(err)
	}
	asks := []string{"cargo --version", "rustc -V", "rustfmt --version", "go version", "go list ./...", "node --version", "python3 --version", "rg x", "ls", "git status", "cat a | wc -l"}
	for kind, put := range map[string]func(dir, name string) error{
		"a script": func(dir, name string) error {
			return os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nexec ./bin/"+name+"\n"), 0o755)
		},
		"a link":        func(dir, name string) error { return os.Symlink("manager", filepath.Join(dir, name)) },
		"a second name": func(dir, name string) error { return os.Link(filepath.Join(dir, "manager"), filepath.Join(dir, name)) },
		"a copy":        func(dir, name string) error { return os.WriteFile(filepath.Join(dir, name), program, 0o755) },
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "manager"), program, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+":/usr/bin:/bin")
		for _, text := range asks {
			if err := put(dir, strings.Fields(text)[0]); err != nil && !errors.Is(err, os.ErrExist) {
				t.Fatal(err)
			}
		}
		b := toolstest.CommandBench(t, sandboxtest.Pretended{})
		for _, text := range asks {
			if p := b.Prepare("run_command", toolstest.Args("command", text)); p.Decision.Verdict == policy.Run {
				t.Errorf("%s: %q runs by itself", kind, text)
			}
			// What a person allowed by rule is theirs.
		}
		if p := b.Prepare("run_command", toolstest.Args("command", "head a")); p.Decision.Verdict != policy.Run {
			t.Errorf("%s: the system's own program asks", kind)
		}
	}
	t.Setenv("PATH", filepath.Join(runtime.GOROOT(), "bin")+":/usr/bin:/bin") //nolint:staticcheck // the test runs with the Go that built it
	b := toolstest.CommandBench(t, sandboxtest.Pretended{})
	if p := b.Prepare("run_command", toolstest.Args("command", "go version")); p.Decision.Verdict != policy.Run {
		t.Errorf("Go itself asks: %s", p.Decision.Reason)
	}
}
