package python

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
)

const (
	fromProgram = "the program"
	approve     = "Approve"
	approveEach = "Approve each…"
	deny        = "Deny"
	tryOnCopy   = "Try it on a copy"
	nobody      = "Nobody is there who could be asked about this call, so it was not run."
)

// ask asks a person about one call. why says why it does not run; empty: it may.
func (r *run) ask(ctx context.Context, p tools.Prepared) (approved tools.Prepared, why string) {
	asker, ok := r.report.(tools.Asker)
	if !ok {
		return p, nobody
	}
	if p.Waits != "" && !p.CanRunAnyway {
		return p, p.Waits
	}
	if p.Spec.Effect.ByPerson() {
		return r.askPerson(ctx, asker, p)
	}
	q := tools.Inquiry{
		From: fromProgram, Target: "This program wants to: " + inWords(p), Text: described(p),
		Notice: notice(p), Yes: approve, No: deny, Why: true, Files: p.Files(),
	}
	if p.CanTry && !r.onDraft(p) { // there it runs on a copy anyway
		q.Other = tryOnCopy
	}
	reply, err := asker.Ask(ctx, q)
	switch {
	case err != nil:
		return p, unasked(err)
	case reply.Yes:
		return p.Approved().Anyway(), ""
	case reply.Other:
		return p.Tried(), ""
	}
	r.dispatcher.Denied(p)
	return p, denied(reply)
}

// inWords is what a call does, on one line.
func inWords(p tools.Prepared) string {
	return strings.TrimSpace(cmp.Or(p.Spec.Verb, p.Call.Name) + " " + p.Target)
}

// described is what a person reads of a call before they answer.
func described(p tools.Prepared) string {
	text := p.Preview
	if text == "" {
		text = visible.JSON(tools.Canonical(p.Call.Arguments))
	}
	return fmt.Sprintf("%s\n\n%s\n", inWords(p), strings.TrimRight(text, "\n"))
}

func notice(p tools.Prepared) string {
	return strings.TrimSpace(strings.Join([]string{p.Decision.Reason, p.Protected, p.Notice, p.Waits}, " "))
}

func unasked(err error) string {
	if errors.Is(err, tools.ErrNobody) {
		return nobody
	}
	return "The call was not run, since nobody answered: " + tools.Sentence(err.Error())
}

func denied(reply tools.Reply) string {
	if reply.Why != "" {
		return fmt.Sprintf("The user denied this call, and says: %q", reply.Why)
	}
	return "The user denied this call."
}

// anyText is the form of an answer that is a text.
var anyText = json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}`)

// askPerson puts the question of a call that asks.
func (r *run) askPerson(ctx context.Context, asker tools.Asker, p tools.Prepared) (tools.Prepared, string) {
	q := tools.Inquiry{From: fromProgram, Target: p.Target, Text: p.Target + "\n", Form: p.Form, No: deny, Why: true}
	own := len(p.Form) == 0
	if own {
		q.Form = anyText
	}
	reply, err := asker.Ask(ctx, q)
	switch {
	case err != nil:
		return p, unasked(err)
	case !reply.Yes:
		r.dispatcher.Denied(p)
		return p, denied(reply)
	}
	answer := string(reply.Form)
	if own {
		var said struct{ Answer string }
		_ = json.Unmarshal(reply.Form, &said) // it was checked against the form
		answer = said.Answer
	}
	return p.Replied(answer), ""
}

// askTogether asks in one question about the calls that need a person, if there are several.
func (r *run) askTogether(ctx context.Context, list []*inner) {
	var some []*inner
	for _, in := range list {
		if in.answer == nil && r.needsPerson(in.prepared) && !in.prepared.Spec.Effect.ByPerson() && in.prepared.Waits == "" {
			some = append(some, in)
		}
	}
	asker, ok := r.report.(tools.Asker)
	if len(some) < 2 || !ok {
		return
	}
	var text, notices strings.Builder
	for i, in := range some {
		if i > 0 {
			text.WriteByte('\n')
		}
		fmt.Fprintf(&text, "%d. %s", i+1, indented(described(in.prepared)))
		if p := in.prepared; p.Protected != "" || p.Notice != "" {
			fmt.Fprintf(&notices, "%d: %s ", i+1, strings.TrimSpace(p.Protected+" "+p.Notice))
		}
	}
	q := tools.Inquiry{
		From: fromProgram, Target: fmt.Sprintf("This program wants to make %d calls: %s", len(some), each(some)),
		Text: text.String(), Notice: strings.TrimSpace(notices.String()), Yes: fmt.Sprintf("Approve all %d", len(some)),
		Other: approveEach, No: deny, Why: true,
	}
	reply, err := asker.Ask(ctx, q)
	switch {
	case errors.Is(err, tools.ErrLong), err == nil && reply.Other: // each is asked about by itself
	case err != nil:
		for _, in := range some {
			in.fail(unasked(err))
		}
	case reply.Yes:
		for _, in := range some {
			r.execute(ctx, in, in.prepared.Approved())
		}
	default:
		for _, in := range some {
			r.dispatcher.Denied(in.prepared)
			in.fail(denied(reply))
		}
	}
}

// indented puts all lines of a text but the first below a number, so that none of them looks like another call.
func indented(text string) string {
	lines := strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n   ") + "\n"
	return strings.ReplaceAll(lines, "\n   \n", "\n\n")
}

// each names calls in a few words.
func each(list []*inner) string {
	var words []string
	for _, in := range list {
		words = append(words, inWords(in.prepared))
	}
	return strings.Join(words, "; ")
}
