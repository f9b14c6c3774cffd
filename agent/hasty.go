package agent

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/intent"
	"github.com/assent-ls/assent/tools/policy"
)

// maxPointer is how many bytes a reply has at most that may only tell where the answer stands.
const maxPointer = 300

// maxHurried is how many replies have to be calls after one that told of a change.
const maxHurried = 3

// Notes behind a hasty reply, which is asked for once more.
const (
	untrueNote  = "The reply above tells of a change, and nothing was changed. Its words are not sent to the model.\nIt was asked once more."
	pointerNote = "The reply above tells of a file that the model had not read. Its words are not sent to the model.\nIt was asked once more."
)

// hurries reports whether a guided reply without a call ends the run too early: it tells of a change that was not made, or where the answer
// stands. Then the next reply has to make the change, or to read the file. That happens once in a run, if it goes on, and with no word of it to
// the model. A change is only asked for where a person is asked about it, whatever they allowed before: the message may have wanted none.
func (c *help) hurries(text string) bool {
	if c.hasty || c.denied || c.wants.talk || c.wants.others || len(c.Tools) == 0 || c.lastStep || c.run.yields.Load() {
		return false
	}
	var note string
	switch {
	case c.wants.intent != intent.Question && !c.changed && c.urged < maxUrged && c.mode() == policy.ModeAsk && intent.TellsOfChange(text) && !intent.SaysDone(c.wants.text) && len(c.names(c.writes)) > 0:
		c.guessed = c.wants.intent != intent.Change
		c.wants.intent, c.urged, note = intent.Change, max(c.urged, maxUrged-maxHurried), untrueNote
	case c.wants.intent == intent.Question && !intent.AsksWhere(c.wants.text) && len(text) <= maxPointer && len(c.names(c.showsFile)) > 0 && c.pointed(text):
		c.reads, c.followed, note = true, true, pointerNote
	default:
		return false
	}
	c.hasty = true
	c.Turns = c.Turns[:len(c.Turns)-1]
	c.note(compose.HastyBlock, note)
	return true
}

// pointed finds the files that a text names and that the model has not read.
func (c *help) pointed(text string) bool {
	c.found = nil
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`,;:!?()[]<>*", r) }) {
		word = strings.TrimRight(strings.TrimPrefix(word, "./"), ".")
		for _, file := range c.files {
			if word != "" && (word == file && !isWord(file) || word == path.Base(file) && path.Ext(file) != "") && !c.hasRead(file) && !slices.Contains(c.found, file) {
				c.found = append(c.found, file)
			}
		}
	}
	return len(c.found) > 0
}

// isWord reports whether the path of a file may also be an ordinary word, as that of a script "test".
func isWord(file string) bool {
	return !strings.ContainsAny(file, "./") && file == strings.ToLower(file)
}
