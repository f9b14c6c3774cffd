// Package modules lists the modules that the program is made of, and the files in them that hold their licenses.
package modules

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// program is whose parts are listed.
const program = "github.com/assent-ls/assent/cmd/assent"

// Module is a module of somebody else that is part of the program.
type Module struct{ Path, Version, Dir string }

// Of lists the modules of the program on one system, such as "linux", by path. The list is the same on every machine.
// It needs no network where the program can be built.
func Of(goos string) ([]Module, error) {
	const format = "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}"
	list := exec.Command("go", "list", "-deps", "-f", format, program) //nolint:noctx // it ends by itself
	list.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	out, err := list.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		err = errors.New(string(exit.Stderr))
	}
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.Sort(lines)
	var all []Module
	for _, line := range slices.Compact(lines) {
		// an empty line is of the standard library, or our own
		if parts := strings.Split(line, "\t"); len(parts) == 3 {
			all = append(all, Module{parts[0], parts[1], parts[2]})
		}
	}
	return all, nil
}

// LicenseFiles names the files in a module's folder that hold licenses, in order.
func LicenseFiles(dir string) ([]string, error) {
	return named(dir, "license", "licence", "copying")
}

// NoticeFiles names the files in a module's folder that its license wants passed on beside it, in order.
func NoticeFiles(dir string) ([]string, error) {
	return named(dir, "notice", "patents")
}

// named lists the files of a folder whose names begin with one of these, in any case.
func named(dir string, beginnings ...string) (found []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		begins := func(with string) bool { return strings.HasPrefix(name, with) }
		if !e.IsDir() && slices.ContainsFunc(beginnings, begins) {
			found = append(found, e.Name())
		}
	}
	return found, nil
}
