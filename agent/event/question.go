package event

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/arguments"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
)

// Question is what waits for a person: a call, several calls that one answer decides, what a running call asks, the use
// of a model that runs elsewhere, or the fetching of one that is missing. The ID is opaque, belongs to these calls and
// their bytes, is used up by the first answer, and dies when a call or its plan changes: then another Question with
// another ID takes its place.
type Question struct {
	ID        string
	AskedCall             // the call, or the first of several
	More      []AskedCall // the other calls that the same answer decides
	Offers    []policy.Offer
	Choices   []string        // answers that a person may pick to a call that asks them; another counts, too
	Form      json.RawMessage // JSON schema of the answer to a call that asks the person; nil: the answer is text
	// Mention is set when the call is nowhere in the document, but gets what the message mentions by this @word,
	// without "@".
	Mention string
	// Model is set when no call waits, but the use of this model, which runs at Host, or with Pull its fetching from
	// Host, or the use of a server at Host that nobody declared. Target and Preview say so in words. Once means yes, to
	// the use for this chat until the process ends, or to that of the server; any other answer but Deny is refused.
	Model, Host string
	Pull        bool
	// From is set when no call waits, but a call that runs passes on what this one asks, such as a server. Target and
	// Preview say what, with their words as quotations. Once means yes, or goes with the Form; Yes is what yes means,
	// in a menu. An offer is what else can be chosen.
	// No is what no means, empty: Deny; Why says that a reason is read; Like is as in tools.Inquiry.
	From, Yes, No string
	Why           bool
	Like          []string
}

// AskedCall is a call that waits for a person. Its texts are made visible.
type AskedCall struct {
	CallID    string
	Tool      string
	Verb      string        // what the call does, for titles
	Effect    effect.Effect // of the tool
	Origin    tools.Origin  // of the tool
	Arguments json.RawMessage
	Target    string           // resolved, for titles
	Preview   string           // what would happen
	Files     []tools.FileEdit // that an edit would change
	Begun     string           // says that the call was begun before and may have had effects; empty: it never was
	Protected string           // why no grant covers it; empty: grants may
	Notice    string           // what else to know before an answer: sentences, or empty
	Waits     string           // why it should not run yet, although a person may choose that; empty: it may run
	// why it cannot be approved as it is (a person's edit of the call is unfinished, or a file is not saved)
	Blocked string
	// it ran in the sandbox, which may be why it failed: a sentence; the question is whether it runs outside. Empty: it
	// is not
	Outside string
	// AnswerBlock is the ID of the block in which a person writes the answer; empty: that of the call.
	AnswerBlock string
	Resumed     bool // it was in the document: no model of this run made it
	CanTry      bool // it can be tried on a copy
	CanGoOnline bool // so it can with the network
}

// Calls lists the calls that the answer decides; none if the question is about a model.
func (q Question) Calls() []AskedCall {
	if q.Model != "" {
		return nil
	}
	return append([]AskedCall{q.AskedCall}, q.More...)
}

// CanTry reports whether Try is an answer.
func (q Question) CanTry() bool {
	calls := q.Calls()
	return len(calls) > 0 && !slices.ContainsFunc(calls, func(c AskedCall) bool { return !c.CanTry || c.Blocked != "" })
}

// CanGoOnline reports whether Online is an answer: never one to several calls, since each reaches hosts of its own.
func (q Question) CanGoOnline() bool {
	return q.Model == "" && len(q.More) == 0 && q.AskedCall.CanGoOnline && q.Blocked == ""
}

// Heading is the text that says what is asked: a line for each call.
func (q Question) Heading() string {
	switch {
	case q.Pull:
		return "The model server would fetch " + q.Target
	case q.Model != "":
		return "This chat would be sent to " + q.Target
	case q.Mention != "":
		return "Your message would get " + q.Target
	case q.From != "":
		return q.Target
	}
	var lines []string
	for _, call := range q.Calls() {
		if call.Target == "" {
			lines = append(lines, call.Tool+" wants to run")
			continue
		}
		lines = append(lines, call.Tool+" wants: "+call.Target)
	}
	return strings.Join(lines, "\n")
}

