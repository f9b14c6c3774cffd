package formats

import (
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// WithWords is a format that tells a model in other words how to call tools. Below them are what no call can be made
// without: the tools, and what a call looks like. Where the server describes the tools (native), and without words, it
// is the format itself.
func WithWords(f toolcall.Format, words string) toolcall.Format {
	if strings.TrimSpace(words) == "" {
		return f
	}
	switch f := f.(type) {
	case limited:
		f.Format = WithWords(f.Format, words)
		return f
	case *family:
		if f.name == nativeName {
			return f
		}
		other := *f
		other.define = func(tools []model.Tool) string {
			if len(tools) == 0 {
				return ""
			}
			return strings.TrimSpace(words) + "\nThe tools:\n" + signatures(tools) +
				"A call:\n" + f.calls([]outgoing{{Call: example(tools)}})
		}
		return &other
	}
	return f
}
