package transcript

import (
	"strings"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// htmlKind is the start condition of an HTML block, numbered as in CommonMark; 0 is none.
type htmlKind uint8

const (
	htmlRaw         htmlKind = 1 // <script>, <pre>, <style>, <textarea>
	htmlComment     htmlKind = 2
	htmlInstruction htmlKind = 3
	htmlDeclaration htmlKind = 4
	htmlCDATA       htmlKind = 5
	htmlToBlank     htmlKind = 6 // a block tag; this and the next end at a blank line
	htmlTag         htmlKind = 7 // any other tag alone on its line
)

// htmlClosers are lines that close a block; those that a blank line closes have none.
var htmlClosers = [htmlToBlank]string{
	htmlRaw: "</pre>", htmlComment: "-->", htmlInstruction: "?>", htmlDeclaration: ">", htmlCDATA: "]]>",
}

var (
	rawTags   = words("script pre style textarea")
	blockTags = words(`address article aside base basefont blockquote body caption center col colgroup dd details
dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li
link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead title tr
track ul`)

	// lineTag is a complete opening or closing tag and nothing else. It is tried only on lines that begin with "<".
	lineTag = lazyregexp.New(`^(?:<[A-Za-z][A-Za-z0-9-]*(?:[ \t]+[A-Za-z_:][A-Za-z0-9_.:-]*` +
		`(?:[ \t]*=[ \t]*(?:[^ \t"'=<>` + "`" +
		`]+|'[^']*'|"[^"]*"))?)*[ \t]*/?>|</[A-Za-z][A-Za-z0-9-]*[ \t]*>)[ \t]*$`)
)

func words(list string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		set[w] = true
	}
	return set
}

// openingHTML says which kind of HTML block a line opens, given without its indentation.
func openingHTML(rest string, interrupts bool) htmlKind {
	if len(rest) < 2 || rest[0] != '<' {
		return 0
	}
	switch {
	case strings.HasPrefix(rest, "<!--"):
		return htmlComment
	case strings.HasPrefix(rest, "<?"):
		return htmlInstruction
	case strings.HasPrefix(rest, "<![CDATA["):
		return htmlCDATA
	case strings.HasPrefix(rest, "<!"):
		if len(rest) > 2 && isLetter(rest[2]) {
			return htmlDeclaration
		}
		return 0
	}
	name := strings.TrimPrefix(rest[1:], "/")
	closing := len(name) < len(rest)-1
	n := 0
	for n < len(name) && n <= len("blockquote") && (isLetter(name[n]) || n > 0 && name[n] >= '0' && name[n] <= '9') {
		n++
	}
	tag, after := strings.ToLower(name[:n]), name[n:]
	ends := after == "" || after[0] == ' ' || after[0] == '\t' || after[0] == '>'
	switch {
	case !closing && rawTags[tag] && ends:
		return htmlRaw
	case blockTags[tag] && (ends || strings.HasPrefix(after, "/>")):
		return htmlToBlank
	case !interrupts && n > 0 && !rawTags[tag] && lineTag().MatchString(rest):
		return htmlTag
	}
	return 0
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// ends reports whether a line ends the block; kinds that end at a blank line have no such line.
func (k htmlKind) ends(line string) bool {
	if k == htmlRaw {
		if !strings.Contains(line, "</") {
			return false
		}
		line = strings.ToLower(line)
		for tag := range rawTags {
			if strings.Contains(line, "</"+tag+">") {
				return true
			}
		}
		return false
	}
	return k < htmlToBlank && strings.Contains(line, htmlClosers[k])
}
