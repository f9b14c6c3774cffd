package edit

import (
	"regexp"
	"strconv"
	"strings"
)

// wanted is an edit after it was loosened in one way.
type wanted struct {
	oldText, newText string
	whitespace       bool // whitespace before line ends does not count
	atEnd            bool // only at the very end of the text
	loose            string
}

// relaxations are the ways in which Find gives way, in order. Each starts from the edit as it was asked for, except
// that line ends never count.
var relaxations = []func(wanted) (wanted, bool){
	func(w wanted) (wanted, bool) {
		w.loose = "other line ends"
		return w, true
	},
	unnumbered,
	decodeVisible,
	func(w wanted) (wanted, bool) {
		w.whitespace, w.loose = true, "other blanks at line ends"
		return w, true
	},
	func(w wanted) (wanted, bool) {
		w.oldText, w.newText = strings.ReplaceAll(w.oldText, "\r\n", "\n"), strings.ReplaceAll(w.newText, "\r\n", "\n")
		old, ok := strings.CutSuffix(w.oldText, "\n")
		w.oldText, w.newText = old, strings.TrimSuffix(w.newText, "\n")
		w.atEnd, w.whitespace, w.loose = true, true, "no newline at the end of the file"
		return w, ok
	},
}

// lineNumber is what a listing puts before a line: a number and a tab, "12| ", "12: ".
var lineNumber = regexp.MustCompile(`^[ ]*\d+(?:\t|[|:] ?)`)

// unnumbered takes the line numbers of a pasted listing away, if every line of the old text has one.
func unnumbered(w wanted) (wanted, bool) {
	old, ok := cutNumbers(w.oldText)
	if !ok {
		return w, false
	}
	w.oldText = old
	if text, ok := cutNumbers(w.newText); ok {
		w.newText = text
	}
	w.whitespace, w.loose = true, "without line numbers"
	return w, true
}

func cutNumbers(s string) (string, bool) {
	lines := strings.SplitAfter(s, "\n")
	for i, line := range lines {
		n := lineNumber.FindStringIndex(line)
		switch {
		case n != nil:
			lines[i] = line[n[1]:]
		case line == "" && i > 0 && i == len(lines)-1: // after the last newline
		default:
			return s, false
		}
	}
	return strings.Join(lines, ""), true
}

// visibleForm is how results show a character that cannot be seen.
var visibleForm = regexp.MustCompile(`<U\+([0-9A-F]{4,6})>`)

// decodeVisible turns characters written as <U+200B> back into themselves.
func decodeVisible(w wanted) (wanted, bool) {
	if !visibleForm.MatchString(w.oldText) {
		return w, false
	}
	raw := func(s string) string {
		n, err := strconv.ParseUint(s[len("<U+"):len(s)-1], 16, 32)
		if err != nil || n > 0x10FFFF {
			return s
		}
		return string(rune(n))
	}
	shown := map[string]bool{}
	for _, s := range visibleForm.FindAllString(w.oldText, -1) {
		shown[s] = true
	}
	w.oldText = visibleForm.ReplaceAllStringFunc(w.oldText, raw)
	// Only what the file already holds may come back in the new text.
	w.newText = visibleForm.ReplaceAllStringFunc(w.newText, func(s string) string {
		if shown[s] {
			return raw(s)
		}
		return s
	})
	w.loose = "characters that cannot be seen"
	return w, true
}

// places finds the loosened text; two places at most are of interest, but all are returned.
func (w wanted) places(text string) []Place {
	plain, origin := dropTrailing(text, w.whitespace)
	needle, _ := dropTrailing(w.oldText, w.whitespace)
	if strings.TrimSpace(needle) == "" {
		return nil
	}
	// Blanks at the very end of the old text were dropped: they meant the end of a line.
	toLineEnd := w.whitespace && strings.TrimRight(w.oldText, " \t\r") != w.oldText
	var places []Place
	for _, at := range starts(plain, needle) {
		end := at + len(needle)
		if toLineEnd && end < len(plain) && plain[end] != '\n' {
			continue
		}
		if w.atEnd && end != len(plain) {
			continue
		}
		p := Place{Start: origin[at], End: origin[end-1] + 1}
		if toLineEnd || w.atEnd {
			p.End = lineEnd(text, p.End)
		}
		places = append(places, p)
	}
	return places
}

// lineEnd moves an offset over the whitespace that ends its line.
func lineEnd(text string, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at
}

// dropTrailing drops the CR of every CRLF, and whitespace before line ends if whitespace is set. origin maps each byte
// of the result to its place in text.
func dropTrailing(text string, whitespace bool) (plain string, origin []int) {
	out := make([]byte, 0, len(text))
	origin = make([]int, 0, len(text))
	drop := func() {
		for whitespace && len(out) > 0 && (out[len(out)-1] == ' ' || out[len(out)-1] == '\t') {
			out, origin = out[:len(out)-1], origin[:len(origin)-1]
		}
	}
	for i := range len(text) {
		c := text[i]
		if c == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			continue
		}
		if c == '\n' {
			drop()
		}
		out, origin = append(out, c), append(origin, i)
	}
	drop()
	return string(out), origin
}
