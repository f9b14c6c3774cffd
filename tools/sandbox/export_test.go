//go:build linux && (amd64 || arm64)

package sandbox

// AlsoBubblewrap lets tests use a bubblewrap that is not among those of the system. Nothing else can name one.
func AlsoBubblewrap(path string) { bubblewraps = append(bubblewraps, path) }
