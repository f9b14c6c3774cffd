package formats

import (
	"strings"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// outgoing is a call that is written for the model. inJSON says that its arguments are as one JSON object where the
// format writes tags: they are written so if tags would not read back as the same values, since tags have no escapes.
type outgoing struct {
	toolcall.Call
	inJSON bool
}

// object writes the arguments where tags should be. No tag can begin in it.
func (o outgoing) object() string {
	return strings.ReplaceAll(values.Spaced(o.Arguments), "<", `\u003c`)
}

// each writes every call with the same function and joins them.
func each(separator string, write func(outgoing) string) func([]outgoing) string {
	return func(calls []outgoing) string { return joinAll(calls, separator, write) }
}

// wrapped writes all calls between two markers.
func wrapped(open, closer string, calls func([]outgoing) string) func([]outgoing) string {
	return func(list []outgoing) string { return open + calls(list) + closer }
}

// named writes a name and arguments in JSON, and what is before, between and behind them.
func named(open, middle, closer string) func(outgoing) string {
	return func(c outgoing) string { return open + c.Name + middle + values.Spaced(c.Arguments) + closer }
}

// objectIn writes a call as a JSON object with the given keys between two markers.
func objectIn(open, closer, nameKey, argumentKey string) func(outgoing) string {
	return func(c outgoing) string { return open + object(c.Call, nameKey, argumentKey) + closer }
}

// objects writes calls as JSON objects with the given keys.
func objects(separator, nameKey, argumentKey string) func([]outgoing) string {
	return each(separator, objectIn("", "", nameKey, argumentKey))
}

// object writes a call as one JSON object in the spacing that models were trained on.
func object(c toolcall.Call, nameKey, argumentKey string) string {
	return "{" + string(values.Quote(nameKey)) + ": " + string(values.Quote(c.Name)) + ", " +
		string(values.Quote(argumentKey)) + ": " + values.Spaced(c.Arguments) + "}"
}

// list writes calls as a JSON list.
func list(nameKey, argumentKey string) func([]outgoing) string {
	return wrapped("[", "]", objects(", ", nameKey, argumentKey))
}

// arguments gives the arguments of a call in their order.
func arguments(c outgoing) []values.Member {
	members, err := values.ReadObject(c.Arguments)
	if err != nil {
		return nil
	}
	return members
}

// rawValue is an argument as tagged formats write it: a string as it is, anything else as JSON.
func rawValue(value []byte) string {
	if text, ok := values.StringValue(value); ok {
		return text
	}
	return values.Spaced(value)
}

// inTags writes a result between two markers.
func inTags(open, closer string) func(toolcall.Turn) string {
	return func(t toolcall.Turn) string { return open + t.Text + closer }
}

// plain writes a result as it is.
func plain(t toolcall.Turn) string { return t.Text }

// quoted writes a result as a JSON string.
func quoted(t toolcall.Turn) string { return string(values.Quote(t.Text)) }
