package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-ls/assent/cmd/modules"
)

// systems are those that a release has programs for.
func systems() []string { return []string{"linux", "darwin", "windows"} }

// notices prints the licenses and notices of every module that the program contains on one of the systems, and of Go's
// standard library: nearly all licenses want that of who passes a program on.
func notices(out io.Writer) error {
	root, err := exec.Command("go", "env", "GOROOT").Output() //nolint:noctx // it ends by itself
	if err != nil {
		return err
	}
	folders := map[string]string{"Go's standard library": strings.TrimSpace(string(root))}
	for _, system := range systems() {
		all, err := modules.Of(system)
		if err != nil {
			return err
		}
		for _, m := range all {
			folders[m.Path+" "+m.Version] = m.Dir
		}
	}
	fmt.Fprint(out, "Assent contains the work of others. These are their licenses and notices.\n")
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		if err := noticesOf(out, name, folders[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func noticesOf(out io.Writer, name, dir string) error {
	files, err := modules.LicenseFiles(dir)
	if err != nil {
		return err
	}
	more, err := modules.NoticeFiles(dir)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("there is no license in %s", dir)
	}
	for _, file := range slices.Concat(files, more) {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return err
		}
		line := strings.Repeat("=", 100)
		fmt.Fprintf(out, "\n%s\n%s: %s\n%s\n\n%s\n", line, name, file, line, strings.TrimSpace(string(text)))
	}
	return nil
}
