package servers

import "github.com/assent-ls/assent/agent/model"

// InfoOf is what others are told of a model of a server.
func InfoOf(s *Set, server string, i model.Info) (model.Info, error) {
	of, _, _ := s.named(server + "/x")
	return s.info(of, i)
}

// Listening says who listens at an address, below a folder like /proc.
func Listening(proc, address string) (uid int, said string) {
	l := listening(proc, address)
	return l.uid, l.String()
}
