package servers

import "github.com/assent-ls/assent/agent/model"

// InfoOf is what others are told of a model of a server.
func InfoOf(s *Set, server string, i model.Info) (model.Info, error) {
	of, _, _ := s.named(server + "/x")
	return s.info(of, i)
}
