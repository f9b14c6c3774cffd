//go:build !linux

package layers

import (
	"os"

	"github.com/assent-ls/assent/tools/changes"
)

func lockOf(string) (*os.File, error) { return nil, changes.ErrUnsupported }

func exclusive(*os.File) bool { return false }

func shared(*os.File) bool { return false }

func identity(string) string { return "" }
