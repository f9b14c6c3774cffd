package mcptest

import "testing"

// What evaluations count on: five servers with two hundred tools of different names, whose things fit their fields.
func TestTheServers(t *testing.T) {
	names := map[string]bool{}
	for _, name := range Tools() {
		names[name] = true
	}
	for _, s := range parse() {
		for _, k := range s.kinds {
			for _, thing := range k.things {
				if len(thing.values) != len(k.fields) {
					t.Errorf("%s %s: %d values for %d fields", k.name, thing.id, len(thing.values), len(k.fields))
				}
			}
		}
	}
	if len(Names()) != 5 || len(names) != 200 {
		t.Errorf("%d servers with %d tools", len(Names()), len(names))
	}
}
