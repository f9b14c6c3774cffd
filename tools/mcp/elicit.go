package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/arguments"
)

// The bounds of a question of a server.
const (
	maxWords     = 4 << 10 // bytes of what it says that are shown
	maxSaid      = 64 << 10
	maxFormBytes = 16 << 10
	maxFields    = 20
	maxURL       = 4 << 10
)

// What a server is told of the answer to its question.
const (
	accepted  = "accept"
	declined  = "decline" // the person said no
	cancelled = "cancel"  // nobody answered
)

// elicit answers a question of the server in the older protocol, where it does not say for which call it asks.
func (c *connection) elicit(ctx context.Context, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	r := c.newest()
	if r == nil {
		c.log.say("it asked something while no call ran: nobody was asked")
		return &sdk.ElicitResult{Action: cancelled}, nil
	}
	return c.elicitFor(ctx, r, p)
}

// elicitFor puts a question of the server to the person during a call. The error says to the server what is wrong with
// its question.
func (c *connection) elicitFor(ctx context.Context, r *runningCall, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	if p == nil {
		p = &sdk.ElicitParams{}
	}
	if !r.mayAsk() {
		c.log.say(errOften.Error())
		return &sdk.ElicitResult{Action: cancelled}, nil
	}
	what, err := c.inquiry(r.tool, p)
	if err != nil {
		return nil, c.invalid("it asked something that cannot be shown: ", err)
	}
	reply, err := r.ask(ctx, what)
	switch {
	case err != nil:
		c.log.say("what it asked was not answered: " + err.Error())
		return &sdk.ElicitResult{Action: cancelled}, nil //nolint:nilerr // that is how a server is told
	case !reply.Yes:
		return &sdk.ElicitResult{Action: declined}, nil
	case what.Form == nil:
		return &sdk.ElicitResult{Action: accepted}, nil
	}
	answer := &sdk.ElicitResult{Action: accepted}
	err = decode(reply.Form, &answer.Content)
	for name, value := range answer.Content {
		if n, ok := value.(json.Number); ok {
			answer.Content[name] = numberOf(n)
		}
	}
	return answer, err
}

// invalid tells the server what is wrong with its question, and keeps it in the log.
func (c *connection) invalid(said string, err error) error {
	c.log.say(said + err.Error())
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
}

// decode reads JSON whose numbers keep the digits that were written.
func decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(into)
}

// numberOf is a number as the SDK checks it: a whole one with all of its digits.
func numberOf(n json.Number) any {
	if whole, err := n.Int64(); err == nil {
		return whole
	}
	near, _ := n.Float64() // it was read before
	return near
}

// inquiry is a question of the server for the person: what it says is there as its words.
func (c *connection) inquiry(tool string, p *sdk.ElicitParams) (tools.Inquiry, error) {
	if len(p.Message) > maxSaid {
		return tools.Inquiry{}, fmt.Errorf("what it says is more than %d KB", maxSaid>>10)
	}
	says := c.hide(p.Message)
	what := tools.Inquiry{From: "the server " + c.name}
	intro := fmt.Sprintf("The server %s, whose tool %s runs, ", c.name, tool)
	switch {
	case p.Mode == "url" || p.Mode == "" && p.URL != "":
		address, host, err := addressOf(p.URL)
		if err != nil {
			return what, err
		}
		if plain, err := url.PathUnescape(address); err != nil || c.hide(address) != address || c.hide(plain) != plain {
			return what, errors.New("the address has a secret in it that was given to the server")
		}
		what.Target = fmt.Sprintf("The server %s wants you to open an address at %s yourself", c.name, host)
		what.Text = fmt.Sprintf(
			"%swants you to open this address in a browser yourself. Assent does not open it.\n%s\nIt is at %s.\n\n%s",
			intro, address, host, quoted(says),
		)
		what.Yes = "Say that you opened it"
		what.Notice = "Whoever has the address may learn who you are there."
	case p.Mode == "" || p.Mode == "form":
		fields, form, err := formOf(p.RequestedSchema, c.hide)
		if err != nil {
			return what, err
		}
		what.Target = fmt.Sprintf("The server %s asks: %s", c.name, visible.ForeignText(says).Quote(maxSaying))
		what.Text = intro + "asks you something.\n\n" + quoted(says) + described(fields)
		what.Form, what.Notice = form, noticeOf(c.name, says, fields)
		if form == nil {
			what.Yes = "Say yes to the server"
		}
	default:
		return what, fmt.Errorf("there is no way of asking %s", visible.ForeignText(p.Mode).Quote(40))
	}
	return what, nil
}

