//go:build race

package lsp_test

// race says that the race detector watches, which takes many times the memory.
const race = true