// Does says what a call does, for titles: its verb, and its target if it has one.
func (c AskedCall) Does() string { return strings.TrimSpace(c.Verb + " " + c.Target) }

// Named is the name of the tool, and the target of the call if it has one.
func (c AskedCall) Named() string { return strings.TrimSpace(c.Tool + " " + c.Target) }

// Reasons are the sentences that a person reads before deciding on a call, the gravest first.
func (c AskedCall) Reasons() []string {
	var said []string
	for _, sentence := range []string{c.Begun, c.Outside, c.Protected, c.Notice, c.Waits, c.Blocked} {
		if sentence != "" {
			said = append(said, sentence)
		}
	}
	return said
}

// Alone reports whether no other call may be decided by the same answer.
func (c AskedCall) Alone() bool {
	return c.Begun != "" || c.Outside != "" || c.Protected != "" || c.Waits != "" || c.Blocked != "" ||
		c.Effect.ByPerson()
}

// Answer is a person's decision on a Question: either of a kind, or one of its offers.
type Answer struct {
	Kind  AnswerKind
	Offer string // the ID of an offer of the question
	// of a denial: the reason, which the model reads; else the answer to a call that asks the person
	Text string
	Form json.RawMessage // the answer to a call that asks with a form
}

// AnswerKind is what a person decided.
type AnswerKind int

// The answers.
const (
	Once AnswerKind = iota + 1
	Deny
	Try // once, on a copy of the workspace: what it changes there waits for another answer
	// Online is Try with the network: which hosts the call may reach is asked before it runs.
	Online
)

// Check says why an answer does not fit the question, or which of its offers was chosen, if one was.
func (q Question) Check(a Answer) (policy.Offer, error) {
	var chosen policy.Offer
	denies := a.Kind == Deny
	switch i := slices.IndexFunc(q.Offers, func(o policy.Offer) bool { return o.ID == a.Offer }); {
	case a.Offer == "" && (a.Kind < Once || a.Kind > Online), a.Offer != "" && a.Kind != 0:
		return chosen, errors.New("an answer approves once, tries, denies, or names an offer")
	case a.Kind == Try && !q.CanTry():
		return chosen, errors.New("this cannot be tried on a copy: approve or deny it")
	case a.Kind == Online && !q.CanGoOnline():
		return chosen, errors.New("this cannot run with the network: approve or deny it")
	case a.Offer != "" && i < 0 && q.Protected != "":
		return chosen, errors.New(q.Protected)
	case a.Offer != "" && i < 0:
		return chosen, policy.ErrNotOffered
	case a.Offer != "":
		chosen, denies = q.Offers[i], q.Offers[i].Denies
	}
	return chosen, q.checkWords(a, denies)
}

// checkWords checks what an answer carries beside the decision.
func (q Question) checkWords(a Answer, denies bool) error {
	switch {
	case denies && a.Form != nil:
		return errors.New("a denial carries no form")
	case denies:
		return nil
	case q.Blocked != "":
		return errors.New(q.Blocked)
	case !q.Effect.ByPerson() && (a.Text != "" || a.Form != nil):
		return errors.New("an approval carries no text: deny with a reason, or write it as your next message")
	case !q.Effect.ByPerson():
		return nil
	case len(q.Form) == 0 && (a.Text == "" || a.Form != nil):
		return errors.New("this call asks you something: answer it with a text")
	case len(q.Form) > 0 && (a.Text != "" || a.Form == nil):
		return errors.New("this call asks you something: answer it with its form, which is " + string(q.Form))
	case len(q.Form) > 0:
		return arguments.CheckForm(q.Form, a.Form)
	}
	return nil
}

// Reply is what a running call is told of an answer to what it asks. The error says why the answer does not fit.
func (q Question) Reply(a Answer) (tools.Reply, error) {
	if _, err := q.Check(a); err != nil {
		return tools.Reply{}, err
	}
	reply := tools.Reply{Yes: a.Kind == Once, Other: a.Offer != "", Form: a.Form}
	if q.Why && a.Kind == Deny {
		reply.Why = a.Text
	}
	return reply, nil
}

// InAnswer is the ID of the block in which a person writes their answer.
func (c AskedCall) InAnswer() string { return cmp.Or(c.AnswerBlock, c.CallID) }
