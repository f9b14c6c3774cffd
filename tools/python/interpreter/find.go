package interpreter

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-ls/assent/tools/diskfile"
)

// Files are an interpreter on disk: a folder as install.sh leaves it.
type Files struct {
	Folder string
	wasm   file
	lib    file
}

// file is one of them, as the manifest has it. Who reads it compares the hash.
type file struct {
	Path   string
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

const (
	wasmName     = "python.wasm"
	libName      = "stdlib.zip"
	manifestName = "manifest.json"
	maxManifest  = 64 << 10 // bytes
)

// ErrMissing is in the error of Find if there is no interpreter at all.
var ErrMissing = errors.New("the Python interpreter is not installed")

// Find looks for the files of the interpreter in the given folders, then beside the running program (python/, or
// ../share/assent/python), then in the user's data folder. Its error says what to run.
func Find(folders ...string) (Files, error) {
	folders = append(folders, places()...)
	for _, folder := range folders {
		f, err := open(folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		return f, err
	}
	return Files{}, fmt.Errorf(
		"%w (looked in %s); `assent code install` builds it", ErrMissing, strings.Join(folders, ", "),
	)
}

// Home is where a user's own interpreter is: the folder for install.sh.
func Home() (string, error) {
	if data := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
		return filepath.Join(data, "assent", "python"), nil
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "share", "assent", "python"), err
}

func places() []string {
	var all []string
	if own, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(own); err == nil {
			own = real
		}
		dir := filepath.Dir(own)
		all = append(all, filepath.Join(dir, "python"), filepath.Join(dir, "..", "share", "assent", "python"))
	}
	if home, err := Home(); err == nil {
		all = append(all, home)
	}
	return all
}

// open reads the manifest of a folder.
func open(folder string) (Files, error) {
	raw, err := diskfile.ReadSmall(filepath.Join(folder, manifestName), maxManifest)
	if err == nil && raw == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		return Files{}, err
	}
	var m struct {
		Files map[string]file `json:"files"`
	}
	f := Files{Folder: folder}
	if err := json.Unmarshal(raw, &m); err != nil {
		return Files{}, f.broken("%s is no JSON: %v", manifestName, err)
	}
	for name, to := range map[string]*file{wasmName: &f.wasm, libName: &f.lib} {
		*to = m.Files[name]
		to.Path = filepath.Join(folder, name)
		info, err := os.Stat(to.Path)
		switch {
		case len(to.SHA256) != 64:
			return Files{}, f.broken("%s does not name %s", manifestName, name)
		case err != nil:
			return Files{}, f.broken("%v", err)
		case info.Size() != to.Size:
			return Files{}, f.broken("%s has %d bytes instead of %d", name, info.Size(), to.Size)
		}
	}
	return f, nil
}

func (f Files) broken(format string, args ...any) error {
	return fmt.Errorf(
		"the Python interpreter in %s is broken: %s; delete that folder and install it again",
		f.Folder, fmt.Sprintf(format, args...),
	)
}
