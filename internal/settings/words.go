package settings

import (
	"fmt"
	"regexp"
	"strings"
)

// Plain is all that is said of a setting, without markup: its doc, its choices, its unit, what else sets it, and
// whether it needs a restart.
func (f Field) Plain() string {
	parts := []string{f.Doc}
	for _, c := range f.Choices {
		parts = append(parts, c.Name+": "+c.Doc)
	}
	return strings.Join(append(parts, f.notes("")...), " ")
}

// Markdown is Plain with markup, and without the choices.
func (f Field) Markdown() string {
	parts := []string{f.Doc}
	if notes := f.notes("`"); notes != nil {
		parts = append(parts, strings.Join(notes, " "))
	}
	return snake.ReplaceAllString(strings.Join(parts, "\n\n"), "`$1`")
}

// snake matches names such as web_fetch, in which Markdown could see emphasis, unless they are code.
var snake = regexp.MustCompile("`?\\b([A-Za-z]+(?:_[A-Za-z]+)+)\\b`?")

// notes are the sentences that the declaration of a setting makes of its tags; names are between quotes.
func (f Field) notes(quote string) (notes []string) {
	say := func(format, name string) { notes = append(notes, fmt.Sprintf(format, quote+name+quote)) }
	if f.Unit != "" {
		notes = append(notes, "Unit: "+f.Unit+".")
	}
	if f.Env != "" {
		say("The environment variable %s sets it, too.", f.Env)
	}
	if f.Chat != "" {
		say("In a chat, the line %s of the front matter sets it.", f.Chat)
	}
	if f.Restart {
		notes = append(notes, "A change counts after a restart of the server.")
	}
	return notes
}
