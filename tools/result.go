package tools

import (
	"fmt"
	"io/fs"
	"time"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/workspace"
)

// Result is what the model reads and the document shows of a call that ended.
type Result struct {
	Parts  []content.Part
	Failed bool
	// Retry says that the same tool should be called again: the result holds what the failed call lacked.
	Retry bool
	Took  time.Duration
	// Stopped says that the call was started and ended by Stop: it may have had effects.
	Stopped bool
	// Value is what a program gets that made the call, in place of the text: a value that has a JSON form, or an error if
	// the text does not have all of it. nil: the text.
	Value any
	// Changes are what the call did to files, in order; the review of changes and Undo turn work from them.
	Changes []FileChange
	// Blocked is a sentence why the sandbox may be the reason that the call failed: a person may let it run outside.
	// Empty: it is not.
	Blocked string
	// Undo is how to undo the edit of the call; nil if there is nothing to undo.
	Undo *Undo
	// Whole is what Call.Whole asks for; nil: it was not asked for, or the tool has nothing like it.
	Whole *Whole

	stale bool
}

// Stale is what a call returns that did nothing, because what it would do is not what was planned any more: Execute
// returns ErrChanged then, and the person is asked again.
func Stale() Result { return Result{Failed: true, stale: true} }

// Whole is a result in full, for a person alone: no model reads it, and no chat holds it.
type Whole struct {
	CSV    string // RFC 4180, without invisible characters
	Notice string // what is missing all the same: sentences, or empty
}

// Text is a result that is one text.
func Text(text string) Result { return Result{Parts: content.Texts(text)} }

// Failed is the result of a call that failed: a text that says why, and what to do.
func Failed(text string) Result { return Result{Parts: content.Texts(text), Failed: true} }

// LeftOut adds to the result of a list or a search what rules keep from it.
func LeftOut(ws *workspace.Workspace, r Result) Result {
	if note := ws.LeftOut(); note != "" {
		r.Parts = append(r.Parts, content.Texts("\n["+note+"]")...)
	}
	return r
}

// Text is the plain-text form of the result.
func (r Result) Text() string { return content.Plain(r.Parts) }

// FileChange is what a call did to one file.
type FileChange = ledger.Change

// Undo describes what a call did to files, so that it can be undone by itself, also after other edits: see UndoEdit.
type Undo struct {
	Files []FileUndo // in the order in which they were changed
}

// FileUndo is how to undo what was done to one file.
type FileUndo struct {
	Path  string      // absolute, links followed
	Hunks []edit.Hunk // in the order in which they were made, each of the text that the one before it left
	// Deleted is what the file held that is not there any more; nil: it was not deleted.
	Deleted *string
	Mode    fs.FileMode // of a file that was deleted
	// MovedFrom is the absolute path where the file was before; empty: it was not moved.
	MovedFrom string
}

// The bounds of a whole result.
const (
	maxResult = 4 * excerpt.MaxBytes // of its texts
	maxImages = 8
)

// boundedParts is the content as models and people get it: bounded, and with invisible characters shown as <U+XXXX>.
func boundedParts(parts []content.Part) []content.Part {
	var out []content.Part
	room, images := maxResult, 0
	for i, part := range parts {
		if image, ok := part.(content.Image); ok && images < maxImages {
			images++
			out = append(out, image)
			continue
		}
		if room <= 0 {
			return append(out, content.Text(fmt.Sprintf("[%d more parts left out]", len(parts)-i)))
		}
		text := excerpt.HeadAndTail(visible.Text(part.String()), room)
		if room -= len(text); text != part.String() {
			part = content.Text(text)
		}
		out = append(out, part)
	}
	return out
}
