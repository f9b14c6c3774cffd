package terminal

import (
	"os"
	"path/filepath"
)

// Path is a path as people read it: relative to the current folder if it is below it, else as it is.
func Path(path string) string {
	here, err := os.Getwd()
	if err != nil || !filepath.IsAbs(path) || here == filepath.Dir(here) { // below the root is everything
		return path
	}
	below, err := filepath.Rel(here, path)
	if err != nil || below == "." || !filepath.IsLocal(below) {
		return path
	}
	return below
}
