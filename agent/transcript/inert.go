package transcript

import "strings"

// inert finds, line by line in what a model says, the places at which a Markdown preview would show an image, run HTML
// or offer a link that is neither an address of the web nor a path: for these may fetch, and tell with it, what nobody
// asked for. On the way into the document n backslashes there become 2n+1, an odd number, which takes the meaning away,
// and back on the way out. What decides is the same before and after that, and is known from the line alone, so that
// replies may be cut anywhere.
type inert struct {
	// unsure says that a run of backticks was not closed on its line: until the paragraph ends, any code may be none.
	unsure bool
	// defines says that the paragraph may define what references mean.
	defines bool
}

// lineMarkers are the characters that may be before the first word of a line.
const lineMarkers = " \t\v\f>-+*:0123456789.)"

// maxLook bounds how far the end of a code span or a link is looked for, in bytes, backslashes aside.
const maxLook = 1000

// mark is a place with n backslashes, or none, before what must not have its meaning.
type mark struct{ at, n int }

// inCode reports whether a line, of which this is at least the first visible character, is surely code. It may say no
// too often.
func (t *tracker) inCode(line string) bool {
	c := newCursor(line)
	for _, k := range t.open {
		if !k.continues(&c) {
			return false
		}
	}
	return t.leaf == fenced || len(t.open) == 0 && t.leaf == noLeaf && c.indent() >= 4
}

// isInline reports whether what ownMark found at a place is an image or a comment, which scan finds too.
func isInline(line string, at int) bool {
	rest := strings.TrimLeft(line[at:], `\`)
	return rest != "" && (rest[0] == '!' || rest[0] == '<')
}

// begin takes the beginning of a line.
func (s *inert) begin(line string) {
	if strings.HasPrefix(strings.TrimLeft(line, lineMarkers), "[") {
		s.defines = true
	}
}

// ended takes the whole line, after the tracker.
func (s *inert) ended(line string, e event, t *tracker) {
	if isBlank(line) || e == headingLine || t.leaf == fenced {
		*s = inert{}
	}
}

// scan finds the marks in a line that is not code, or in the rest of it behind what was decided before. Where it is not
// whole, more of it may change what follows the first decided bytes.
func (s *inert) scan(text string, whole bool) (marks []mark, decided int) {
	text = strings.TrimRight(text, " \t")
	// how far was looked for what was decided, and the last place that nothing before it looked across
	seen, cut := 0, 0
	for i := 0; i < len(text); {
		next := strings.IndexAny(text[i:], "\\!<]`")
		if next < 0 {
			break
		}
		if i += next; i >= seen {
			cut = i
		}
		n := leading(text[i:], '\\')
		found, end, known := s.look(text, i+n, n, whole)
		if !known {
			return marks, cut
		}
		for _, m := range found {
			seen = max(seen, wordEnd(text, m.at+m.n+1))
		}
		marks, i = append(marks, found...), end
	}
	return marks, len(text)
}

// wordEnd is how far the word behind a mark decided about it.
func wordEnd(text string, at int) int {
	rest := text[at:min(len(text), at+maxLook)]
	word := strings.TrimLeft(rest, " \t\\")
	end := strings.IndexAny(word, " \t<>[]\\")
	if end < 0 {
		end = len(word)
	} else if text[at-1] == ':' {
		end++
	}
	return at + len(rest) - len(word) + end
}

// look decides about the character at a place that n backslashes are before; end is where to go on.
func (s *inert) look(text string, at, n int, whole bool) (marks []mark, end int, known bool) {
	if at == len(text) {
		return nil, at, whole
	}
	switch text[at] {
	case '!':
		if at+1 == len(text) {
			return nil, at + 1, whole
		}
		if text[at+1] == '[' {
			marks = []mark{{at - n, n}}
		}
	case '<':
		return lookTag(text, at, n, whole)
	case ']':
		return s.lookLink(text, at, whole)
	case '`':
		return s.lookCode(text, at, n%2, whole)
	}
	return marks, at + 1, true
}

