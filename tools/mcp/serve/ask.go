package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/arguments"
	"github.com/assent-ls/assent/tools/policy"
)

// sessionless is the first version of the protocol in which a server sends no requests: a call that needs an answer is
// sent again with it.
const sessionless = "2026-07-28"

// lastWithSessions is the version before it.
const lastWithSessions = "2025-11-25"

// The answers to a question, as the form has them. None is chosen from the start.
const (
	answerField = "answer"
	deny        = "Deny"
	approveOnce = "Approve once"
	tryIt       = "Try it on a copy"
	runOnline   = "Run with the network"
)

// formOf is what a person fills in: the answer to a tool that asks them something, else whether the call may run.
func formOf(p tools.Prepared) any {
	if len(p.Form) > 0 {
		return p.Form
	}
	if p.Spec.Effect.ByPerson() {
		return answerForm("Your answer")
	}
	choices := []any{deny, approveOnce}
	if p.CanTry {
		choices = append(choices, tryIt)
	}
	if p.CanGoOnline {
		choices = append(choices, runOnline)
	}
	return answerForm("May it run?", choices...)
}

// answerForm has one field, for one of the choices; without any, for a text.
func answerForm(title string, choices ...any) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Required: []string{answerField}, Properties: map[string]*jsonschema.Schema{
		answerField: {Type: "string", Title: title, Enum: choices},
	}}
}

// wanting is the answer to a call that a client sends again with what a person says.
func wanting(id string, ask *mcp.ElicitParams) *mcp.CallToolResult {
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{id: ask}, RequestState: id}
}

