package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/tools"
)

// whyField is the field of a form in which a person says why they say no.
const whyField = "why"

// inquiry is what a running call asks, and takes the one answer.
type inquiry struct {
	what  tools.Inquiry
	reply chan inquiryReply
}

type inquiryReply struct {
	reply tools.Reply
	err   error
}

func (in *inquiry) answer(r tools.Reply, err error) {
	select {
	case in.reply <- inquiryReply{r, err}:
	default: // it has one
	}
}

// form is what a person fills in. Nothing is chosen from the start.
func (in *inquiry) form() any {
	if len(in.what.Form) > 0 {
		return in.what.Form
	}
	choices := []any{cmp.Or(in.what.No, deny), in.what.Yes}
	if in.what.Other != "" {
		choices = append(choices, in.what.Other)
	}
	form := answerForm("Your answer", choices...)
	if in.what.Why {
		form.Properties[whyField] = &jsonschema.Schema{Type: "string", Title: "Why not, if you want to say it"}
	}
	return form
}

// params put the question to the client of a call.
func (in *inquiry) params(r *mcp.CallToolRequest) *mcp.ElicitParams {
	return &mcp.ElicitParams{Mode: "form", Message: in.message(r), RequestedSchema: in.form()}
}

// message is all that a person must read.
func (in *inquiry) message(r *mcp.CallToolRequest) string {
	said := fmt.Sprintf(
		"%s, which %s called, asks: %s\n\n%s", r.Params.Name, clientName(r.ClientInfo()), in.what.Target, in.what.Text,
	)
	if in.what.Notice != "" {
		said += "\n" + in.what.Notice
	}
	return said
}

// filled gives the call the answer that a client sends. What does not fit the question is a no.
func (in *inquiry) filled(answer *mcp.ElicitResult) {
	if answer.Action != "accept" {
		in.answer(tools.Reply{}, nil)
		return
	}
	if len(in.what.Form) > 0 {
		var reply tools.Reply
		if form, err := checked(in.what.Form, answer.Content); err == nil {
			reply = tools.Reply{Yes: true, Form: json.RawMessage(form)}
		}
		in.answer(reply, nil)
		return
	}
	said, _ := answer.Content[answerField].(string)
	for field := range answer.Content {
		if field != answerField && (field != whyField || !in.what.Why) {
			said = "" // it fits no form of ours
		}
	}
	reply := tools.Reply{Yes: said != "" && said == in.what.Yes, Other: said != "" && said == in.what.Other}
	if why, _ := answer.Content[whyField].(string); in.what.Why && !reply.Yes && !reply.Other {
		reply.Why = why
	}
	in.answer(reply, nil)
}

// asking is a reporter that puts what a call asks to the person at the client.
type asking struct {
	*reporter

	put func(ctx context.Context, in *inquiry)
}

// Ask implements tools.Asker.
func (a asking) Ask(ctx context.Context, what tools.Inquiry) (tools.Reply, error) {
	if what.Model != nil {
		return tools.Reply{}, tools.ErrNoModel
	}
	in := &inquiry{what, make(chan inquiryReply, 1)}
	a.put(ctx, in)
	select {
	case r := <-in.reply:
		return r.reply, r.err
	case <-ctx.Done():
		return tools.Reply{}, ctx.Err()
	}
}

// elicit asks by a request of the server, where the protocol has such.
func (s *Server) elicit(ctx context.Context, r *mcp.CallToolRequest, in *inquiry) {
	waiting, cancel := context.WithTimeout(ctx, s.options.Wait)
	defer cancel()
	answer, err := r.Session.Elicit(waiting, in.params(r))
	if err != nil {
		in.answer(tools.Reply{}, tools.ErrNobody)
		return
	}
	in.filled(answer)
}

// running is a call that goes on between the requests of a client without sessions: each of its questions ends one, and
// the answer comes with the next.
type running struct {
	asks  chan *inquiry
	ended chan runResult // takes the one result
	stop  context.CancelFunc
}

type runResult struct {
	result tools.Result
	err    error
}

// begin runs a call as long as the server lives, until it is stopped.
func (s *Server) begin(ctx context.Context, r *mcp.CallToolRequest, d *tools.Dispatcher, p tools.Prepared) *running {
	ctx, stop := s.untilClosed(context.WithoutCancel(ctx))
	run := &running{asks: make(chan *inquiry), ended: make(chan runResult, 1), stop: stop}
	reports := report(ctx, r)
	go func() {
		defer stop()
		result, err := s.run(ctx, d, p, reports, asking{reports, func(ctx context.Context, in *inquiry) {
			select {
			case run.asks <- in:
			case <-ctx.Done():
			}
		}})
		run.ended <- runResult{result, err}
	}()
	return run
}

// follow serves a running call until it asks or has ended. A client that cancels the request stops the call.
func (s *Server) follow(
	ctx context.Context, r *mcp.CallToolRequest, d *tools.Dispatcher, p tools.Prepared, run *running,
) (*mcp.CallToolResult, error) {
	select {
	case in := <-run.asks:
		waits := &pending{tools: d, call: p, client: s.sessionOf(r).client, run: run, inquiry: in}
		id, err := s.questions.put(waits, true)
		if err != nil {
			in.answer(tools.Reply{}, tools.ErrNobody)
			return s.follow(ctx, r, d, p, run)
		}
		return wanting(id, in.params(r)), nil
	case ended := <-run.ended:
		return resultFor(ctx, ended.result, ended.err)
	case <-ctx.Done():
		run.stop()
		return nil, ctx.Err()
	}
}
