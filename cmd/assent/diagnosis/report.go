package diagnosis

import (
	"fmt"
	"io"
	"strings"

	"github.com/assent-ls/assent/cmd/assent/listing"
	"github.com/assent-ls/assent/internal/visible"
)

// Report prints findings; each line begins with ok, note or MISSING.
type Report struct {
	Out      io.Writer
	JSON     bool     // findings are printed for programs
	Missing  int      // how much is
	Findings []string // what was printed
	Names    []string // of servers and databases, which are nobody else's business
}

// OK says that something is as it should be.
func (r *Report) OK(format string, args ...any) { r.say("ok       ", fmt.Sprintf(format, args...)) }

// Note says what a person may want to change, and how.
func (r *Report) Note(format string, args ...any) { r.say("note     ", fmt.Sprintf(format, args...)) }

// Miss says what keeps Assent from working well, and what to do.
func (r *Report) Miss(format string, args ...any) {
	r.Missing++
	r.say("MISSING  ", fmt.Sprintf(format, args...))
}

func (r *Report) say(kind, sentence string) {
	line := kind + visible.Line(sentence)
	r.Findings = append(r.Findings, line)
	if r.JSON {
		finding := listing.Finding{Kind: strings.ToLower(strings.TrimSpace(kind)), Says: sentence}
		_ = listing.Print(r.Out, finding) // a closed pipe ends the command by itself
		return
	}
	fmt.Fprintln(r.Out, line)
}
