//go:build !unix

package mcp_test

import "os"

// alive says whether there is a process.
func alive(pid int) bool {
	_, err := os.FindProcess(pid)
	return err == nil
}
