package attach

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/assent-ls/assent/internal/content"
)

// Today is the source of today's date, which is attached where a message speaks of time: models answer such questions
// from what they were trained on. now is time.Now outside tests.
func Today(now func() time.Time) Source { return today{now} }

type today struct{ now func() time.Time }

// timeWords are words of messages that may be about today.
var timeWords = []string{
	"today", "yesterday", "tomorrow", "date", "day", "days", "week", "weeks", "weekday", "weekend", "month", "months",
	"year", "years",
	"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
}

// Name implements Source.
func (today) Name() string { return "today" }

// Mentions implements Source.
func (today) Mentions(_ context.Context, message Message) []string {
	words := strings.FieldsFunc(strings.ToLower(message.Text), func(r rune) bool { return !unicode.IsLetter(r) })
	if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(timeWords, w) }) {
		return []string{""}
	}
	return nil
}

// Resolve implements Source.
func (t today) Resolve(_ context.Context, mention string, _ int) (Block, bool) {
	return Block{t.Name(), content.Texts("Today is " + t.now().Format("Monday, 2 January 2006") + ".")}, mention == ""
}
