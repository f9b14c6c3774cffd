package model

import (
	"fmt"
	"strings"
)

// Summary is one line for people who choose: how large the model is, what it can do, and whether it is loaded.
func (i Info) Summary() string {
	var parts []string
	if size := strings.TrimSpace(i.Parameters + " " + i.Quantization); size != "" {
		parts = append(parts, size)
	}
	if host := i.Elsewhere(); host != "" {
		parts = append(parts, "runs at "+host)
	} else if i.Bytes > 0 {
		parts = append(parts, gibibytes(i.Bytes))
	}
	if i.ContextLimit > 0 {
		parts = append(parts, fmt.Sprintf("up to %d tokens", i.ContextLimit))
	}
	for _, c := range i.Capabilities {
		if c != "completion" {
			parts = append(parts, c)
		}
	}
	if i.Loaded() {
		loaded := "loaded"
		if i.LoadedContext > 0 {
			loaded += fmt.Sprintf(" with %d tokens", i.LoadedContext)
		}
		parts = append(parts, loaded)
	}
	return strings.Join(parts, ", ")
}
