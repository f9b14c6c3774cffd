package guidance

import (
	"path"
	"strings"
	"unicode"

	"github.com/assent-ls/assent/agent/guidance/intent"
	"github.com/assent-ls/assent/tools/policy"
)

// maxPointer is how many bytes a reply has at most that may only tell where the answer is.
const maxPointer = 300

// maxHurried is how many replies have to be calls after one that told of a change.
const maxHurried = 3

// Notes below a reply that is asked for once more.
const (
	untrueNote  = "The reply above tells of a change, and nothing was changed. Its words are not sent to the model.\nIt was asked once more."
	pointerNote = "The reply above tells of a file that the model had not read. Its words are not sent to the model.\nIt was asked once more."
)

// AskAgain reports whether a reply without a call ends the run too early: it tells of a change that was not made, or
// where the answer is. Then the next reply has to make the change, or to read the file; the note says why, for people.
// It happens once in a run. A change is only asked for where a person is asked about it, whatever they allowed before:
// the message may have wanted none.
func (g *Guide) AskAgain(v View, text string) (note string, again bool) {
	g.View = v
	if g.source.without(ruleEarly) || g.asked || g.denied || g.wants.talk || g.wants.external ||
		len(g.Tools) == 0 || g.Last {
		return "", false
	}
	switch {
	case g.wants.intent != intent.Question && !g.changed && g.urged < maxUrged && g.Mode == policy.ModeAsk &&
		intent.TellsOfChange(text) && !intent.SaysDone(g.wants.text) && len(g.names(g.writes)) > 0:
		g.guessed = g.wants.intent != intent.Change
		g.wants.intent, g.urged, note = intent.Change, max(g.urged, maxUrged-maxHurried), untrueNote
	case g.wants.intent == intent.Question && !intent.AsksWhere(g.wants.text) && len(text) <= maxPointer &&
		len(g.names(g.showsFile)) > 0 && g.pointsToUnread(text):
		g.reads, g.followed, note = true, true, pointerNote
	default:
		return "", false
	}
	g.asked = true
	return note, true
}

// pointsToUnread reports whether a text names a file that the model has not read.
func (g *Guide) pointsToUnread(text string) bool {
	for _, word := range strings.FieldsFunc(
		text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`,;:!?()[]<>*", r) },
	) {
		word = strings.TrimRight(strings.TrimPrefix(word, "./"), ".")
		for _, file := range g.files {
			if word != "" && (word == file && !isWord(file) || word == path.Base(file) && path.Ext(file) != "") &&
				!g.hasRead(file) {
				return true
			}
		}
	}
	return false
}

// isWord reports whether the path of a file may also be an ordinary word, as that of a script "test".
func isWord(file string) bool {
	return !strings.ContainsAny(file, "./") && file == strings.ToLower(file)
}
