package interpreter

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
)

// library reads the standard library into memory.
func (f file) library() (fs.FS, error) {
	content, err := f.read()
	if err != nil {
		return nil, err
	}
	lib, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return lib, nil
}
