package configfiles

import (
	"strings"

	"github.com/assent-ls/assent/internal/settings"
)

// Severity is how grave a diagnostic is.
type Severity int

// The severities.
const (
	Error Severity = iota + 1
	Warning
	Information
)

// Diagnostic is something in a file that its author should know.
type Diagnostic struct {
	Span     Span
	Severity Severity
	Message  string
}

// problemAt is a problem as editors show it.
func problemAt(offset, length int, warning bool, reason string) Diagnostic {
	severity := Error
	if warning {
		severity = Warning
	}
	return Diagnostic{Span{offset, offset + length}, severity, upper(reason) + "."}
}

// DiagnoseSettings says what of a settings file is not used; folder is that of the workspace, empty for the user's own
// file.
func DiagnoseSettings(store *settings.Store, folder, text string) []Diagnostic {
	var out []Diagnostic
	for _, p := range store.Check(folder, []byte(text)) {
		message := upper(p.Reason)
		if p.Key != "" {
			message = p.Key + ": " + p.Reason
		}
		out = append(out, Diagnostic{Span{p.Offset, p.Offset + p.Length}, Error, message + "."})
	}
	return out
}

// FirstLine is the first line of a text: where that is which is about all of it.
func FirstLine(text string) Span { return lineOf(text, 0) }

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
