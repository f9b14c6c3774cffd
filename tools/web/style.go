package web

import (
	"slices"
	"strconv"
	"strings"

	"github.com/andybalholm/cascadia"
	input "github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
	"golang.org/x/net/html"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// hiding are the properties of CSS by which a page hides something.
var hiding = strings.Fields(
	"display visibility opacity content-visibility font-size font width height max-width max-height overflow " +
		"overflow-x overflow-y position left right top bottom inset text-indent margin-left margin-top clip " +
		"clip-path transform scale",
)

// declaration is one of these properties of an element, in lower case, and how much it weighs against others.
type declaration struct {
	value     string
	important bool
	inline    bool
	of        cascadia.Specificity
}

// outweighs reports whether a declaration takes the place of one that was found before it.
func (d declaration) outweighs(before declaration) bool {
	switch {
	case d.important != before.important:
		return d.important
	case d.inline != before.inline:
		return d.inline
	}
	return !d.of.Less(before.of)
}

// styles are what the style sheets in a page, and the style attributes, say about its elements. Sheets that it links
// are not read.
type styles struct {
	doc     *html.Node
	of      map[*html.Node]map[string]declaration
	matches int  // that may still be tried
	cut     bool // not all rules were used
}

// maxMatches is how often an element is compared with a selector in one page.
const maxMatches = 20_000_000

// readStyles reads all style sheets, in their order, and then the attributes.
func readStyles(doc *html.Node) *styles {
	s := &styles{doc: doc, of: map[*html.Node]map[string]declaration{}, matches: maxMatches}
	var sheets []string
	nodes := 0
	for n := range doc.Descendants() {
		nodes++
		if n.Type == html.ElementNode && n.Data == "style" && n.FirstChild != nil {
			sheets = append(sheets, n.FirstChild.Data)
		}
	}
	for _, text := range sheets {
		s.sheet(text, nodes)
	}
	for n := range doc.Descendants() {
		if text := attribute(n, "style"); text != "" {
			for name, d := range declarations(css.NewParser(input.NewInputString(text), true)) {
				d.inline = true
				s.set(n, name, d)
			}
		}
	}
	return s
}

func (s *styles) set(n *html.Node, name string, d declaration) {
	if s.of[n] == nil {
		s.of[n] = map[string]declaration{}
	}
	put(s.of[n], name, d)
}

// put adds a declaration, unless one that was found before it outweighs it.
func put(found map[string]declaration, name string, d declaration) {
	if before, known := found[name]; !known || d.outweighs(before) {
		found[name] = d
	}
}

// sheet reads one style sheet of a page with so many nodes.
func (s *styles) sheet(text string, nodes int) {
	p := css.NewParser(input.NewInputString(text), false)
	var applies []bool // the rules in the blocks that are open
	for {
		kind, _, data := p.Next()
		switch kind {
		case css.ErrorGrammar:
			if !p.HasParseError() {
				return
			}
		case css.BeginAtRuleGrammar:
			applies = append(
				applies,
				strings.EqualFold(string(data), "@layer") ||
					strings.EqualFold(string(data), "@media") && onScreens(joined(p.Values())),
			)
		case css.EndAtRuleGrammar:
			applies = applies[:max(0, len(applies)-1)]
		case css.BeginRulesetGrammar:
			selectors := separate(p.Values())
			found := declarations(p)
			if len(found) > 0 && !slices.Contains(applies, false) {
				s.rule(selectors, found, nodes)
			}
		default:
		}
	}
}

// rule gives what a rule says to the elements that it is about. A selector that is not understood is about none.
func (s *styles) rule(selectors []string, found map[string]declaration, nodes int) {
	for _, text := range selectors {
		selector, err := cascadia.Parse(strings.TrimSpace(text))
		if err != nil {
			continue
		}
		if s.matches -= nodes; s.matches < 0 {
			s.cut = true
			return
		}
		for _, n := range cascadia.QueryAll(s.doc, selector) {
			for name, d := range found {
				d.of = selector.Specificity()
				s.set(n, name, d)
			}
		}
	}
}

// declarations reads the declarations up to the end of a rule, or of an attribute.
func declarations(p *css.Parser) map[string]declaration {
	found := map[string]declaration{}
	for {
		kind, _, data := p.Next()
		switch kind {
		case css.ErrorGrammar:
			if !p.HasParseError() {
				return found
			}
		case css.EndRulesetGrammar:
			return found
		case css.DeclarationGrammar:
			name := strings.ToLower(string(data))
			value := strings.ToLower(strings.TrimSpace(joined(p.Values())))
			value, important := strings.CutSuffix(value, "!important")
			if slices.Contains(hiding, name) {
				put(found, name, declaration{value: strings.TrimSpace(value), important: important})
			}
		default:
		}
	}
}

// separate are the selectors of a rule: commas in parentheses separate none.
func separate(tokens []css.Token) []string {
	var all []string
	depth, from := 0, 0
	for i, t := range tokens {
		switch t.TokenType {
		case css.FunctionToken, css.LeftParenthesisToken:
			depth++
		case css.RightParenthesisToken:
			depth--
		case css.CommaToken:
			if depth == 0 {
				all = append(all, joined(tokens[from:i]))
				from = i + 1
			}
		default:
		}
	}
	return append(all, joined(tokens[from:]))
}

// joined are tokens as one text, without comments.
func joined(tokens []css.Token) string {
	var b strings.Builder
	for _, t := range tokens {
		if t.TokenType != css.CommentToken {
			b.Write(t.Data)
		}
	}
	return b.String()
}

// screen is how wide a window is, in CSS pixels, that people may look at a page in.
const screen = 1280

var (
	widths     = lazyregexp.New(`\(\s*(min|max)-width\s*:\s*([0-9.]+)(px|em|rem)\s*\)`)
	plainMedia = lazyregexp.New(`^(\s|only|all|screen|and)*$`)
)

// onScreens reports whether a media query is met by every such window. One that is about more is not.
func onScreens(query string) bool {
	query = strings.ToLower(query)
	for _, m := range widths().FindAllStringSubmatch(query, -1) {
		n, err := strconv.ParseFloat(m[2], 64)
		if m[3] != "px" {
			n *= 16
		}
		if err != nil || m[1] == "min" && n > screen || m[1] == "max" && n < screen {
			return false
		}
	}
	return plainMedia().MatchString(widths().ReplaceAllString(query, ""))
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Namespace == "" && a.Key == name {
			return a.Val
		}
	}
	return ""
}
