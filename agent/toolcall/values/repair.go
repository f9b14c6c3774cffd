package values

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// repairStep is one rung of the ladder: it changes text towards JSON, or reports that it has nothing to do.
type repairStep struct {
	name string
	// final steps are taken only when the model has certainly written all it wanted to.
	final bool
	fix   func(string) (string, bool)
}

// repairSteps is the order that loses least: what keeps every byte of the arguments comes first.
func repairSteps() []repairStep {
	return []repairStep{
		{"take off a code fence", false, unwrapFence},
		{"cut text after the value", false, cutAfterValue},
		{"read a string that holds JSON", false, unquoteWhole},
		{"drop literal newlines between tokens", false, dropLiteralNewlines},
		{"escape control characters in strings", false, escapeControls},
		{"drop trailing commas", false, dropTrailingCommas},
		{"drop surplus closers", false, dropSurplusClosers},
		{"close what is open", true, closeBrackets},
		{"read Python literals", false, readPython},
		{"drop leaked quote tokens", false, dropLeakedQuotes},
		{"drop doubled braces", false, dropDoubledBraces},
		{"quote bare words", false, quoteBareWords},
	}
}

// Repair makes JSON of what a model wrote as JSON. final says that the text is closed; an open string is never
// completed.
func Repair(text string, final bool) (json.RawMessage, bool) {
	text = strings.TrimSpace(text)
	if IsContainer(text) {
		return json.RawMessage(text), true
	}
	for _, step := range repairSteps() {
		if step.final && !final {
			continue
		}
		fixed, changed := step.fix(text)
		if !changed {
			continue
		}
		text = strings.TrimSpace(fixed)
		if IsContainer(text) {
			return json.RawMessage(text), true
		}
	}
	return nil, false
}

// IsContainer reports whether text is a valid JSON object or array.
func IsContainer(text string) bool {
	return text != "" && (text[0] == '{' || text[0] == '[') && validJSON(text)
}

var fencePattern = regexp.MustCompile("(?s)^```[a-zA-Z_]*[ \t]*\n?(.*?)\n?```")

func unwrapFence(text string) (string, bool) {
	if m := fencePattern.FindStringSubmatch(text); m != nil && Balanced(m[1]) > 0 {
		return m[1], true
	}
	if open, found := strings.CutPrefix(text, "```json"); found {
		return open, true
	}
	return text, false
}

func cutAfterValue(text string) (string, bool) {
	end := Balanced(text)
	if end < 0 || end == len(text) {
		return text, false
	}
	return text[:end], true
}

func unquoteWhole(text string) (string, bool) {
	var inner string
	if json.Unmarshal([]byte(text), &inner) != nil {
		return text, false
	}
	return inner, true
}

// rewrite changes JSON text: outside rewrites what is between strings, inString the bytes inside them. Either may
// be nil.
func rewrite(
	text string, outside func(out *strings.Builder, rest string) int, inString func(b byte) string,
) (string, bool) {
	var out strings.Builder
	var s Scan
	changed := false
	for i := 0; i < len(text); {
		if !s.InString() && outside != nil {
			before := out.Len()
			if used := outside(&out, text[i:]); used > 0 {
				i += used
				changed = changed || out.Len()-before != used
				continue
			}
		}
		b := text[i]
		i++
		if s.InText() && inString != nil {
			if with := inString(b); with != "" {
				out.WriteString(with)
				changed = true
				continue
			}
		}
		s.Next(b)
		out.WriteByte(b)
	}
	return out.String(), changed
}

func dropLiteralNewlines(text string) (string, bool) {
	return rewrite(text, func(_ *strings.Builder, rest string) int {
		if strings.HasPrefix(rest, `\n`) || strings.HasPrefix(rest, `\t`) {
			return 2
		}
		return 0
	}, nil)
}

func escapeControls(text string) (string, bool) {
	return rewrite(text, nil, func(b byte) string {
		if b >= 0x20 {
			return ""
		}
		return escaped(b)
	})
}

