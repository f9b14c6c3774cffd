package grammar

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/assent-ls/assent/agent/toolcall/values"
)

// The keys under which models write a tool's name and its arguments, the usual ones first.
func nameKeys() []string {
	return []string{"name", "tool_name", "tool", "function", "function_name", "toolName", "action"}
}

func argumentKeys() []string {
	return []string{
		"arguments", "parameters", "args", "tool_args", "tool_input", "input", "params", "kwargs", "action_input",
	}
}

// besideKeys may be beside the name and the arguments, and are neither.
func besideKeys() []string { return []string{"id", "type", "tool_call_id"} }

// keys are a format's own names of the two, which come before the usual ones; empty: it has none.
type keys struct{ name, arguments string }

// wrapperKeys hold a call or a list of calls.
func wrapperKeys() []string { return []string{"tool_call", "tool_calls", "function_call", "function"} }

// Draft is a call as the model wrote it, before its tool is looked up.
type Draft struct {
	ID   string
	Name string
	// Arguments is JSON as written, repaired; nil if there were none.
	Arguments json.RawMessage
	// Members are the arguments where they were read one by one, each valid JSON; arguments is not looked at then.
	Members []values.Member
	// beside says that the arguments were beside the name, not under a key of their own.
	beside bool
	// Unchecked says that the arguments come from elsewhere and may not be JSON.
	Unchecked bool
	// Broken is a sentence why the draft cannot be a call; the rest may be empty then.
	Broken string
	Raw    string          // what the model wrote
	Object json.RawMessage // the same, if raw is empty
}

// written is what the model wrote.
func (d Draft) written() string {
	if d.Raw == "" {
		return string(d.Object)
	}
	return d.Raw
}

const maxWrappers = 4

// draftsOf finds the calls in a JSON value.
func (k keys) draftsOf(value json.RawMessage, depth int) []Draft {
	value = bytes.TrimSpace(value)
	if len(value) == 0 || depth > maxWrappers {
		return nil
	}
	if value[0] == '[' {
		var drafts []Draft
		for _, entry := range values.SplitList(value) {
			drafts = append(drafts, k.draftsOf(entry, depth+1)...)
		}
		return drafts
	}
	members, err := values.SplitObject(value)
	if err != nil {
		return nil
	}
	return k.draftsOfObject(members, value, depth)
}

// draftsOfObject finds the calls in an object.
func (k keys) draftsOfObject(members []values.Member, value json.RawMessage, depth int) []Draft {
	for _, key := range wrapperKeys() {
		if wrapped, found := values.Find(members, key); found && (wrapped[0] == '{' || wrapped[0] == '[') {
			if drafts := k.draftsOf(wrapped, depth+1); len(drafts) > 0 {
				if id := idOf(members); id != "" && len(drafts) == 1 && drafts[0].ID == "" {
					drafts[0].ID = id
				}
				return drafts
			}
		}
	}
	return k.draftOfObject(members, value)
}

// draftOfObject reads {"name": ..., "arguments": ...} with any of the usual keys. Of two argument keys the first in the
// text counts.
func (k keys) draftOfObject(members []values.Member, raw json.RawMessage) []Draft {
	d := Draft{Object: raw, ID: idOf(members)}
	nameKey := ""
	for _, key := range append([]string{k.name}, nameKeys()...) {
		if key == "" {
			continue
		}
		if value, found := values.Find(members, key); found && value[0] == '"' {
			nameKey = key
			d.Name, _ = values.StringValue(value)
			break
		}
	}
	if nameKey == "" || d.Name == "" {
		return nil
	}
	_, ownArguments := values.Find(members, k.arguments)
	ownArguments = ownArguments && k.arguments != ""
	var rest []values.Member
	for _, m := range members {
		switch {
		case m.Key == nameKey:
		case d.Arguments == nil &&
			(k.arguments != "" && m.Key == k.arguments || !ownArguments && slices.Contains(argumentKeys(), m.Key)):
			d.Arguments = m.Value
		case slices.Contains(besideKeys(), m.Key):
		default:
			rest = append(rest, m)
		}
	}
	if d.Arguments == nil && len(rest) > 0 {
		d.Arguments, d.beside = values.WriteObject(rest), true
	}
	return []Draft{d}
}

func idOf(members []values.Member) string {
	for _, key := range []string{"id", "tool_call_id"} {
		if value, found := values.Find(members, key); found {
			if id, ok := values.StringValue(value); ok {
				return id
			}
		}
	}
	return ""
}

// Take reads the arguments from JSON text, which is repaired if need be.
func (d *Draft) Take(text string, final bool) bool {
	members, _, err := values.MembersOf([]byte(text), values.ValidValue)
	if err == nil { // what follows the object does not count: see the ladder of repairs
		d.Members = values.NonNil(members)
		return true
	}
	var ok bool
	d.Arguments, ok = values.Repair(text, final)
	return ok
}
