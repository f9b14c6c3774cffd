//go:build !unix

package workspace

import "io"

// toRead opens a regular file in a folder that is held. errSwapped: the name is that of something else.
func (o opened) toRead(name string) (f io.ReadCloser, size int64, err error) {
	file, info, err := o.file(name)
	if err != nil {
		return nil, 0, err
	}
	return file, info.Size(), nil
}
