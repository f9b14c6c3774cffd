//go:build !unix

package tree

import (
	"io/fs"
	"os"
)

const noBlock = 0

func keepOwner(*os.File, fs.FileInfo) {}
