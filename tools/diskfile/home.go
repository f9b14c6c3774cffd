package diskfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// FromHome is the path that a person means: ~/ in front is their home folder, all else stays as it is. The error is a
// sentence without its end.
func FromHome(path string) (string, error) {
	rest, ok := strings.CutPrefix(path, "~/")
	if !ok {
		return path, nil
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		return "", errors.New("there is no home folder, so " + path + " cannot be found")
	}
	return filepath.Join(dir, rest), nil
}
