//go:build !race

package main

// race says that the race detector watches.
const race = false
