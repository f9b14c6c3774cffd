//go:build !unix

package main

import "os/exec"

// typist is a person at a terminal: here there is none that a test could have.
type typist struct{}

func (s *user) sitDown(func(*exec.Cmd), ...string) *typist {
	s.t.Helper()
	s.t.Skip("NOT TESTED: there is no pseudo-terminal on this system")
	return nil
}

func (*typist) sees(string) string { return "" }

func (*typist) types(string) {}

func (*typist) leaves() (status int, screen string) { return 0, "" }
