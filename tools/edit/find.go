// Package edit works on texts, not on files: it finds the one place that an edit means, shows a change as a diff,
// describes it as a hunk that can be found again after other changes, and takes it back alone.
package edit

import (
	"context"
	"fmt"
	"strings"
)

// Place is a part of a text, in bytes.
type Place struct {
	Start, End int
	// Loose says, for people, how the text found differs from the text asked for; empty if it is the same.
	Loose string
}

// NotFoundError says that a text is not there, and what is closest to it.
type NotFoundError struct {
	Nearest []Near
}

// Error shows the closest places as they stand in the file: small models copy line numbers along.
func (e *NotFoundError) Error() string {
	if len(e.Nearest) == 0 {
		return "old_text is not in the file"
	}
	var b strings.Builder
	b.WriteString("old_text is not in the file. The closest text is:")
	for _, n := range e.Nearest {
		fmt.Fprintf(&b, "\n\nLine %d:\n%s", n.Line, n.Text)
	}
	b.WriteString("\n\nCopy old_text exactly from the file.")
	return b.String()
}

// AmbiguousError says that a text occurs more than once.
type AmbiguousError struct {
	Lines []int // first lines of the places, counted from 1
	More  int   // places that are not in Lines
}

// Error names the lines and asks for more context.
func (e *AmbiguousError) Error() string {
	list := make([]string, len(e.Lines))
	for i, n := range e.Lines {
		list[i] = fmt.Sprint(n)
	}
	where := strings.Join(list, ", ")
	if e.More > 0 {
		where += fmt.Sprintf(" and %d more", e.More)
	}
	return fmt.Sprintf("old_text occurs %d times (lines %s). Add lines before or after it so that it is found only once.",
		len(e.Lines)+e.More, where)
}

// Found is the answer of Find: where the text is, and what replaces it there.
type Found struct {
	Place

	New string // the new text, with the line ends of the file
}

// In is the text after the edit.
func (f Found) In(text string) string { return text[:f.Start] + f.New + text[f.End:] }

// Find finds the one place of oldText in text and fits newText to it. When ctx ends, an error names nothing that is near. It is strict first; then it allows other line
// ends, line numbers pasted from a listing, characters pasted in their visible form, other whitespace at line ends and a
// last newline that the file lacks, in this order and each only if the place is the only one. Errors: *NotFoundError, *AmbiguousError.
func Find(ctx context.Context, text, oldText, newText string) (Found, error) {
	if oldText == "" {
		return Found{}, &NotFoundError{}
	}
	if n := strings.Count(text, oldText); n == 1 {
		at := strings.Index(text, oldText)
		return found(text, Place{Start: at, End: at + len(oldText)}, newText), nil
	} else if n > 1 {
		return Found{}, ambiguous(text, starts(text, oldText))
	}
	for _, loosen := range relaxations {
		w, ok := loosen(wanted{oldText: oldText, newText: newText})
		if !ok || w.oldText == "" {
			continue
		}
		places := w.places(text)
		switch len(places) {
		case 0:
		case 1:
			p := places[0]
			p.Loose = w.loose
			return found(text, p, w.newText), nil
		default:
			at := make([]int, len(places))
			for i, p := range places {
				at[i] = p.Start
			}
			return Found{}, ambiguous(text, at)
		}
	}
	return Found{}, &NotFoundError{Nearest: Nearest(ctx, text, oldText, 2)}
}

// found fits the new text to the line ends around the place.
func found(text string, p Place, newText string) Found {
	if p.Start > 0 && text[p.Start] == '\n' && text[p.Start-1] == '\r' {
		p.Start-- // never half of a CRLF
	}
	return Found{Place: p, New: WithEOL(newText, EOL(text))}
}

// EOL is the line end that a text uses most: "\n" or "\r\n".
func EOL(text string) string {
	crlf := strings.Count(text, "\r\n")
	if crlf > 0 && crlf*2 >= strings.Count(text, "\n") {
		return "\r\n"
	}
	return "\n"
}

// WithEOL gives a text the line end "\n" or "\r\n".
func WithEOL(s, eol string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if eol == "\n" {
		return s
	}
	return strings.ReplaceAll(s, "\n", eol)
}

// starts returns where needle occurs, not overlapping.
func starts(text, needle string) []int {
	var at []int
	for from := 0; ; {
		i := strings.Index(text[from:], needle)
		if i < 0 {
			return at
		}
		at = append(at, from+i)
		from += i + len(needle)
	}
}

const shownPlaces = 8

func ambiguous(text string, at []int) error {
	e := &AmbiguousError{More: max(0, len(at)-shownPlaces)}
	for _, start := range at[:len(at)-e.More] {
		e.Lines = append(e.Lines, LineAt(text, start))
	}
	return e
}

// LineAt is the number of the line, counted from 1, that the byte at offset is in.
func LineAt(text string, offset int) int { return 1 + strings.Count(text[:offset], "\n") }

// Number puts line numbers before the lines of a text, the first of them first, as listings for models show them.
func Number(text string, first int) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%d\t%s", first+i, strings.TrimSuffix(line, "\r"))
	}
	return b.String()
}
