package edit

import (
	"regexp"
	"strconv"
	"strings"
)

// wanted is an edit after it was loosened in one way.
type wanted struct {
	oldText, newText string
	blanks           bool // blanks before line ends do not count
	atEnd            bool // only at the very end of the text
	loose            string
}

// looser are the ways in which Find gives way, in order. Each starts from the edit as it was asked for, except that
// line ends never count.
var looser = []func(wanted) (wanted, bool){
	func(w wanted) (wanted, bool) {
		w.loose = "other line ends"
		return w, true
	},
	unnumbered,
	unvisible,
	func(w wanted) (wanted, bool) {
		w.blanks, w.loose = true, "other blanks at line ends"
		return w, true
	},
	func(w wanted) (wanted, bool) {
		w.oldText, w.newText = strings.ReplaceAll(w.oldText, "\r\n", "\n"), strings.ReplaceAll(w.newText, "\r\n", "\n")
		old, ok := strings.CutSuffix(w.oldText, "\n")
		w.oldText, w.newText = old, strings.TrimSuffix(w.newText, "\n")
		w.atEnd, w.blanks, w.loose = true, true, "no newline at the end of the file"
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
	w.blanks, w.loose = true, "without line numbers"
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

// visible is how results show a character that cannot be seen.
var visible = regexp.MustCompile(`<U\+([0-9A-F]{4,6})>`)

// unvisible turns characters written as <U+200B> back into themselves.
func unvisible(w wanted) (wanted, bool) {
	if !visible.MatchString(w.oldText) {
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
	for _, s := range visible.FindAllString(w.oldText, -1) {
		shown[s] = true
	}
	w.oldText = visible.ReplaceAllStringFunc(w.oldText, raw)
	// Only what the file already holds may come back in the new text.
	w.newText = visible.ReplaceAllStringFunc(w.newText, func(s string) string {
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
	plain, origin := squash(text, w.blanks)
	needle, _ := squash(w.oldText, w.blanks)
	if strings.TrimSpace(needle) == "" {
		return nil
	}
	// Blanks at the very end of the old text were dropped: they meant the end of a line.
	toLineEnd := w.blanks && strings.TrimRight(w.oldText, " \t\r") != w.oldText
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

// lineEnd moves an offset over the blanks that end its line.
func lineEnd(text string, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at
}

// squash drops the CR of every CRLF, and blanks before line ends if blanks is set. origin maps each byte of the result
// to its place in text.
func squash(text string, blanks bool) (plain string, origin []int) {
	out := make([]byte, 0, len(text))
	origin = make([]int, 0, len(text))
	drop := func() {
		for blanks && len(out) > 0 && (out[len(out)-1] == ' ' || out[len(out)-1] == '\t') {
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
