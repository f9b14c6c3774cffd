package envelope

import (
	"regexp"
	"slices"
	"strings"
)

// name is the pattern of a tool's name in a head or a tag.
const name = `(?P<name>[\p{L}_][\w.\-:]*)`

// Pattern compiles a pattern in which NAME stands for a tool's name.
func Pattern(text string) *regexp.Regexp {
	return regexp.MustCompile(strings.ReplaceAll(text, "NAME", name))
}

// Variants writes a marker in every spelling of its bars and spaces that is seen: full-width or ASCII.
func Variants(markers ...string) []string {
	var all []string
	add := func(m string) {
		if !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	for _, m := range markers {
		for _, bar := range []string{"｜", "|"} {
			for _, blank := range []string{"▁", "_"} {
				add(strings.NewReplacer("｜", bar, "▁", blank).Replace(m))
			}
		}
	}
	return all
}

// Group1 gives the first group of the last match.
func Group1(p *regexp.Regexp, text string) string {
	all := p.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

// cutRepeated drops the opener where it is written twice.
func cutRepeated(body, opener string) string {
	for opener != "" {
		rest, again := strings.CutPrefix(strings.TrimLeft(body, " \t\r\n"), opener)
		if !again {
			break
		}
		body = rest
	}
	return body
}
