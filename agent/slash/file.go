package slash

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// MaxFile is the largest file of a command, in bytes.
const MaxFile = 32 << 10

// FromFile reads a command of the user's own: a Markdown file, perhaps with front matter that has a description and an
// argument-hint. What cannot be used has a Problem.
func FromFile(name, path string, data []byte) Command {
	c := Command{Name: name, Path: path, Arguments: "[WORDS]"}
	switch {
	case len(data) > MaxFile:
		c.Problem = fmt.Sprintf("its file has more than %d KB.", MaxFile>>10)
		return c
	case !utf8.Valid(data) || strings.ContainsRune(string(data), 0):
		c.Problem = "its file is not a text in UTF-8."
		return c
	}
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(string(data), "\uFEFF"))
	if head, body, ok := cutFront(text); ok {
		var front struct {
			Description string `yaml:"description"`
			Hint        any    `yaml:"argument-hint"`
		}
		if err := unmarshal(head, &front); err != nil {
			c.Problem = "its front matter cannot be read: " + strings.TrimPrefix(err.Error(), "yaml: ") + "."
			return c
		}
		text, c.Doc = body, front.Description
		if front.Hint != nil {
			c.Arguments = fmt.Sprint(front.Hint)
		}
	}
	c.Template = strings.TrimSpace(text)
	if c.Template == "" {
		c.Problem = "its file is empty."
	}
	if c.Doc == "" {
		c.Doc, _, _ = strings.Cut(c.Template, "\n")
	}
	return c
}

// cutFront cuts off front matter, which is between two lines of three hyphens.
func cutFront(text string) (head, body string, ok bool) {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return "", text, false
	}
	if body, empty := strings.CutPrefix(rest, "---\n"); empty {
		return "", body, true
	}
	return strings.Cut(rest, "\n---\n")
}

// unmarshal reads YAML; the library has panicked on hostile input before.
func unmarshal(source string, into any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return yaml.Unmarshal([]byte(source), into)
}