// lookTag decides about a "<": it stays if what it begins is no tag, or is an address of the web or of mail.
func lookTag(text string, at, n int, whole bool) (marks []mark, end int, known bool) {
	inner := text[at+1:]
	first := strings.TrimLeft(inner, `\`)
	if first == "" {
		return nil, at + 1, whole
	}
	length, safe := safeAddress(inner, whole)
	means := yes
	if !isLetter(first[0]) && strings.IndexByte("/!?", first[0]) < 0 {
		means = holdsCode(inner, whole)
	}
	switch {
	case safe == maybe || means == maybe:
		return nil, at, false
	case safe == yes:
		return nil, at + 1 + length, true
	case means == yes:
		marks = []mark{{at - n, n}}
	}
	return marks, at + 1, true
}

// safeAddress reads an address and the ">" after it.
func safeAddress(s string, whole bool) (n int, m match) {
	for n < len(s) && n < maxLook && s[n] > ' ' && strings.IndexByte("<>`\\[]\x7f", s[n]) < 0 {
		n++
	}
	if n == len(s) && n < maxLook && !whole {
		return 0, maybe
	}
	if n == len(s) || s[n] != '>' {
		return 0, no
	}
	scheme, _, found := strings.Cut(s[:n], ":")
	if found && safeScheme(scheme) || !found && isMail(s[:n]) {
		return n + 1, yes
	}
	return 0, no
}

// holdsCode reports whether what follows a "<" may be an address of mail with a backtick in it, which begins no code
// then.
func holdsCode(s string, whole bool) match {
	s = s[:min(len(s), maxLook)]
	i := strings.IndexAny(s, " \t<>[]\\")
	switch {
	case i < 0 && len(s) == maxLook:
		return yes
	case i < 0 && !whole:
		return maybe
	case i >= 0 && s[i] == '>' && strings.IndexByte(s[:i], '`') >= 0:
		return yes
	}
	return no
}

func safeScheme(scheme string) bool {
	switch strings.ToLower(scheme) {
	case "http", "https", "mailto":
		return true
	}
	return false
}

func isMail(s string) bool {
	name, host, ok := strings.Cut(s, "@")
	return ok && name != "" && host != "" &&
		strings.Trim(strings.ToLower(name+host), "abcdefghijklmnopqrstuvwxyz0123456789._+-") == ""
}

// lookLink decides about what follows a "]": the target of a link, or of a definition. The backslash goes before its
// first character, as one before the bracket would make it a part of what it ends.
func (s *inert) lookLink(text string, at int, whole bool) (marks []mark, end int, known bool) {
	n := leading(text[at+1:], '\\')
	i := at + 1 + n
	if i == len(text) {
		return nil, i, whole
	}
	if text[i] != '(' && (text[i] != ':' || !s.defines) {
		return nil, at + 1, true
	}
	length, m := safeTarget(text[i+1:], text[i] == ':', whole)
	switch m {
	case maybe:
		return nil, at, false
	case no:
		marks = []mark{{at + 1, n}}
	case yes:
	}
	return marks, i + 1 + length, true
}

// safeTarget reads the target of a link, perhaps a title, and the closing parenthesis; of a definition only the target.
// It takes only what is surely a path or an address of the web or of mail, and holds nothing that has a meaning of its
// own.
func safeTarget(s string, definition, whole bool) (n int, m match) {
	s = s[:min(len(s), maxLook)]
	open := maybe // what an end of the text means
	if whole || len(s) == maxLook {
		open = no
	}
	start := blanks(s)
	i, m := targetEnd(s, start, definition)
	switch {
	case m != yes || strings.HasPrefix(s[start:], "//"):
		return 0, no
	case definition && i < len(s), definition && i > start && whole && len(s) < maxLook:
		return i, yes
	case i == len(s):
		return 0, open
	}
	i += blanks(s[i:])
	if i < len(s) && s[i] == '"' {
		i++
		for i < len(s) && s[i] != '"' {
			if strings.IndexByte("\\`<[]&", s[i]) >= 0 {
				return 0, no
			}
			i++
		}
		i = min(i+1, len(s))
		i += blanks(s[i:])
	}
	switch {
	case i == len(s):
		return 0, open
	case s[i] == ')':
		return i + 1, yes
	}
	return 0, no
}

