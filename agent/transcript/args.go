package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-ls/assent/internal/visible"
)

// argument is one labelled part of a body.
type argument struct {
	name  string
	value json.RawMessage
}

// FormatArguments writes a JSON object as the body of a tool block, one labelled part for each argument, in its order.
// The body ends with a line end, or is empty. docs/chat-format.md describes the form.
func FormatArguments(arguments json.RawMessage) (string, error) {
	args, err := decodeObject(arguments)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, a := range args {
		writeArgument(&b, a.name, a.value)
	}
	return b.String(), nil
}

// decodeObject reads a JSON object with its order and its numbers as they are.
func decodeObject(object json.RawMessage) ([]argument, error) {
	text := string(object)
	if !utf8.ValidString(text) {
		text = string([]rune(text)) // one U+FFFD for each wrong byte, as package json reads it
	}
	dec := json.NewDecoder(strings.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("the arguments are not a JSON object")
	}
	var args []argument
	seen := map[string]bool{}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("the arguments are not valid JSON: %w", err)
		}
		name, _ := t.(string)
		if seen[name] {
			return nil, fmt.Errorf("the argument %q is given twice", name)
		}
		seen[name] = true
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, fmt.Errorf("the arguments are not valid JSON: %w", err)
		}
		args = append(args, argument{name, value})
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("the arguments are not valid JSON: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON object of the arguments")
	}
	return args, nil
}

func writeArgument(b *strings.Builder, name string, value json.RawMessage) {
	if isName(name) {
		b.WriteString(name)
	} else {
		b.WriteString(quote(name))
	}
	b.WriteString(":")
	var text string
	if value[0] == '"' && json.Unmarshal(value, &text) == nil && !strings.ContainsRune(text, utf8.RuneError) {
		writeText(b, text)
		return
	}
	b.WriteString(" " + oneLine(value) + "\n")
}

// writeText writes a string as a person would: as it is on one line, as an indented block, else as a JSON string.
func writeText(b *strings.Builder, text string) {
	body, ended := strings.CutSuffix(text, "\n")
	switch {
	case isPlain(text):
		b.WriteString(" " + text + "\n")
	case strings.Contains(text, "\n") && strings.Trim(text, "\n") != "":
		bare := strings.TrimRight(body, "\n")
		if ended {
			b.WriteString(" |\n")
		} else {
			b.WriteString(" |-\n")
		}
		for line := range strings.SplitSeq(encodeBody(bare)+strings.Repeat("<U+000A>", len(body)-len(bare)), "\n") {
			if line != "" {
				b.WriteString("  " + line)
			}
			b.WriteByte('\n')
		}
	default:
		b.WriteString(" " + quote(text) + "\n")
	}
}

// isName reports whether a name may be as a label without quotes.
func isName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if !isLetter(c) && c != '_' && (i == 0 || (c < '0' || c > '9') && c != '-' && c != '.') {
			return false
		}
	}
	return name != ""
}

// isPlain reports whether a string may be after its label as it is.
func isPlain(s string) bool {
	if s == "" || s == "|" || s == "|-" || strings.ContainsAny(s[:1], "\"{[") || strings.ContainsAny(s, "\n\t") {
		return false
	}
	first, _ := utf8.DecodeRuneInString(s)
	last, _ := utf8.DecodeLastRuneInString(s)
	return !unicode.IsSpace(first) && !unicode.IsSpace(last) && firstEncoded(s, hidden) < 0 && !json.Valid([]byte(s))
}

// oneLine writes a JSON value on one line with nothing invisible in it.
func oneLine(value json.RawMessage) string {
	var compact bytes.Buffer
	if err := json.Compact(&compact, value); err != nil {
		return string(value)
	}
	return visible.JSON(compact.String())
}

// quote writes a JSON string with nothing invisible in it.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return strconv.Quote(s)
	}
	return visible.JSON(strings.TrimSuffix(b.String(), "\n"))
}

// ParseArguments reads the body of a tool block into a JSON object. The error is one sentence for the person who edited
// it.
func ParseArguments(body string) (json.RawMessage, error) {
	args, err := parseLabels(body)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for i, a := range args {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(a.name))
		b.WriteByte(':')
		b.Write(a.value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// parseLabels reads the labelled parts of a body.
func parseLabels(body string) ([]argument, error) {
	lines := strings.Split(trimTrailingSpace(normalNewlines(body)), "\n")
	var args []argument
	seen := map[string]bool{}
	for i := 0; i < len(lines); {
		line := lines[i]
		i++
		if line == "" {
			continue
		}
		name, rest, err := parseLabel(line)
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, fmt.Errorf("the argument %q is given twice", name)
		}
		seen[name] = true
		value, used, err := parseValue(name, rest, lines[i:])
		if err != nil {
			return nil, err
		}
		i += used
		args = append(args, argument{name, value})
	}
	return args, nil
}

// parseLabel splits "name: rest".
func parseLabel(line string) (name, rest string, err error) {
	if line[0] == ' ' || line[0] == '\t' {
		return "", "", fmt.Errorf("the line %s is indented but no text block is open above it", quoteLine(line))
	}
	if line[0] == '"' {
		dec := json.NewDecoder(strings.NewReader(line))
		if dec.Decode(&name) != nil {
			return "", "", fmt.Errorf("the label of the line %s is not a JSON string", quoteLine(line))
		}
		rest, ok := strings.CutPrefix(line[dec.InputOffset():], ":")
		if !ok {
			return "", "", fmt.Errorf("the line %s needs a colon after its label", quoteLine(line))
		}
		return name, rest, nil
	}
	name, rest, ok := strings.Cut(line, ":")
	if !ok || !isName(name) {
		return "", "", fmt.Errorf("the line %s does not begin with a label such as `path:`", quoteLine(line))
	}
	return name, rest, nil
}

// parseValue reads what follows a label; used counts the lines below it that belong to the value.
func parseValue(name, rest string, below []string) (value json.RawMessage, used int, err error) {
	text := strings.TrimLeft(rest, " \t")
	switch {
	case text == "":
		return nil, 0, fmt.Errorf(`the argument %q has no value (write "" for an empty text)`, name)
	case text == rest:
		return nil, 0, fmt.Errorf("a blank is missing after the label %q", name)
	case text == "|", text == "|-":
		block, used := parseBlock(below)
		if block != "" && text == "|" {
			block += "\n"
		}
		return json.RawMessage(quote(block)), used, nil
	case json.Valid([]byte(text)):
		return json.RawMessage(oneLine(json.RawMessage(text))), 0, nil
	case strings.ContainsAny(text[:1], "\"{["):
		return nil, 0, fmt.Errorf(
			"the value of %q is not valid JSON (write a text that begins like this in double quotes)", name,
		)
	}
	return json.RawMessage(quote(decode(text))), 0, nil
}

// parseBlock reads the lines that are indented by two spaces, up to the first line that is not.
func parseBlock(lines []string) (text string, used int) {
	var b strings.Builder
	empty := 0 // lines that count only if another follows
	for i, line := range lines {
		if line == "" {
			empty++
			continue
		}
		content, ok := strings.CutPrefix(line, "  ")
		if !ok {
			break
		}
		if used > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.Repeat("\n", empty))
		b.WriteString(content)
		used, empty = i+1, 0
	}
	return decode(b.String()), used
}

// quoteLine quotes a line for a message.
func quoteLine(line string) string {
	line = visible.Line(strings.TrimSpace(line))
	const limit = 40
	if runes := []rune(line); len(runes) > limit {
		line = string(runes[:limit]) + "…"
	}
	return "`" + line + "`"
}
