package prompts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// front is what the front matter of a prompt may say.
type front struct {
	Replace     bool   `yaml:"replace"`
	Description string `yaml:"description"` // of a preset, for lists
}

// maxFront is how many bytes of front matter are read: a reader of YAML takes seconds for thousands of keys.
const maxFront = 4 << 10

// splitFront reads YAML front matter, which is lines between two lines of three hyphens at the very beginning, and says
// where the text behind it begins.
func splitFront(data string) (f front, start int, err error) {
	begin := len(data) - len(strings.TrimPrefix(data, "\ufeff"))
	opening, body := nextLine(data, begin)
	if opening != "---" || body == len(data) && !strings.ContainsAny(data[begin:], "\r\n") {
		return front{}, begin, nil
	}
	for at := body; at < len(data); {
		line, next := nextLine(data, at)
		if line == "---" && at-body > maxFront {
			return front{}, next, fmt.Errorf(
				"its front matter is too long: it has %d bytes, and %d are read", at-body, maxFront,
			)
		}
		if line == "---" {
			f, err = readFront(newlines(data[body:at]))
			return f, next, err
		}
		at = next
	}
	return front{}, begin, errors.New(`its front matter has no end: close it with a line "---"`)
}

// nextLine is the line at a place, without its end, and where the next one begins.
func nextLine(text string, at int) (line string, next int) {
	end := strings.IndexAny(text[at:], "\r\n")
	if end < 0 {
		return text[at:], len(text)
	}
	end += at
	next = end + 1
	if strings.HasPrefix(text[end:], "\r\n") {
		next++
	}
	return text[at:end], next
}

// readFront reads the YAML between the hyphens; the library has panicked on hostile input before.
func readFront(head string) (f front, err error) {
	defer func() {
		if r := recover(); r != nil {
			f, err = front{}, fmt.Errorf("its front matter cannot be read (%v)", r)
		}
	}()
	d := yaml.NewDecoder(bytes.NewReader([]byte(head)))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return front{}, errors.New(
			`its front matter may only say "replace: true" or "replace: false", and "description: TEXT"`,
		)
	}
	return f, nil
}

// newlines ends all lines in one way.
func newlines(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
}
