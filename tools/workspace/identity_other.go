//go:build !unix

package workspace

import "io/fs"

// Identity says nothing: other systems give no inode through fs.FileInfo.
func Identity(fs.FileInfo) string { return "folder" }

func links(fs.FileInfo) uint64 { return 1 }

func OwnedByUser(fs.FileInfo) bool { return true }
