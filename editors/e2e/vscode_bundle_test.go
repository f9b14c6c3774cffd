//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestBundledProgramVSCode installs the extension with the program inside. It is used where there is no other, and the
// setting names another one all the same.
func TestBundledProgramVSCode(t *testing.T) {
	w := newWorld(t, "127.0.0.1:1", map[string]string{"README.md": readmeText})
	tools := installed(t, "vscode.sh")
	bundle := exec.Command("../vscode/bundle.sh")
	bundle.Env = append(os.Environ(), "OUT="+w.home(), "PATH="+filepath.Dir(tools["NODE"])+":"+os.Getenv("PATH"))
	if out, err := bundle.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	vsix := filepath.Join(w.home(), "assent-linux-"+strings.Replace(runtime.GOARCH, "amd64", "x64", 1)+".vsix")
	for i, pair := range w.env {
		if path, ok := strings.CutPrefix(pair, "PATH="+filepath.Dir(w.program)+":"); ok {
			w.env[i] = "PATH=" + path
		}
	}
	other, mark := filepath.Join(w.home(), "other"), filepath.Join(w.home(), "other-ran")
	must(t, os.WriteFile(other, fmt.Appendf(nil, "#!/bin/sh\ntouch %s\nexec %s \"$@\"\n", mark, w.program), 0o755))

	e := vscode{vsix: vsix}.start(w)
	e.open("README.md") // a program serves it
	if _, err := os.Stat(mark); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the program that nobody named runs: %v", err)
	}
	e.kill()
	e = vscode{vsix: vsix, program: other}.start(w)
	e.open("README.md")
	if _, err := os.Stat(mark); err != nil {
		t.Errorf("the program of the setting does not run: %v", err)
	}
}
