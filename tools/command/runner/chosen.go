package runner

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/diskfile"
)

// systemFolders are where the system's packages put programs, and nobody puts one that looks in the folder where it
// runs for another one to start. Version managers have folders of their own, which come before these in PATH.
var systemFolders = []string{
	"/usr/bin", "/bin", "/usr/sbin", "/sbin", "/run/current-system/sw/bin", "/run/current-system/profile/bin",
}

// Chosen reports whether files of a workspace may choose what runs under the name of a program, which Find found in
// file: that is so unless the program is known to be what its name says. A version manager's is a small program that
// starts the one that a file such as rust-toolchain.toml or .tool-versions names, by a path even.
func Chosen(name, file string) bool {
	if (name == "go" || name == "gofmt") && isOfGo(name, file) {
		return false // Hardened and Environ keep it from starting another Go
	}
	if !slices.Contains(systemFolders, filepath.Dir(file)) {
		return true
	}
	return command.ManyVersions(name) && !isItself(name, file)
}

// isOfGo reports whether a program is Go's own: it lies in a tree as Go is released.
func isOfGo(name, file string) bool {
	file = resolved(file)
	root := filepath.Dir(filepath.Dir(file))
	version, err := diskfile.ReadSmall(filepath.Join(root, "VERSION"), 4096)
	tools, statErr := os.Stat(filepath.Join(root, "pkg", "tool"))
	return err == nil && statErr == nil && tools.IsDir() && bytes.HasPrefix(version, []byte("go1.")) &&
		isItself(name, file)
}

// isItself reports whether a program is a binary of its own that has the name, with a version perhaps: no script, and
// no one program under several names.
func isItself(name, file string) bool {
	file = resolved(file)
	for part := range strings.SplitSeq(filepath.Base(file), "-") { // x86_64-linux-gnu-gcc-12
		if rest, ok := strings.CutPrefix(part, name); ok && strings.Trim(rest, ".0123456789") == "" {
			return isBinary(file)
		}
	}
	return false
}

// isBinary reports whether a file is a program for the kernel alone that has one name.
func isBinary(file string) bool {
	f, err := diskfile.OpenRegular(file, os.O_RDONLY, 0)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	magic := make([]byte, 4)
	if err != nil || names(info) != 1 {
		return false
	}
	_, err = io.ReadFull(f, magic)
	return err == nil && string(magic) == "\x7fELF"
}

// environ is the environment of a program that runs for a line: one that only reads gets what keeps a project from
// choosing another one.
func environ(part command.Part) []string {
	env := os.Environ()
	set := func(name, value string) {
		env = append(
			slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, name+"=") }), name+"="+value,
		)
	}
	if part.In != "" {
		set("PWD", part.In)
	}
	if part.Argv[0] == "go" && command.Harmless(part.Argv) {
		set("GOTOOLCHAIN", "local") // go.mod could name another Go, which go would look for in PATH
	}
	return env
}
