// Package edit works on texts, not on files: it finds the one place that an edit means, shows a change as a diff,
// describes it as a hunk that can be found again after other changes, and takes it back alone.
package edit

import (
	"context"
	"fmt"
	"slices"
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

// Error is Say of an argument that is named old_text.
func (e *NotFoundError) Error() string { return e.Say("old_text") }

// Say names the argument of a call that held the text. It shows the closest places as they are in the file: small
// models copy line numbers along.
func (e *NotFoundError) Say(argument string) string {
	if len(e.Nearest) == 0 {
		return argument + " is not in the file"
	}
	return argument + " is not in the file. The closest text is:" + show(e.Nearest, "") + "\n\nCopy " + argument +
		" exactly from the file."
}

// AmbiguousError says that a text occurs more than once.
type AmbiguousError struct {
	Places []Near // the first of them, each with the line above and the line below
	More   int    // places that are not in Places
}

// Error is Say of an argument that is named old_text.
func (e *AmbiguousError) Error() string { return e.Say("old_text") }

// Say names the argument of a call that held the text, and the lines where it is found, without what is there.
func (e *AmbiguousError) Say(argument string) string {
	list := make([]string, len(e.Places))
	for i, p := range e.Places {
		list[i] = fmt.Sprint(p.Line)
	}
	where := strings.Join(list, ", ")
	if e.More > 0 {
		where += fmt.Sprintf(" and %d more", e.More)
	}
	return fmt.Sprintf("%s occurs %d times (lines %s).", argument, len(e.Places)+e.More, where)
}

// maxShown bounds the places whose text is shown.
const maxShown = 4

// Show is the text of the first places, with the lines around them.
func (e *AmbiguousError) Show() string {
	return show(e.Places[:min(len(e.Places), maxShown)], ", with the lines around it")
}

func show(places []Near, what string) string {
	var b strings.Builder
	for _, n := range places {
		fmt.Fprintf(&b, "\n\nLine %d%s:\n%s", n.Line, what, n.Text)
	}
	return b.String()
}

// Found is the answer of Find: where the text is, and what replaces it there.
type Found struct {
	Place

	New string // the new text, with the line ends of the file
}

// In is the text after the edit.
func (f Found) In(text string) string { return text[:f.Start] + f.New + text[f.End:] }

// Stands reports whether the new text is already there, around the text that it would replace: the edit would repeat a
// part of it.
func (f Found) Stands(text string) bool {
	return f.New != text[f.Start:f.End] && slices.ContainsFunc(WholeWords(text, f.New), func(start int) bool {
		return start <= f.Start && f.End <= start+len(f.New)
	})
}

// Find finds the one place of oldText in text and fits newText to it. When ctx ends, an error names nothing that is
// near. It is strict first; then it allows other line ends, line numbers pasted from a listing, characters pasted in
// their visible form, other whitespace at line ends, a last newline that the file lacks and other indentation, in this
// order and each only if the place is the only one. Errors: *NotFoundError, *AmbiguousError.
func Find(ctx context.Context, text, oldText, newText string) (Found, error) {
	all, err := FindAll(ctx, text, oldText, newText)
	if err != nil {
		return Found{}, err
	}
	if len(all) > 1 {
		return Found{}, ambiguous(text, all)
	}
	return all[0], nil
}

// FindAll is Find for every place of oldText: all those that the first way finds that finds any, in order, not
// overlapping. Error: *NotFoundError.
func FindAll(ctx context.Context, text, oldText, newText string) ([]Found, error) {
	if oldText == "" {
		return nil, &NotFoundError{}
	}
	var all []Found
	for _, at := range starts(text, oldText) {
		all = append(all, found(text, Place{Start: at, End: at + len(oldText)}, newText))
	}
	for _, loosen := range relaxations {
		if len(all) > 0 {
			return all, nil
		}
		w, ok := loosen(wanted{oldText: oldText, newText: newText})
		if !ok || w.oldText == "" {
			continue
		}
		for _, p := range w.places(text) {
			p.Loose = w.loose
			all = append(all, found(text, p, w.newText))
		}
	}
	if len(all) == 0 {
		all = indented(text, oldText, newText)
	}
	if len(all) == 0 {
		return nil, &NotFoundError{Nearest: Nearest(ctx, text, oldText, 2)}
	}
	return all, nil
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
	return places(text, needle, func(int) bool { return true })
}

const shownPlaces = 8

func ambiguous(text string, all []Found) error {
	e := &AmbiguousError{More: max(0, len(all)-shownPlaces)}
	for _, f := range all[:len(all)-e.More] {
		e.Places = append(e.Places, Near{Line: LineAt(text, f.Start), Text: around(text, f.Place)})
	}
	return e
}

// around is the lines that a place touches, with the line above and the line below; the middle of many is left out.
func around(text string, p Place) string {
	above, old, _, below := Touched(text, p, "")
	lines := Lines(above + old + below)
	if len(lines) > maxNearLines {
		lines = slices.Concat(lines[:maxNearLines/2], []string{"[...]"}, lines[len(lines)-maxNearLines/2:])
	}
	for i, line := range lines {
		if len(line) > maxNearLine {
			lines[i] = strings.ToValidUTF8(line[:maxNearLine], "") + "[...]"
		}
	}
	return strings.Join(lines, "\n")
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
