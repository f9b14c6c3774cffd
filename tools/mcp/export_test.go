package mcp

import "time"

// Hurry shortens the times of a source for tests. It is called before the source is used.
func (s *Source) Hurry(start, first, longest time.Duration) { s.times = times{start, first, longest} }
