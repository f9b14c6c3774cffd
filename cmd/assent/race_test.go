//go:build race

package main

// race says that the race detector watches, which takes many times the time and memory.
const race = true
