//go:build !unix

package diskfiletest

import (
	"errors"
	"testing"
)

// Limited cannot be had here.
func Limited(t *testing.T, _ int, _ func()) {
	t.Helper()
	t.Skip("NOT TESTED: this system does not limit the size of files")
}

// Pipe cannot be had here.
func Pipe(string) error { return errors.ErrUnsupported }
