package agent

import "github.com/assent-ls/assent/agent/toolcall"

// WithoutGuidance makes an agent that guides no model.
func WithoutGuidance(a *Agent) { a.guides = func(toolcall.Format) bool { return false } }