// targetEnd finds where a target ends that begins at start: at a blank, at the parenthesis that closes the link, or
// where s does.
func targetEnd(s string, start int, definition bool) (end int, m match) {
	depth, path := 0, false
	for i := start; i < len(s); i++ {
		switch c := s[i]; {
		case c == ' ' || c == '\t' || c == ')' && depth == 0 && !definition:
			return i, yes
		case c < ' ' || c == 0x7F || strings.IndexByte("\\`<>[]", c) >= 0:
			return i, no
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '/' || c == '?' || c == '#':
			path = true // what follows is no part of a scheme
		case c == ':' && !path:
			if !safeScheme(s[start:i]) {
				return i, no
			}
			path = true
		case c == '&' && !path: // an entity could be the colon
			return i, no
		}
	}
	return len(s), yes
}

// lookCode decides about a run of backticks, of which the first may be escaped. Not taken for code is what has a "|",
// as in a table it may be two cells, and what has a "]" that it does not open, as its backticks may be those of a
// reference.
func (s *inert) lookCode(text string, at, escaped int, whole bool) (marks []mark, end int, known bool) {
	run := leading(text[at:], '`')
	body := at + run
	if body == len(text) && !whole {
		return nil, at, false
	}
	run -= escaped
	if run == 0 || s.unsure {
		return nil, body, true
	}
	looked, brackets := 0, 0
	for i := body; i < len(text); {
		n := leading(text[i:], '`')
		switch {
		case n > 0 && i+n == len(text) && !whole:
			return nil, at, false
		case n == run:
			return s.inSpan(text, body, i+n, whole)
		case n > 0:
			i, looked = i+n, looked+n
			continue
		case text[i] == '[' && text[i-1] != '\\':
			brackets++
		case text[i] == ']':
			brackets--
		}
		if text[i] != '\\' {
			looked++
		}
		if text[i] == '|' || brackets < 0 || looked > maxLook {
			s.unsure = true
			return nil, body, true
		}
		i++
	}
	if whole {
		s.unsure = true
	}
	return nil, body, whole
}

// inSpan finds the definitions in a code span: they are read before code is.
func (s *inert) inSpan(text string, from, end int, whole bool) (marks []mark, next int, known bool) {
	for i := from; s.defines && i < end; {
		if text[i] != ']' {
			i++
			continue
		}
		found, next, known := s.lookLink(text, i, whole)
		if !known {
			return nil, end, false
		}
		for _, m := range found {
			if text[m.at+m.n] == ':' {
				marks, i = append(marks, m), next
			}
		}
		i = max(i+1, min(next, end))
	}
	return marks, end, true
}

// disarm writes the rest of a line, or a part of it that is decided.
func (s *inert) disarm(text string) string {
	marks, _ := s.scan(text, true)
	if len(marks) == 0 {
		return text
	}
	var b strings.Builder
	from := 0
	for _, m := range marks {
		b.WriteString(text[from:m.at])
		b.WriteString(strings.Repeat(`\`, m.n+1))
		from = m.at
	}
	b.WriteString(text[from:])
	return b.String()
}

// added lists the backslashes that disarm added to a line.
func (s *inert) added(line string) []Span {
	var spans []Span
	marks, _ := s.scan(line, true)
	for _, m := range marks {
		if m.n%2 == 1 {
			spans = append(spans, Span{m.at, m.at + (m.n+1)/2})
		}
	}
	return spans
}
