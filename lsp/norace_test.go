//go:build !race

package lsp_test

// race says that the race detector watches.
const race = false
