package intent

import (
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// Messages may be about what the tools of others know and do: a calendar, a tracker, a house.

// Others is how much a message that has words of tools of others, such as those of a calendar, is about what they know.
type Others int

// The answers.
const (
	NotOthers  Others = iota // it is about files, or about the world
	PerhapsOne               // it may be about either
	OfOthers                 // it is not about the folder that its writer works in
)

// OfTheOthers says what such a message is about. named and covers are as for [IsTalk].
func OfTheOthers(message string, named bool, covers float64) Others {
	plain := strings.ToLower(withoutCode(message))
	switch {
	case named, covers >= manyWords, isAsideOf(plain), general().MatchString(plain), pathLike().MatchString(
		message,
	), ofFiles().MatchString(toFile().ReplaceAllString(plain, "")):
		return NotOthers
	case covers >= fewWords:
		return PerhapsOne
	}
	return OfOthers
}

// ofFiles are words by which people speak of the folder that they work in.
var ofFiles = lazyregexp.New(
	`\b(files?|folders?|director(y|ies)|subfolders?|workspace|repo|repository|codebase|(source|the|this|our|my) code|scripts?|functions?|readme|makefile)\b`,
)

// toFile is the verb: who files a complaint means no file.
var toFile = lazyregexp.New(`\bfile an?\b`)

// NamesChange reports whether the name of a tool, such as create_issue or sendMail, says that it changes something.
func NamesChange(tool string) bool { return changingName().MatchString(tool) }

var changingName = lazyregexp.New(
	`^(\w+__)?(create|add|insert|make|new|update|edit|modify|change|set|replace|rename|move|write|put|post|patch|save|upload|send|reply|delete|remove|drop|clear|` +
		`cancel|close|merge|push|commit|deploy|start|stop|restart|run|execute|enable|disable|turn|switch|toggle|lock|unlock|pay|book|order|assign|archive|publish)($|[_.A-Z-])`,
)

// NamesDeletion reports whether the name of a tool says that it deletes something.
func NamesDeletion(tool string) bool { return deletingName().MatchString(tool) }

var deletingName = lazyregexp.New(
	`(?i)(^|[_.-])(delete|remove|drop|clear|erase|destroy|purge|wipe)|(Delete|Remove|Drop|Clear|Erase|Destroy|Purge|Wipe)`,
)

// Deletes reports whether a message speaks of deleting something.
func Deletes(message string) bool { return deletion().MatchString(strings.ToLower(message)) }

var deletion = lazyregexp.New(
	`\b(delet|remov|drop|clear|eras|destroy|purg|wip|cancel|discard|get rid|throw away|take (\w+ ){0,3}(off|away|out))`,
)

// OrdersChange reports whether a message orders that something be done, of which a tool of others may be capable: files
// need not be meant.
func OrdersChange(message string) bool {
	plain := strings.ToLower(withoutCode(message))
	if Of(message) == Change {
		return true
	}
	return slices.ContainsFunc(sentences(plain), func(sentence string) bool {
		words, _ := afterPoliteness(strings.FieldsFunc(sentence, isBetweenWords))
		return len(words) > 1 &&
			(slices.Contains(orders, words[0]) || words[0] == "file" && strings.HasPrefix(words[1], "a"))
	})
}

// AsksForTables reports whether a message is about the tables of a database themselves, and not about what is in them.
func AsksForTables(message string) bool { return aboutTables().MatchString(strings.ToLower(message)) }

var aboutTables = lazyregexp.New(`\b(tables?|columns?|schemas?|foreign keys?|primary keys?)\b`)

// orders are verbs by which people ask for what is no change of a file.
var orders = strings.Fields(`archive arrange assign book cancel close dim disable enable invite lock log mail mute order pause pay play post publish record refund register remind reopen
	reply report reserve reset restart resume schedule send ship snooze start stop submit subscribe text turn unlock unmute unsubscribe upload wake`)
