package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/tools/diskfile"
)

// Write changes a settings file, which it makes if there is none. change gets what the file holds, and keeps what it
// does not mean. The error is a sentence that names the file.
func Write(path string, change func(data []byte) ([]byte, error)) error {
	data, err := Read(path)
	if err != nil {
		return err
	}
	changed, err := change(data)
	if err != nil {
		return fmt.Errorf("%s cannot be changed: %w", path, err)
	}
	return writable(path, put(path, data == nil, changed))
}

// writable says what to do if a file may only be read.
func writable(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%s can only be read: make it and its folder writable, then try again", path)
	}
	return err
}

// put writes a file, or makes it.
func put(path string, isNew bool, text []byte) error {
	if isNew {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		file, err := diskfile.Create(path, text)
		if err != nil {
			return err
		}
		return file.Close()
	}
	file, err := diskfile.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // it was replaced, or it is as it was
	return file.Replace(text)
}

// WriteValue gives a setting a value in a settings file. All else in the file stays as it is, comments too.
func WriteValue(path, name string, value any) error {
	return Write(path, func(data []byte) ([]byte, error) { return jsonc.Set(data, name, value) })
}
