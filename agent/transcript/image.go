package transcript

import (
	entities "html"
	"iter"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ImageLink is an image that a Markdown text shows.
type ImageLink struct {
	Target string // where it is, without escapes: a path or an address
	Span   Span   // in the text
}

// ImageLinks finds the images of a text: ![TEXT](TARGET) or ![TEXT](<TARGET>), perhaps with a title, on one line, and
// not in code, HTML blocks or comments. A target may hold spaces. The time is linear in the length of the text.
func ImageLinks(markdown string) []ImageLink {
	if !strings.Contains(markdown, "![") {
		return nil
	}
	var found []ImageLink
	for line := range proseLines(markdown) {
		found = append(found, imagesIn(markdown[line.Start:line.End], line.Start)...)
	}
	return found
}

// proseLines goes over the lines of a text that are not code, nor of an HTML block; goesOn says that a line continues
// the paragraph of the one before it.
func proseLines(markdown string) iter.Seq2[Span, bool] {
	return func(yield func(line Span, goesOn bool) bool) {
		var track tracker
		all := newLines(markdown, 0)
		for span := range all.each {
			line, before := markdown[span.Start:span.End], track.leaf
			event := track.feed(line)
			switch {
			case event != prose && event != headingLine, track.leaf == fenced, track.leaf == html:
			case track.leaf == noLeaf && before != paragraph && newCursor(line).nextCol >= 4: // indented code
			case openingHTML(strings.TrimLeft(line, " \t"), before == paragraph) != 0:
			case !yield(span, before == paragraph && track.leaf == paragraph):
				return
			}
		}
	}
}

// imagesIn finds the images in one line, which begins at an offset of its text.
func imagesIn(line string, offset int) []ImageLink {
	var found []ImageLink
	var open []int // where the brackets that are open begin; -1: not those of an image
	ends := codeEnds(line)
	for i := 0; i < len(line); {
		if next := skip(line, i, ends); next > i {
			i = next
			continue
		}
		switch c := line[i]; {
		case strings.HasPrefix(line[i:], "!["):
			open = append(open, i)
			i += 2
		case c == '[':
			open = append(open, -1)
			i++
		case c == ']' && len(open) > 0:
			start := open[len(open)-1]
			open = open[:len(open)-1]
			i++
			if target, n := linkTarget(line[i:]); start >= 0 && n > 0 {
				i += n
				found = append(found, ImageLink{target, Span{offset + start, offset + i}})
			}
		default:
			i++
		}
	}
	return found
}

// codeEnds maps the length of a run of backticks to where the last run of that length begins.
func codeEnds(line string) map[int]int {
	var ends map[int]int
	for i := 0; i < len(line); i++ {
		if n := leading(line[i:], '`'); n > 0 {
			if ends == nil {
				ends = map[int]int{}
			}
			ends[n] = i
			i += n
		}
	}
	return ends
}

// skip returns where the escape, the code or the comment ends that begins at i; it is i if none begins there.
func skip(text string, i int, ends map[int]int) int {
	switch {
	case text[i] == '\\':
		return i + 2
	case text[i] == '`':
		return skipCode(text, i, ends)
	case strings.HasPrefix(text[i:], "<!--"):
		_, after, _ := strings.Cut(text[i:], "-->")
		return len(text) - len(after)
	}
	return i
}

// skipCode returns where the code span that begins at i ends, or the run of backticks there if none does.
func skipCode(line string, i int, ends map[int]int) int {
	n := leading(line[i:], '`')
	if i += n; ends[n] < i {
		return i
	}
	for {
		i += strings.IndexByte(line[i:], '`')
		m := leading(line[i:], '`')
		if i += m; m == n {
			return i
		}
	}
}

// linkTarget reads what is in parentheses behind the brackets of a link; n is its length, 0 if it is none.
func linkTarget(s string) (target string, n int) {
	const maxNested = 32
	if s == "" || s[0] != '(' {
		return "", 0
	}
	start, depth := 1+blanks(s[1:]), 0
	angled := start < len(s) && s[start] == '<'
	if angled {
		start++
	}
	for i := start; i < len(s); i++ {
		switch c := s[i]; {
		case escapes(s[i:]):
			i++
		case angled && c == '<':
			return "", 0
		case angled && c == '>':
			n := linkEnd(s[i+1:])
			if n == 0 {
				return "", 0
			}
			return plainTarget(s[start:i]), i + 1 + n
		case angled:
		case c == '(':
			if depth++; depth > maxNested {
				return "", 0
			}
		case c == ' ' || c == '\t' || c == ')' && depth == 0:
			if n := linkEnd(s[i:]); n > 0 {
				return plainTarget(s[start:i]), i + n
			}
		case c == ')':
			depth--
		}
	}
	return "", 0
}

// escapes reports whether a text begins with a backslash and what that takes its meaning from.
func escapes(s string) bool {
	return len(s) > 1 && s[0] == '\\' && s[1] < utf8.RuneSelf && unicode.In(rune(s[1]), unicode.Punct, unicode.Symbol)
}

// linkEnd is the length of the end of a link: spaces, perhaps a title, and the closing parenthesis; 0 if it is none.
func linkEnd(s string) int {
	rest := strings.TrimLeft(s, " \t")
	if rest != "" && rest != s && strings.IndexByte(`"'`, rest[0]) >= 0 {
		_, after, _ := strings.Cut(rest[1:], rest[:1])
		rest = strings.TrimLeft(after, " \t")
	}
	if rest == "" || rest[0] != ')' {
		return 0
	}
	return len(s) - len(rest) + 1
}

// plainTarget takes the escapes of Markdown and of addresses away.
func plainTarget(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if escapes(s[i:]) {
			i++
		}
		b.WriteByte(s[i])
	}
	target := entities.UnescapeString(b.String())
	if plain, err := url.PathUnescape(target); err == nil {
		return plain
	}
	return target
}

