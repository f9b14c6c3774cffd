package transcript

import "strings"

// lines walks over a text line by line. LF, CRLF and a lone CR end a line.
type lines struct {
	text   string
	pos    int
	lf, cr int // the next LF and CR at or after pos, or len(text); kept, so that a walk is linear
}

func newLines(text string, pos int) lines {
	l := lines{text: text, pos: pos}
	l.lf, l.cr = l.find('\n'), l.find('\r')
	return l
}

func (l *lines) find(c byte) int {
	if i := strings.IndexByte(l.text[l.pos:], c); i >= 0 {
		return l.pos + i
	}
	return len(l.text)
}

// next returns the next line without its line end; pos is then the start of the line after it.
func (l *lines) next() (Span, bool) {
	if l.pos >= len(l.text) {
		return Span{}, false
	}
	start, end := l.pos, min(l.lf, l.cr)
	l.pos = min(end+1, len(l.text))
	if l.cr == end && l.lf == end+1 && l.lf < len(l.text) {
		l.pos++
	}
	if l.lf < l.pos && l.lf < len(l.text) {
		l.lf = l.find('\n')
	}
	if l.cr < l.pos && l.cr < len(l.text) {
		l.cr = l.find('\r')
	}
	return Span{start, end}, true
}

// each yields the lines that next returns.
func (l *lines) each(yield func(Span) bool) {
	for line, ok := l.next(); ok && yield(line); line, ok = l.next() {
	}
}

// normalNewlines makes every line end an LF.
func normalNewlines(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// trimTrailingSpace cuts spaces and tabs off the end of every line of s, whose line ends are LF.
func trimTrailingSpace(s string) string {
	if !strings.Contains(s, " \n") && !strings.Contains(s, "\t\n") {
		return strings.TrimRight(s, " \t")
	}
	return mapLines(s, func(line string) string { return strings.TrimRight(line, " \t") })
}

// mapLines changes the lines of s, whose line ends are LF.
func mapLines(s string, change func(line string) string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = change(line)
	}
	return strings.Join(lines, "\n")
}

// blanks is how many spaces and tabs a text begins with.
func blanks(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

func isBlank(line string) bool { return strings.Trim(line, " \t") == "" }

// NormalText is text as the document keeps it and as it is sent: line ends are LF, and the blank lines around it and
// the whitespace at its end is gone. Text and Thinking read back from a document are always normal.
func NormalText(text string) string {
	text = strings.TrimRight(normalNewlines(text), " \t\n")
	for {
		i := strings.IndexByte(text, '\n')
		if i < 0 || !isBlank(text[:i]) {
			return text
		}
		text = text[i+1:]
	}
}
