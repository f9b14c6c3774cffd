//go:build !unix

package wire

// processAlive cannot be asked here: the end of the input says when the editor is gone.
func processAlive(int) bool { return true }