// escapeTarget writes a path so that it is one address in any Markdown, without whitespace and brackets.
func escapeTarget(path string) string {
	return percentEncode(path, func(r rune) bool {
		if r >= utf8.RuneSelf {
			return !hidden(r) && unicode.IsPrint(r)
		}
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_.~/", r)
	})
}

// Words of the lines that hold an image of ours.
const (
	resultImage  = "![result"
	contextImage = "![context"
)

// ownImage reads a line that is an image of a result or of a context, without its indentation.
func ownImage(line string) (image Image, ok bool) {
	info, rest, found := strings.Cut(strings.TrimPrefix(line, "!["), "](")
	h := parseHeader(info)
	image = Image{Of: h.rest(), Context: h.word == "context", NotSent: h.notSent}
	if !found || !mayBeImage(line) || len(h.fields) == 0 ||
		!image.Context && (h.word != "result" || len(h.fields) != 1) {
		return Image{}, false
	}
	target, n := linkTarget("(" + rest)
	image.Path = target
	return image, n > 0 && isBlank(rest[n-1:])
}

// mayBeImage reports whether a line, of which this is the beginning, may be an image of ours.
func mayBeImage(s string) bool {
	for _, prefix := range []string{resultImage, contextImage} {
		if strings.HasPrefix(s, prefix) || strings.HasPrefix(prefix, s) {
			return true
		}
	}
	return false
}

func formatImage(i Image) string {
	h := header{word: "result", notSent: i.NotSent}
	names := []string{i.Of}
	if i.Context {
		h.word, names = "context", strings.Split(i.Of, " ")
	}
	for _, name := range names {
		h.fields = append(
			h.fields, strings.NewReplacer("[", "%5B", "]", "%5D", `\`, "%5C", "<", "%3C").Replace(encodeField(name)),
		)
	}
	return "![" + h.String() + "](" + escapeTarget(i.Path) + ")"
}
