package configfiles

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Hover explains the key at a place of a text, or the key of the value there, as Markdown.
func Hover(s *jsonschema.Schema, text string, at int) (markdown string, span Span, ok bool) {
	root, _ := parse(text)
	return hover(s, root, at)
}

func hover(s *jsonschema.Schema, n *node, at int) (markdown string, span Span, ok bool) {
	if s == nil || !n.span.holds(at) {
		return "", Span{}, false
	}
	for _, m := range n.members {
		declared := property(s, m.key.text)
		if markdown, span, ok = hover(declared, m.value, at); ok {
			return markdown, span, true
		}
		whole := Span{m.key.span.Start, m.value.span.End}
		if declared != nil && whole.holds(at) {
			return "**" + m.key.text + "**\n\n" + describe(declared), whole, true
		}
	}
	for _, item := range n.items {
		if markdown, span, ok = hover(s.Items, item, at); ok {
			return markdown, span, true
		}
	}
	return "", Span{}, false
}

// describe says in Markdown what a key is for and what it may be.
func describe(s *jsonschema.Schema) string {
	out := []string{s.Description}
	if len(s.Enum) > 0 {
		var all []string
		for _, value := range s.Enum {
			all = append(all, fmt.Sprintf("`%v`", value))
		}
		out = append(out, "One of "+strings.Join(all, ", ")+".")
	}
	if s.Minimum != nil && s.Maximum != nil {
		out = append(out, "From "+number(*s.Minimum)+" to "+number(*s.Maximum)+".")
	}
	if s.Default != nil && string(s.Default) != "null" && string(s.Default) != `""` {
		out = append(out, "Default: `"+string(s.Default)+"`.")
	}
	return strings.TrimSpace(strings.Join(out, "\n\n"))
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
