package toolcall

import (
	"encoding/json"
)

// readNamedObjects reads a list of objects whose only key is the name of the tool.
func readNamedObjects(closer string) func(*reader, found) ([]Event, bool) {
	return func(r *reader, f found) ([]Event, bool) {
		raw, body := f.text()
		value, ok := repair(cutAny(body, []string{closer}), f.final)
		if !ok {
			return []Event{r.broken(draft{raw: raw, broken: "it is not a list of {NAME: arguments}"})}, true
		}
		if value[0] == '{' {
			value = []byte("[" + string(value) + "]")
		}
		var events []Event
		var items []json.RawMessage
		if json.Unmarshal(value, &items) != nil {
			return nil, false
		}
		for _, item := range items {
			members, err := readObject(item)
			if err != nil {
				continue
			}
			if len(members) != 1 {
				events = append(events, r.jsonCalls(raw, string(item), f.final)...)
				continue
			}
			events = append(events, r.event(draft{name: members[0].key, arguments: members[0].value, raw: raw}))
		}
		return events, true
	}
}
