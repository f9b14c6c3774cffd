package agent

import "github.com/assent-ls/assent/agent/toolcall"

// WithoutHelp makes an agent that helps no model.
func WithoutHelp(a *Agent) { a.helps = func(toolcall.Format) bool { return false } }