// quoted is what a server says, as a quotation of bounded length.
func quoted(says string) string {
	says = strings.ToValidUTF8(says, "\ufffd")
	left := len(says) - maxWords
	if left > 0 {
		says = strings.ToValidUTF8(says[:maxWords], "")
	}
	var b strings.Builder
	b.WriteString("It says:\n")
	quote(&b, visible.Text(lineEnds.Replace(says)))
	if left > 0 {
		fmt.Fprintf(&b, "[%d bytes more are left out here.]\n", left)
	}
	return b.String()
}

// quote writes a text as a quotation.
func quote(b *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		b.WriteString("> " + strings.TrimRight(line, "\r\n") + "\n")
	}
}

// addressOf reads an address that a person shall open. All of it is shown, so it must be one that shows where it leads.
func addressOf(address string) (whole, host string, err error) {
	at, err := url.Parse(address)
	switch {
	case len(address) > maxURL:
		return "", "", fmt.Errorf("the address is longer than %d bytes", maxURL)
	case strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", "", errors.New("the address has characters that do not belong in one")
	case err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http":
		return "", "", errors.New("the address is none of the web")
	case strings.ContainsFunc(at.Host, func(r rune) bool { return r > '~' || r == '%' }):
		return "", "", errors.New(
			"the address writes its host so that it does not show where it leads: write it in ASCII (xn--)",
		)
	case at.User != nil:
		return "", "", errors.New("the address has a name of a user in it, which hides where it leads")
	}
	return address, at.Host, nil
}

// formOf reads the schema of a form, and hides secrets in it. nil: there is nothing to fill in.
func formOf(schema any, hide func(string) string) ([]arguments.FormField, json.RawMessage, error) {
	if schema == nil {
		return nil, nil, nil
	}
	form, err := json.Marshal(schema)
	if err != nil {
		return nil, nil, err
	}
	if len(form) > maxFormBytes {
		return nil, nil, fmt.Errorf("the form has more than %d KB", maxFormBytes>>10)
	}
	var value any
	if err := decode(form, &value); err != nil {
		return nil, nil, err
	}
	if form, err = json.Marshal(hideIn(value, hide)); err != nil {
		return nil, nil, err
	}
	if err := arguments.CheckSchema(form); err != nil {
		return nil, nil, err
	}
	fields, err := arguments.FormFields(form)
	switch {
	case err != nil:
		return nil, nil, err
	case len(fields) == 0:
		return nil, nil, nil
	case len(fields) > maxFields:
		return nil, nil, fmt.Errorf("the form has more than %d fields", maxFields)
	}
	for _, f := range fields {
		odd := strings.ContainsFunc(f.Name, func(r rune) bool { return r == ':' || unicode.IsSpace(r) || r == '`' }) ||
			strings.Contains(f.Name, hiddenWord)
		if f.Name == "" || len(f.Name) > 60 || odd || visible.Line(f.Name) != f.Name {
			return nil, nil, fmt.Errorf("%s is no name for a field", visible.ForeignText(f.Name).Quote(60))
		}
		if f.Says == "" {
			return nil, nil, fmt.Errorf(
				"the field %s is neither text nor number, true or false, or a list of texts", f.Name,
			)
		}
	}
	return fields, form, nil
}

// described says what a form wants.
func described(fields []arguments.FormField) string {
	var b strings.Builder
	for i, f := range fields {
		if i == 0 {
			b.WriteString("\nIts form, in which a line that you leave empty is not sent:\n")
		}
		fmt.Fprintf(&b, "- %s: %s", f.Name, f.Says)
		if f.Needed {
			b.WriteString(", needed")
		}
		if f.About != "" {
			fmt.Fprintf(&b, ". It says: %s", visible.ForeignText(f.About).Quote(300))
		}
		b.WriteString("\n")
	}
	return b.String()
}