// escaped is a control character as it is in a JSON string.
func escaped(b byte) string {
	quoted := Quote(string(rune(b)))
	return string(quoted[1 : len(quoted)-1])
}

func dropTrailingCommas(text string) (string, bool) {
	return rewrite(text, func(out *strings.Builder, rest string) int {
		if rest[0] != ',' {
			return 0
		}
		after := strings.TrimLeft(rest, ", \t\r\n")
		run := rest[:len(rest)-len(after)]
		if after != "" && after[0] != '}' && after[0] != ']' {
			out.WriteString(run)
		}
		return len(run)
	}, nil)
}

// dropSurplusClosers drops a closing bracket of the wrong kind or too many of them.
func dropSurplusClosers(text string) (string, bool) {
	var open []byte
	return rewrite(text, func(_ *strings.Builder, rest string) int {
		switch b := rest[0]; b {
		case '{', '[':
			open = append(open, b)
		case '}', ']':
			if len(open) == 0 || open[len(open)-1] != b-2 { // in ASCII a closer is its opener plus two
				return 1
			}
			open = open[:len(open)-1]
		}
		return 0
	}, nil)
}

// closeBrackets adds the brackets that are missing at the end. It never completes a string or a number, or goes on
// after a comma: what would have followed is unknown.
func closeBrackets(text string) (string, bool) {
	text = strings.TrimSpace(text)
	var open []byte
	var s Scan
	for i := range len(text) {
		b := text[i]
		if !s.InString() && (b == '{' || b == '[') {
			open = append(open, b+2)
		}
		if !s.InString() && (b == '}' || b == ']') && len(open) > 0 {
			open = open[:len(open)-1]
		}
		s.Next(b)
	}
	if s.InString() || len(open) == 0 || strings.IndexByte("{[:,0123456789", text[len(text)-1]) >= 0 {
		return text, false // more was to come
	}
	slices.Reverse(open)
	return text + string(open), true
}

func readPython(text string) (string, bool) {
	value, ok := PythonToJSON(text, false)
	return string(value), ok
}

func dropLeakedQuotes(text string) (string, bool) {
	clean := strings.NewReplacer(`<|"|>`, `"`, `<|">`, `"`, `<|\"|>`, `"`).Replace(text)
	return clean, clean != text
}

func dropDoubledBraces(text string) (string, bool) {
	inner, found := strings.CutPrefix(text, "{")
	if inner = strings.TrimSpace(inner); !found || !strings.HasPrefix(inner, "{") {
		return text, false
	}
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "}")), true
}

func quoteBareWords(text string) (string, bool) {
	value, ok := PythonToJSON(text, true)
	return string(value), ok
}

// EscapeInnerQuotes repairs quotes that were not escaped inside the last string of a call, if key is the last string
// argument and everything after it is closing brackets: then its end is certain.
func EscapeInnerQuotes(text, key string) (string, bool) {
	label := string(Quote(key))
	at := strings.Index(text, label)
	if at < 0 || strings.Count(text, label) != 1 {
		return text, false
	}
	head := at + len(label)
	rest := strings.TrimLeft(text[head:], " \t\r\n")
	rest, found := strings.CutPrefix(rest, ":")
	if !found {
		return text, false
	}
	rest, found = strings.CutPrefix(strings.TrimLeft(rest, " \t\r\n"), `"`)
	if !found {
		return text, false
	}
	start := len(text) - len(rest)
	tail := strings.TrimRight(rest, "}] \t\r\n")
	body, found := strings.CutSuffix(tail, `"`)
	if !found || len(tail) == len(rest) {
		return text, false
	}
	return text[:start] + escapeQuotes(body) + rest[len(body):], true
}

// escapeQuotes escapes quotes and control characters that are not escaped yet.
func escapeQuotes(body string) string {
	var out strings.Builder
	known := false // the byte is escaped already
	for i := range len(body) {
		b := body[i]
		switch {
		case known:
			known = false
		case b == '\\':
			known = true
		case b == '"':
			out.WriteByte('\\')
		case b < 0x20:
			out.WriteString(escaped(b))
			continue
		}
		out.WriteByte(b)
	}
	return out.String()
}
