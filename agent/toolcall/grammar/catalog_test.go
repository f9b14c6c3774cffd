package grammar

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/model"
)

func TestResolve(t *testing.T) {
	c := newCatalog([]model.Tool{{Name: "ping"}, {Name: "uptime"}, {Name: "write_note"}, {Name: "get"}, {Name: "get_rate"}})
	for written, want := range map[string]string{
		"ping": "ping", " ping\n": "ping", "functions.ping": "ping", "functions.ping:0": "ping", "ping:12": "ping",
		"ping<|channel|>commentary": "ping", "Write-Note": "write_note", "writeNote": "write_note", "get": "get", "get_rate": "get_rate",
		"getrate": "get_rate", "pin": "", "pingpong": "", "": "",
	} {
		got := ""
		if t := c.Resolve(written); t != nil {
			got = t.Name
		}
		if got != want {
			t.Errorf("%q resolves to %q, want %q", written, got, want)
		}
	}
	if diff := cmp.Diff([]string{"ping", "uptime", "get"}, c.near("pinng")); diff != "" {
		t.Error(diff)
	}
}
