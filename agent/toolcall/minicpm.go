package toolcall

import (
	"fmt"
	"regexp"
	"strings"
)

var cdata = regexp.MustCompile(`(?s)^\s*<!\[CDATA\[(.*)\]\]>\s*$`)

func fromCDATA(text string) string {
	if m := cdata.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return text
}

func cdataPairs(c outgoing) string {
	if c.inJSON {
		return c.object()
	}
	var out strings.Builder
	for _, m := range arguments(c) {
		value := rawValue(m.value)
		if _, text := stringValue(m.value); text && (strings.ContainsAny(value, "<&") || strings.TrimSpace(value) != value) {
			value = "<![CDATA[" + value + "]]>"
		}
		fmt.Fprintf(&out, "<param name=\"%s\">%s</param>", m.key, value)
	}
	return out.String()
}
