package compose

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assent-ls/assent/agent/transcript"
)

// Finding is a place of a document that the model does not read as it is there, and how it reads it.
type Finding struct {
	Span    transcript.Span
	Message string // a sentence
	Warn    bool   // something of it is left out or changed; else it is only unusual
}

// Check lists what of a document is sent in another way than it is there, in its order: results without a call or
// in front of it, calls with an ID that another has, turns that are empty or out of order. What cannot be read at all
// is a Problem of the document.
func Check(chat *transcript.Chat) []Finding {
	calls := pair(chat)
	found := calls.check()
	sent := ByTurn(chat, Memory{})
	if from, _ := summaryOf(chat); from > 0 {
		found = append(
			found,
			Finding{
				Span: chat.Turns[0].Heading,
				Message: "The turns from here to the one with the summary are not sent: the summary stands for them. " +
					"Delete it to send them again.",
			},
		)
	}
	before := transcript.Role(0) // whose turn was sent last
	last := len(chat.Turns)      // behind the last turn that is not empty: below it somebody is about to write
	for last > 0 && chat.Turns[last-1].Empty() {
		last--
	}
	for i, turn := range chat.Turns {
		said := func(format string, args ...any) {
			found = append(found, Finding{Span: turn.Heading, Message: fmt.Sprintf(format, args...)})
		}
		switch {
		case len(sent[i]) == 0 && turn.Empty() && i < last:
			said("This turn is empty, so the model does not see it.")
		case len(sent[i]) == 0:
		case before == 0 && turn.Role == transcript.Assistant:
			said("There is no question above this answer; the model reads it all the same.")
		case before == turn.Role && chat.Turns[i-1].Role == turn.Role:
			said("There is nothing between this turn and the one above; the model reads two messages, one after the other.")
		}
		if len(sent[i]) > 0 {
			before = turn.Role
		}
	}
	slices.SortStableFunc(found, func(x, y Finding) int { return cmp.Compare(x.Span.Start, y.Span.Start) })
	return found
}

// check lists the results and calls that do not belong together as they are.
func (p pairs) check() []Finding {
	var found []Finding
	for _, r := range p.orphans {
		if !r.NotSent {
			found = append(
				found,
				Finding{
					Span: r.Span, Warn: true,
					Message: fmt.Sprintf("There is no call %s for this result, so the model does not see it.", r.ID),
				},
			)
		}
	}
	for _, c := range p.calls {
		if c.call.NotSent || c.call.Arguments == nil {
			continue
		}
		if c.id != c.call.ID {
			found = append(found, Finding{Span: c.call.Span, Warn: true, Message: fmt.Sprintf(
				"Another call below has the ID %s, too: the model reads this one as %s. "+
					"Give it another ID, and its result as well.",
				c.call.ID, c.id)})
		}
		where := ""
		switch {
		case c.answered == nil || c.result.NotSent:
		case c.answered.turn != c.at.turn:
			where = "The call %s of this result is in an earlier turn; the model reads the result there."
		case c.answered.block < c.at.block:
			where = "This result is above its call %s; the model reads it below."
		}
		if where != "" {
			found = append(found, Finding{Span: c.result.Span, Message: fmt.Sprintf(where, c.result.ID)})
		}
	}
	return found
}