// canAsk reports whether a client can put a form to a person. One that names no kind of elicitation has forms.
func canAsk(c *mcp.ClientCapabilities) bool {
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// ask gets the answer of the person at the client to a call that may not run without it, and runs it if they approve.
func (s *Server) ask(
	ctx context.Context, r *mcp.CallToolRequest, d *tools.Dispatcher, p tools.Prepared,
) (*mcp.CallToolResult, error) {
	if !canAsk(r.ClientCapabilities()) {
		d.Unasked(p)
		return failed(unasked(p)), nil
	}
	params := &mcp.ElicitParams{Mode: "form", Message: question(p), RequestedSchema: formOf(p)}
	again := r.ProtocolVersion() >= sessionless
	id, err := s.questions.put(&pending{tools: d, call: p, client: s.sessionOf(r).client}, again)
	if err != nil {
		d.Unasked(p)
		return failed(err.Error()), nil
	}
	if again {
		return wanting(id, params), nil
	}
	defer s.questions.take(id)
	waiting, cancel := context.WithTimeout(ctx, s.options.Wait)
	defer cancel()
	answer, err := r.Session.Elicit(waiting, params)
	switch {
	case ctx.Err() != nil:
		d.Unasked(p)
		return nil, ctx.Err()
	case waiting.Err() != nil:
		d.Unasked(p)
		return failed(fmt.Sprintf("Nobody answered within %v, so nothing was done.", s.options.Wait)), nil
	case err != nil:
		d.Unasked(p)
		return failed("No answer came that fits the question, so nothing was done: " + err.Error() + "."), nil
	}
	return s.decide(ctx, r, d, p, answer)
}

// answered takes up a call that the client of a sessionless protocol sends again with the answer to its question.
func (s *Server) answered(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	id := r.Params.RequestState
	asked := s.questions.take(id)
	if asked == nil || asked.client != s.sessionOf(r).client || asked.call.Call.Name != r.Params.Name ||
		tools.Canonical(
			asked.call.Call.Arguments,
		) != tools.Canonical(r.Params.Arguments) || asked.call.Call.Client != clientName(r.ClientInfo()) {
		asked.unasked()
		return nil, invalid(
			"This answers no question that is open for this call, so nothing was done: " +
				"call the tool again without requestState.",
		)
	}
	answer, ok := r.Params.InputResponses[id].(*mcp.ElicitResult)
	if !ok || len(r.Params.InputResponses) != 1 {
		answer = &mcp.ElicitResult{Action: "cancel"}
	}
	if asked.inquiry != nil {
		asked.inquiry.filled(answer)
		return s.follow(ctx, r, asked.tools, asked.call, asked.run)
	}
	return s.decide(ctx, r, asked.tools, asked.call, answer)
}

// decide runs a call if the answer to its question says so in so many words; all else denies.
func (s *Server) decide(
	ctx context.Context, r *mcp.CallToolRequest, d *tools.Dispatcher, p tools.Prepared, answer *mcp.ElicitResult,
) (*mcp.CallToolResult, error) {
	said := ""
	if len(answer.Content) == 1 {
		said, _ = answer.Content[answerField].(string)
	}
	switch {
	case answer.Action != "accept", !p.Spec.Effect.ByPerson() && said == deny:
		d.Denied(p)
		return failed("The user denied this call, so nothing was done."), nil
	case p.Spec.Effect.ByPerson():
		err := errNoText
		if len(p.Form) > 0 {
			said, err = checked(p.Form, answer.Content)
		} else if said != "" {
			err = nil
		}
		if err != nil {
			d.Denied(p)
			why := "The answer does not fit the question, so nothing was done: " + err.Error() + "."
			return failed(why), nil //nolint:nilerr // the client reads it
		}
		return s.execute(ctx, r, d, p.Replied(said))
	case said == approveOnce:
		return s.execute(ctx, r, d, p.Approved())
	case said == tryIt && p.CanTry:
		return s.execute(ctx, r, d, p.Tried())
	case said == runOnline && p.CanGoOnline:
		return s.execute(ctx, r, d, p.Online())
	}
	d.Denied(p)
	return failed("The answer does not fit the question, so nothing was done."), nil
}

var errNoText = errors.New("it is no text")

// checked is what a person filled in, if it fits the form.
func checked(form json.RawMessage, filled map[string]any) (string, error) {
	data, err := json.Marshal(filled)
	if err == nil {
		err = arguments.CheckForm(form, data)
	}
	return string(data), err
}

// question is all that a person must know before they answer.
func question(p tools.Prepared) string {
	name := p.Call.Name
	if p.Spec.Origin != tools.BuiltIn {
		name += " of " + string(p.Spec.Origin)
	}
	wants := "wants"
	if p.Spec.Effect.ByPerson() {
		wants = "asks you by"
	}
	lines := []string{
		fmt.Sprintf("%s, a program that is connected to Assent, %s %s: %s", p.Call.Client, wants, name, p.Target),
	}
	for _, sentence := range []string{p.Protected, p.Notice, p.Decision.Reason} {
		if sentence != "" && !strings.Contains(strings.Join(lines, "\n"), sentence) {
			lines = append(lines, sentence)
		}
	}
	if p.Preview != "" {
		lines = append(lines, "", p.Preview)
	}
	return strings.Join(lines, "\n")
}

// unasked says that a call needs an answer that nobody can give, and which rule would let it run without one.
func unasked(p tools.Prepared) string {
	said := fmt.Sprintf(
		"Refused: %s on %q needs the approval of a person, and %s cannot ask one, so nothing was done.", p.Call.Name,
		p.Target, p.Call.Client,
	)
	switch {
	case p.Protected != "":
		return said + " No rule can allow it. " + p.Protected
	case p.Decision.Rule != "":
		return said + " A rule of the user asks about it: " + p.Decision.Rule + " (`assent permissions` lists it)."
	}
	if p.Decision.Notice != "" && len(p.Decision.Offers) == 0 { // a file of rules is broken
		return said + " " + p.Decision.Notice
	}
	rule, ok := allowing(p)
	if !ok {
		return said + " No rule can allow it: " + p.Decision.Reason
	}
	return said + " The user can allow it with the rule " + rule +
		" in their permissions.json (`assent permissions check` tries it)."
}

// allowing is the narrowest rule that would let a call run, as it is in a permissions file.
func allowing(p tools.Prepared) (string, bool) {
	var rule policy.Rule
	switch {
	case len(p.Decision.Offers) > 0:
		rule = p.Decision.Offers[0].Rule()
	case p.Spec.Effect.Known() && !p.Spec.Effect.RunsPrograms():
		rule = policy.Rule{Tool: p.Spec.Own(), Origin: string(p.Spec.Origin)}
	default:
		return "", false
	}
	text, err := json.Marshal(map[policy.List][]policy.Rule{policy.Allowed: {rule}})
	return string(text), err == nil
}
