package envelope

import (
	"strings"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/grammar"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// JSONCalls reads calls from the JSON of an envelope; whatever cannot be read is reported.
func JSONCalls(r *grammar.Reader, raw, body string, final bool) []toolcall.Event {
	calls := values.ValuesIn(body)
	if inner, listed := strings.CutPrefix(strings.TrimSpace(body), "["); listed &&
		!values.IsContainer(strings.TrimSpace(body)) {
		if split := values.ValuesIn(strings.TrimSuffix(strings.TrimSpace(inner), "]")); len(split) > 1 {
			calls = split // a list whose commas are missing
		}
	}
	if len(calls) == 0 {
		calls = []string{body}
	}
	var events []toolcall.Event
	for _, value := range calls {
		drafts, ok := r.Payload(value, final)
		if !ok {
			d := grammar.Draft{Raw: raw, Broken: "what it holds is not a call in JSON"}
			if t := r.NamedTool(value); t != nil {
				d.Name, d.Broken = t.Name, "its JSON is broken"
			}
			drafts = []grammar.Draft{d}
		}
		events = append(events, eventsOf(r, raw, drafts, len(calls) == 1)...)
	}
	if len(calls) == 1 {
		events = append(events, r.BehindWords(body)...)
	}
	return events
}

// one is an envelope with one call.
func one(e toolcall.Event) ([]toolcall.Event, bool) { return []toolcall.Event{e}, true }

// Unreadable reports an envelope that names no tool.
func Unreadable(r *grammar.Reader, raw, why string) []toolcall.Event {
	return []toolcall.Event{r.Broken(grammar.Draft{Raw: raw, Broken: why})}
}

// eventsOf finishes drafts from one envelope; one that is alone in it is reported with all that was written.
func eventsOf(r *grammar.Reader, raw string, drafts []grammar.Draft, alone bool) []toolcall.Event {
	events := make([]toolcall.Event, 0, len(drafts))
	for _, d := range drafts {
		if len(d.Object) == 0 || alone && len(drafts) == 1 {
			d.Raw = raw
		}
		events = append(events, r.Event(d))
	}
	return events
}

// ReadNamedObjects reads a list of objects whose only key is the name of the tool.
func ReadNamedObjects(closer string) grammar.Reads {
	return func(r *grammar.Reader, f grammar.Found) ([]toolcall.Event, bool) {
		raw, body := f.Text(closer)
		value, ok := values.Repair(body, f.Final)
		if !ok {
			return Unreadable(r, raw, "it is not a list of {NAME: arguments}"), true
		}
		if value[0] == '{' {
			value = []byte("[" + string(value) + "]")
		}
		var events []toolcall.Event
		for _, item := range values.SplitList(value) {
			members, err := values.ReadObject(item)
			if err != nil {
				continue
			}
			if len(members) != 1 {
				events = append(events, JSONCalls(r, raw, string(item), f.Final)...)
				continue
			}
			events = append(events, r.Event(grammar.Draft{Name: members[0].Key, Arguments: members[0].Value, Raw: raw}))
		}
		return events, true
	}
}
