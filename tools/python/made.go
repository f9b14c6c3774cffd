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
	failed       bool   // and unrun if it was not even run
	unrun        bool
	lasting      bool // what it did stays done, however the program ends
	took         time.Duration
}

const (
	noTool    = "(no tool)" // the name of what does not exist, in their list
	maxListed = 40          // calls that a person is shown one by one
	maxText   = 100         // bytes of what a call acted on, and of its result
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
		switch {
		case m.unrun:
			b.WriteString(", not run")
		case m.failed:
			b.WriteString(", failed, " + shortly(m.took))
		default:
			b.WriteString(", " + shortly(m.took))
		}
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

// lasting says which calls of a program that did not come to its end had effects that stay; empty: none.
func lasting(all []made) string {
	var ran []string
	for _, m := range all {
		if m.lasting {
			said := m.tool + " " + visible.Line(excerpt.Cut(m.target, maxText))
			if m.failed {
				said += " (failed, or was stopped)"
			}
			ran = append(ran, said)
		}
	}
	if len(ran) == 0 {
		return ""
	}
	text := "What it ran stays done: " + strings.Join(ran[:min(len(ran), maxListed)], "; ")
	if more := len(ran) - maxListed; more > 0 {
		text += fmt.Sprintf("; and %s", excerpt.Counted(more, "more call"))
	}
	return text + "."
}

// shortly is a time in milliseconds, or in seconds.
func shortly(took time.Duration) string {
	if took < time.Second {
		return fmt.Sprintf("%d ms", took.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", took.Seconds())
}
