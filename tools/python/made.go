package python

import (
	"fmt"
	"strings"
	"time"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/excerpt"
)

// made is a call that a program made.
type made struct {
	tool, target string
	line         int    // of the program
	result       string // its first line
	failed       bool
	took         time.Duration
}

const (
	maxListed = 40  // calls that a person is shown one by one
	maxText   = 100 // bytes of what a call acted on, and of its result
)

// counted says for the model how many calls a program made; empty: none.
func counted(all []made) string {
	if len(all) == 0 {
		return ""
	}
	counts, order, failed := map[string]int{}, []string{}, 0
	for _, m := range all {
		if counts[m.tool]++; counts[m.tool] == 1 {
			order = append(order, m.tool)
		}
		if m.failed {
			failed++
		}
	}
	each := make([]string, len(order))
	for i, tool := range order {
		each[i] = fmt.Sprintf("%s %d times", tool, counts[tool])
		if counts[tool] == 1 {
			each[i] = tool + " once"
		}
	}
	text := "It called " + strings.Join(each, ", ")
	if failed > 0 {
		text += fmt.Sprintf("; %d of these failed", failed)
	}
	return text + "."
}

// listed shows a person the calls of a program, with what came of them and how long they took.
func listed(all []made) string {
	var b strings.Builder
	for _, m := range all[:min(len(all), maxListed)] {
		fmt.Fprintf(&b, "line %d: %s", m.line, m.tool)
		if m.target != "" {
			b.WriteString(" " + visible.Line(excerpt.Cut(m.target, maxText)))
		}
		if m.failed {
			b.WriteString(", failed")
		}
		fmt.Fprintf(&b, ", %s", shortly(m.took))
		if m.result != "" {
			b.WriteString(": " + visible.Line(excerpt.Cut(m.result, maxText)))
		}
		b.WriteByte('\n')
	}
	if more := len(all) - maxListed; more > 0 {
		fmt.Fprintf(&b, "and %s\n", excerpt.Counted(more, "more call"))
	}
	return b.String()
}

// shortly is a time in milliseconds, or in seconds.
func shortly(took time.Duration) string {
	if took < time.Second {
		return fmt.Sprintf("%d ms", took.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", took.Seconds())
}
