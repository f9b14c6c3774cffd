//go:build !unix

package diskfile

import (
	"io/fs"
	"os"
)

const noBlock = 0

func keepOwner(*os.File, fs.FileInfo) {}
