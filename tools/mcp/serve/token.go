package serve

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/assent-ls/assent/tools/diskfile"
)

// minToken is how many characters a token must have at least: fewer could be guessed.
const minToken = 32

// Token reads the token that clients must send from a file that only its owner can read, and makes the file if there is
// none.
func Token(path string) (string, error) {
	f, err := diskfile.OpenRegular(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if err := newToken(path); err != nil {
			return "", fmt.Errorf("the token file %q cannot be made: %w", path, err)
		}
		f, err = diskfile.OpenRegular(path, os.O_RDONLY, 0)
	}
	if err != nil {
		return "", fmt.Errorf("the token file cannot be read: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf(
			"the token file %q can be read by others: give it the mode 0600, or delete it, and a new one is made", path,
		)
	}
	data, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		return "", fmt.Errorf("the token file cannot be read: %w", err)
	}
	token := strings.TrimSpace(string(data))
	odd := func(r rune) bool { return r <= ' ' || r > '~' }
	if len(token) < minToken || strings.ContainsFunc(token, odd) {
		return "", fmt.Errorf(
			"the token file %q must hold one line of at least %d letters, digits and signs: delete it, "+
				"and a good one is made",
			path, minToken,
		)
	}
	return token, nil
}

// newToken makes the file, whole from the start: another process may make it at the same time.
func newToken(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".token-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) //nolint:errcheck // the link to it stays
	_, err = f.WriteString(rand.Text() + rand.Text() + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
