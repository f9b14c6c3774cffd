package compose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/prompts"
)

// ShortenedBlock is the name of the context block that lists the results which are sent shortened. It is not sent
// itself: as long as it is in the document, they stay shortened in the same way, so that the prompt's prefix
// changes once.
const ShortenedBlock = "shortened results"

// What stays of a result that is shortened, in bytes. A result that is not much longer is left whole, and so is a
// shortened one.
const (
	keptHead   = 400
	keptTail   = 200
	longResult = 1200
)

// Shorten is what is sent of a long result: its beginning, its end, and what is missing between them.
func Shorten(text string) string {
	if len(text) <= longResult {
		return text
	}
	head, tail := text[:keptHead], text[len(text)-keptTail:]
	if i := strings.LastIndexByte(head, '\n'); i > keptHead/2 {
		head = head[:i]
	}
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < keptTail/2 {
		tail = tail[i+1:]
	}
	head, tail = strings.ToValidUTF8(head, ""), strings.ToValidUTF8(tail, "")
	return head + "\n" + prompts.Shortened(len(text)-len(head)-len(tail)) + "\n" + tail
}

// Fit shortens results of tools, the oldest first, until about so many tokens are saved; newest says whether the
// results behind the last reply may be shortened, too, which the model has not read yet. It changes nothing else, and
// returns the calls whose results it shortened.
func Fit(
	turns []toolcall.Turn, save int, newest bool, tokens func(text string) int,
) (fitted []toolcall.Turn, shortened []toolcall.Call) {
	fitted = slices.Clone(turns)
	last := len(turns)
	for last > 0 && turns[last-1].Role == model.RoleTool {
		last--
	}
	end := last
	if newest {
		end = len(turns)
	}
	for i := 0; i < end && save > 0; i++ {
		t := &fitted[i]
		short := Shorten(t.Text)
		if t.Role != model.RoleTool || t.CallID == "" || short == t.Text {
			continue
		}
		save -= tokens(t.Text) - tokens(short)
		t.Text = short
		shortened = append(shortened, toolcall.Call{ID: t.CallID, Name: t.Name})
	}
	return fitted, shortened
}

// ShortenedNote is the text of a ShortenedBlock.
func ShortenedNote(calls []toolcall.Call) string {
	lines := []string{
		"To fit the context, only the beginning and the end of these results are sent from here on. " +
			"Delete this block to send them whole.",
	}
	for _, call := range calls {
		lines = append(lines, fmt.Sprintf("- %s %s", call.ID, call.Name))
	}
	return strings.Join(lines, "\n")
}

// ShortenedIn lists the calls whose results are sent shortened, by their IDs.
func ShortenedIn(chat *transcript.Chat) map[string]bool {
	ids := map[string]bool{}
	for b := range transcript.Contexts(chat.Turns...) {
		if !b.NotSent || b.Name != ShortenedBlock {
			continue
		}
		for line := range strings.Lines(b.Text) {
			if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "-" {
				ids[fields[1]] = true
			}
		}
	}
	return ids
}
