package attach

import (
	"regexp"
	"slices"
	"strings"
)

const (
	maxBody    = 150 // lines of a definition
	maxComment = 20  // lines of the comment above it
)

// extent finds how far a definition goes that is in a line, by how the lines around it are indented: with the
// comment above it, down to the line that closes it. The lines are those from first on, before last.
func extent(lines []string, at int) (first, last int) {
	indent := indentOf(lines[at])
	for first = at; first > 0 && at-first < maxComment && isComment(lines[first-1], indent); {
		first--
	}
	for last = at + 1; last < len(lines) && last-at < maxBody; last++ {
		line := strings.TrimSpace(lines[last])
		switch {
		case line == "" || indentOf(lines[last]) > indent:
			continue
		case indentOf(lines[last]) == indent && line == "{":
			continue
		case indentOf(lines[last]) == indent && closes(line):
			if !strings.ContainsAny(line[len(line)-1:], "{([:") {
				return first, last + 1
			}
			continue
		}
		break
	}
	for last > at+1 && strings.TrimSpace(lines[last-1]) == "" {
		last--
	}
	return first, last
}

func indentOf(line string) int {
	return len(line) - len(strings.TrimLeft(line, " \t"))
}

func closes(line string) bool {
	return strings.ContainsAny(line[:1], "})]") || line == "end" || strings.HasPrefix(line, "end ") ||
		strings.HasPrefix(line, "</")
}

func isComment(line string, indent int) bool {
	text := strings.TrimSpace(line)
	return text != "" && indentOf(line) >= indent && slices.ContainsFunc([]string{
		"//", "#", "--", "/*", "* ", "*/", "@", ";;",
	}, func(mark string) bool {
		return strings.HasPrefix(text, mark)
	})
}

// belongs reports whether a definition is of an owner: its line names that, or one that it is indented below.
func belongs(lines []string, at int, owner string) bool {
	names, err := regexp.Compile(
		`(^|[^\w])` + regexp.QuoteMeta(owner[strings.LastIndexAny(owner, ".:#")+1:]) + `([^\w]|$)`,
	)
	if err != nil {
		return false
	}
	indent := indentOf(lines[at]) + 1
	for i := at; i >= 0; i-- {
		if text := strings.TrimSpace(lines[i]); text == "" || indentOf(lines[i]) >= indent {
			continue
		}
		if indent = indentOf(lines[i]); names.MatchString(lines[i]) {
			return true
		}
		if indent == 0 {
			return false
		}
	}
	return false
}
