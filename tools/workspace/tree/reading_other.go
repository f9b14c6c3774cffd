//go:build !unix

package tree

import "io"

// ToRead implements Directory.
func (d *disk) ToRead(name string) (f io.ReadCloser, size int64, err error) {
	file, info, err := d.Regular(name)
	if err != nil {
		return nil, 0, err
	}
	return file, info.Size(), nil
}
