package policy_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
)

// What is said about a tool is what is decided about its calls: the rules about some of them are named beside it.
func TestAbout(t *testing.T) {
	for name, tt := range map[string]struct {
		rules string
		q     policy.Request
		want  policy.Verdict
		some  []string
	}{
		"reads":            {`{}`, policy.Request{Tool: "read_file", Effect: effect.Reads}, policy.Run, nil},
		"edits":            {`{}`, policy.Request{Tool: "edit_file", Effect: effect.Edits}, policy.Ask, nil},
		"edits, by mode":   {`{}`, policy.Request{Tool: "edit_file", Effect: effect.Edits, Mode: policy.ModeEdits}, policy.Run, nil},
		"edits, plan":      {`{}`, policy.Request{Tool: "edit_file", Effect: effect.Edits, Mode: policy.ModePlan}, policy.Refuse, nil},
		"allowed":          {`{"allow":[{"tool":"edit_file"}]}`, policy.Request{Tool: "edit_file", Effect: effect.Edits}, policy.Run, nil},
		"denied":           {`{"deny":[{"tool":"*"}]}`, policy.Request{Tool: "read_file", Effect: effect.Reads}, policy.Refuse, nil},
		"another":          {`{"deny":[{"tool":"read_file"}]}`, policy.Request{Tool: "edit_file", Effect: effect.Edits}, policy.Ask, nil},
		"some files":       {`{"allow":[{"tool":"edit_file","paths":["src/**"]}]}`, policy.Request{Tool: "edit_file", Effect: effect.Edits}, policy.Ask, []string{"allow edit_file on src/**"}},
		"some are denied":  {`{"deny":[{"paths":["secret"]}]}`, policy.Request{Tool: "read_file", Effect: effect.Reads}, policy.Run, []string{"deny all calls on secret"}},
		"runs":             {`{"allow":[{"tool":"run_command"}]}`, policy.Request{Tool: "run_command", Effect: effect.Runs}, policy.Ask, []string{"allow run_command"}},
		"a database":       {`{"allow":[{"tool":"sql_select","database":"shop"}]}`, policy.Request{Tool: "sql_select", Effect: effect.Queries}, policy.Ask, []string{"allow sql_select on the database shop"}},
		"a host":           {`{"ask":[{"host":"example.org"}]}`, policy.Request{Tool: "web_fetch", Effect: effect.Fetches}, policy.Ask, []string{"ask all calls from example.org"}},
		"of a server":      {`{"allow":[{"tool":"note"}]}`, policy.Request{Tool: "note", Origin: "server x", Effect: effect.Calls}, policy.Ask, nil},
		"nobody knows it":  {`{}`, policy.Request{Tool: "odd"}, policy.Ask, nil},
		"full, in a mode":  {`{}`, policy.Request{Tool: "delete_file", Effect: effect.Deletes, Mode: policy.ModeFull}, policy.Run, nil},
		"edits, not other": {`{}`, policy.Request{Tool: "delete_file", Effect: effect.Deletes, Mode: policy.ModeEdits}, policy.Ask, nil},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "permissions.json")
			if err := os.WriteFile(path, []byte(tt.rules), 0o600); err != nil {
				t.Fatal(err)
			}
			p := newPolicy(t)
			p.UseFiles(path, nil)
			q := tt.q
			q.Caller, q.Workspace = policy.Model, "/ws|1:2"
			got := p.About(q)
			for i := range tt.some {
				tt.some[i] += ", in your permissions file"
			}
			if got.Verdict != tt.want || got.Reason == "" || !slices.Equal(got.Rules, tt.some) {
				t.Errorf("%v (%s), %q", got.Verdict, got.Reason, got.Rules)
			}
		})
	}
}
