// Package diskfiletest lets tests see what happens when a disk is full, and when something else is in a file's place.
package diskfiletest

import (
	"errors"
	"os"
	"path/filepath"
)

// Odd are ways to put something in a file's place that a reader must refuse, by name: to read it takes for ever, or all
// memory.
var Odd = map[string]func(path string) error{
	"a pipe": Pipe,
	"a link to a pipe": func(path string) error {
		return errors.Join(Pipe(path+".pipe"), os.Symlink(filepath.Base(path)+".pipe", path))
	},
	"a link to /dev/zero": func(path string) error { return os.Symlink("/dev/zero", path) },
	"a folder":            func(path string) error { return os.Mkdir(path, 0o700) },
	"a huge file": func(path string) error {
		return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<42))
	},
}

// Replace puts something odd in the place of a file, or of nothing.
func Replace(path string, odd func(path string) error) error {
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.RemoveAll(path), odd(path))
}
