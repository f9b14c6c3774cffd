//go:build !unix

package workspace

import (
	"io/fs"
	"os"
)

const noBlock = 0

// identity says nothing: other systems give no inode through fs.FileInfo.
func identity(fs.FileInfo) string { return "folder" }

func links(fs.FileInfo) uint64 { return 1 }

func ownedByUser(fs.FileInfo) bool { return true }

func keepOwner(*os.File, fs.FileInfo) {}
