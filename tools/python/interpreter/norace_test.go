//go:build !race

package interpreter_test

const raceDetector = false
