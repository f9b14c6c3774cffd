package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// DeclaredFormat is a format of tool calls that a user's profiles declare: a JSON object between two markers.
type DeclaredFormat struct {
	Name         string `toml:"name"`
	Start        string `toml:"start"`
	End          string `toml:"end"`
	NameKey      string `toml:"name_key"`      // of the object: the tool's name; empty: "name"
	ArgumentsKey string `toml:"arguments_key"` // of the object: the arguments; empty: "arguments"

	Where string `toml:"-"` // file and line that declare it
}

// Declared lists the formats that the user's profiles declare.
func (p *Profiles) Declared() []DeclaredFormat { return slices.Clone(p.declared) }

var formatName = lazyregexp.New(`^[a-z][a-z0-9._-]{0,39}$`)

const (
	maxMarker = 100 // bytes
	maxKey    = 50
)

// problem says what is wrong with a declaration by itself; empty: nothing.
func (d *DeclaredFormat) problem() string {
	if !formatName().MatchString(d.Name) {
		return "its name must begin with a small letter, and have only small letters, digits, dots, _ and -"
	}
	for _, m := range []struct{ key, text string }{{"start", d.Start}, {"end", d.End}} {
		switch {
		case m.text == "":
			return "it needs " + m.key + ", the marker of a call"
		case strings.TrimSpace(m.text) == "":
			return m.key +
				" is white space, which stands everywhere: a marker must be something that a model writes for a " +
				"call alone"
		case strings.TrimSpace(m.text) != m.text:
			return m.key + " begins or ends with white space: leave it out, it is skipped anyway"
		case len(m.text) > maxMarker || !utf8.ValidString(m.text) ||
			strings.ContainsFunc(m.text, func(r rune) bool { return !unicode.IsPrint(r) }):
			return fmt.Sprintf("%s must be one line of at most %d bytes that can be seen", m.key, maxMarker)
		case utf8.RuneCountInString(m.text) < 3:
			return fmt.Sprintf("%s %q is too short: it stands in plain text, too", m.key, m.text)
		case strings.ContainsAny(m.text[:1], "{[\"`") && strings.Trim(m.text, "{[\"`") == "" ||
			strings.HasPrefix(m.text, "```"):
			return fmt.Sprintf("%s %q is how JSON or code itself begins", m.key, m.text)
		}
	}
	if strings.Contains(d.Start, d.End) || strings.Contains(d.End, d.Start) {
		return "one of start and end holds the other, so nobody could tell where a call ends"
	}
	for _, k := range []struct{ key, text string }{{"name_key", d.NameKey}, {"arguments_key", d.ArgumentsKey}} {
		switch {
		case k.text == "" || len(k.text) > maxKey ||
			strings.ContainsFunc(
				k.text, func(r rune) bool { return !unicode.IsPrint(r) || r == '"' || r == '\\' || unicode.IsSpace(r) },
			):
			return fmt.Sprintf("%s must be a word of at most %d bytes", k.key, maxKey)
		case slices.Contains(
			[]string{"id", "type", "tool_call_id", "tool_call", "tool_calls", "function_call", "function"}, k.text,
		):
			return fmt.Sprintf("%s may not be %q, which means something else in a call", k.key, k.text)
		}
	}
	if d.NameKey == d.ArgumentsKey {
		return "name_key and arguments_key are the same"
	}
	return ""
}

// declare takes the formats of a file; one of a known name takes the place of the one before.
func (p *Profiles) declare(source profileSource, list []DeclaredFormat) error {
	var here []string
	for _, d := range list {
		d.NameKey, d.ArgumentsKey = cmp.Or(d.NameKey, "name"), cmp.Or(d.ArgumentsKey, "arguments")
		problem := d.problem()
		if slices.Contains(here, d.Name) {
			problem = "another one here has this name"
		}
		if problem != "" {
			return source.fail(d.Name, fmt.Sprintf("format %q: %s", d.Name, problem))
		}
		here = append(here, d.Name)
		d.Where = fmt.Sprintf("%s:%d", source.name, source.lineOf("name", d.Name))
		p.declared = slices.DeleteFunc(p.declared, func(old DeclaredFormat) bool { return old.Name == d.Name })
		p.declared = append(p.declared, d)
	}
	return nil
}
