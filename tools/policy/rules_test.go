package policy_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
)

// ruled is a policy with the user's permissions file.
func ruled(t *testing.T, text string) *policy.Policy {
	t.Helper()
	dir := t.TempDir()
	p := policy.New(newState(t, filepath.Join(dir, "state")))
	p.UseFiles(filepath.Join(dir, "permissions.json"), func(string, string, []byte) (bool, string) { return true, "" })
	write(t, filepath.Join(dir, "permissions.json"), text)
	return p
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func editOf(paths ...string) policy.Request {
	r := edit()
	r.Target, r.Paths = paths[0], paths
	return r
}

func TestWhatARuleIsAbout(t *testing.T) {
	fetch := edit()
	fetch.Tool, fetch.Effect, fetch.Paths, fetch.Host = "web_fetch", effect.Fetches, nil, "docs.example.org"
	read := editOf("secret/key.txt")
	read.Tool, read.Effect = "read_file", effect.Reads
	foreign := editOf("src/a.go")
	foreign.Origin = "server x"
	shop, both := edit(), edit()
	shop.Tool, shop.Effect, shop.Paths, shop.Databases = "sql_select", effect.Queries, nil, []string{"shop"}
	both.Tool, both.Effect, both.Paths, both.Databases = "schema_search", effect.Queries, nil, []string{"shop", "crm"}
	unconfined := runLine("go test")
	unconfined.Confined = false
	for _, c := range []struct {
		rules string
		call  policy.Request
		want  policy.Verdict
	}{
		{`"allow":[{"effect":"edits","paths":["src/**"]}]`, editOf("src/a/b.go"), policy.Run},
		{`"allow":[{"effect":"edits","paths":["src/**"]}]`, editOf("src/a.go", "docs/a.md"), policy.Ask}, // all paths must fit
		{`"allow":[{"effect":"edits","paths":["src/*"]}]`, editOf("src/a/b.go"), policy.Ask},
		{`"allow":[{"tool":"sql_select","database":"shop"}]`, shop, policy.Run},
		{`"allow":[{"database":"shop"}]`, shop, policy.Run},
		{`"allow":[{"database":"Shop"}]`, shop, policy.Ask},
		{`"allow":[{"database":"crm"}]`, shop, policy.Ask},
		{`"allow":[{"database":"shop"}]`, both, policy.Ask}, // it asks another one, too
		{`"allow":[{"tool":"schema_search"}]`, both, policy.Run},
		{`"allow":[{"tool":"schema_search"}],"deny":[{"database":"CRM"}]`, both, policy.Refuse},
		{`"allow":[{"tool":"sql_select"}],"ask":[{"database":"crm"}]`, shop, policy.Run},
		{`"allow":[{"database":"shop"}]`, editOf("a"), policy.Ask},
		{`"allow":[{"effect":"edits","database":"shop"}]`, editOf("a"), policy.Ask}, // it is about no call
		{`"deny":[{"database":"shop"}]`, editOf("a"), policy.Ask},
		{`"allow":[{"tool":"sql_select","database":"shop","match":[{"tool":"sql_select","arguments":{"source":"crm"}}]}]`, shop, policy.Ask}, // it fails its example
		{`"allow":[{"effect":"edits","paths":["SRC/**"]}]`, editOf("src/a.go"), policy.Ask},                                                  // what allows is exact
		{`"deny":[{"paths":["secret//./key.txt"]}]`, read, policy.Refuse},                                                                    // a glob is written in as many ways as a path
		{`"deny":[{"paths":["./SECRET/."]}]`, read, policy.Refuse},
		{`"deny":[{"paths":["./"]}]`, read, policy.Refuse},
		{`"allow":[{"effect":"edits","paths":["src/**"]}]`, editOf("src-evil/a.go"), policy.Ask},
		{`"allow":[{"effect":"edits","paths":["src/**"]}]`, foreign, policy.Ask}, // it names no origin
		{`"allow":[{"effect":"edits","origin":"server x","paths":["src/**"]}]`, foreign, policy.Run},
		{`"allow":[{"tool":"edit_file"}]`, editOf("a"), policy.Run},
		{`"allow":[{"tool":"Edit_file"}]`, editOf("a"), policy.Ask},
		{`"allow":[{"tool":"*","effect":"edits"}]`, editOf("a"), policy.Run},
		{`"allow":[{"effect":"deletes"}]`, editOf("a"), policy.Ask},
		{`"allow":[{"tool":"web_fetch","host":"example.org"}]`, fetch, policy.Ask},
		{`"allow":[{"tool":"web_fetch","host":"*.example.org"}]`, fetch, policy.Run},
		{`"allow":[{"tool":"web_fetch","host":"*.ample.org"}]`, fetch, policy.Ask}, // by whole labels
		{`"allow":[{"tool":"web_fetch"}],"deny":[{"host":"example.org"}]`, fetch, policy.Refuse},
		{`"allow":[{"command":"go test **"}]`, runLine("go test ./..."), policy.Run},
		{`"allow":[{"command":"go test **"}]`, unconfined, policy.Ask},
		{`"allow":[{"command":"go test **"}]`, runLine("go test ./... | tail -5"), policy.Run}, // harmless beside it
		{`"allow":[{"command":"go test **"}]`, runLine("go test ./... && ./deploy"), policy.Ask},
		{`"allow":[{"command":"go test **"}]`, runLine("go test ./... > out/log.txt"), policy.Ask},
		{`"allow":[{"command":"go test **"},{"effect":"edits","paths":["out/**"]}]`, runLine("go test ./... > out/log.txt"), policy.Run},
		{`"allow":[{"command":"go test **"},{"effect":"edits","paths":["out/**"]}]`, runLine("go test ./... > ../out/log.txt"), policy.Ask},
		{`"allow":[{"command":"go test **"},{"tool":"edit_file","paths":["out/**"]}]`, runLine("go test ./... > out/log.txt"), policy.Ask},
		{``, runLine("echo x > main.go < main.go"), policy.Ask}, // what a line writes is written, also if it reads it
		{``, runLine("cd src && echo x < a.go >> ./a.go"), policy.Ask},
		{`"allow":[{"effect":"edits","paths":["out/**"]}]`, runLine("sort < out/a > out/b"), policy.Run},
		{`"allow":[{"command":"go test **"}]`, runLine("go test ./... 2>&1 >/dev/null"), policy.Run},
		{`"allow":[{"command":"go test **"}]`, runLine("go test $(rm x)"), policy.Ask},
		{`"allow":[{"tool":"run_command"}],"deny":[{"command":"rm **"}]`, runLine("./build && rm -rf x"), policy.Refuse},
		{`"allow":[{"tool":"run_command"}],"deny":[{"command":"rm **"}]`, runLine("/bin/rm -rf x"), policy.Refuse},
		{`"allow":[{"tool":"run_command"}],"deny":[{"command":"rm **"}]`, runLine("find . | xargs rm"), policy.Refuse},
		{`"allow":[{"tool":"run_command"}],"deny":[{"command":"rm **"}]`, runLine("echo rm"), policy.Run},
		{`"allow":[{"tool":"run_command"},{"effect":"edits","paths":["**"]}],"deny":[{"paths":["out/"]}]`, runLine("./build > out/x"), policy.Refuse},
		{`"allow":[{"tool":"run_command"}],"deny":[{"paths":["secret/"]}]`, runLine("./build < secret/x"), policy.Refuse},
		{`"allow":[{"tool":"*"}],"ask":[{"command":"git push **"}]`, runLine("git status; git push"), policy.Ask},
		{`"allow":[{"tool":"*"}],"ask":[{"command":"git push **"}]`, runLine("git -C sub --no-pager -c a.b=c push"), policy.Ask}, // options first
		{`"allow":[{"tool":"*"}],"deny":[{"command":"kubectl delete **"}]`, runLine("env kubectl -n prod delete pod x"), policy.Refuse},
		{`"allow":[{"tool":"*"}],"deny":[{"command":"git push **"}]`, runLine("git commit -m push"), policy.Run},
		{`"allow":[{"command":"git push **"}]`, runLine("git -C sub push"), policy.Ask}, // what allows is exact
		{`"allow":[{"tool":"*"}],"deny":[{"command":"rm **"}]`, runLine("/BIN/RM x"), policy.Refuse},
		{`"deny":[{"paths":["secret/**"]}]`, read, policy.Refuse},
		{`"deny":[{"paths":["SECRET/**"]}]`, read, policy.Refuse}, // what forbids is lenient
		{`"deny":[{"paths":["secret"]}]`, read, policy.Refuse},    // a folder is all in it
		{`"deny":[{"paths":["secret/**"]}]`, editOf("src/a", "secret"), policy.Refuse},
		{`"deny":[{"paths":["secret/**"]}]`, editOf("Secret./x"), policy.Refuse},
		{`"deny":[{"paths":["**/*.pem"]}]`, editOf("a/b/KEY.PEM"), policy.Refuse},
		{`"deny":[{"tool":"EDIT_FILE"}]`, editOf("a"), policy.Refuse},
		{`"deny":[{"origin":"server x"}]`, foreign, policy.Refuse},
		{`"deny":[{"origin":"server x"}]`, editOf("src/a.go"), policy.Ask},
		{`"deny":[{"tool":"*","effect":"reads","paths":["secret/**"]}]`, editOf("secret/x"), policy.Ask}, // all fields must hold
		{`"ask":[{"tool":"read_file"}]`, read, policy.Ask},
		{`"ask":[{"tool":"edit_file"}],"allow":[{"tool":"edit_file"}]`, editOf("a"), policy.Ask},
		{`"deny":[{"tool":"edit_file","effect":"edits","paths":["a"]}],"allow":[{"tool":"edit_file"}]`, editOf("a"), policy.Refuse},
		{`"allow":[{"command":"ls","match":["cat"]}]`, runLine("ls"), policy.Run},           // harmless without it
		{`"allow":[{"command":"./build","match":["cat"]}]`, runLine("./build"), policy.Ask}, // it fails its example
		{`"deny":[{"command":"./build","match":["cat"]}]`, runLine("./build"), policy.Refuse},
	} {
		if d := ruled(t, "{"+c.rules+"}").Decide(c.call); d.Verdict != c.want || !strings.HasSuffix(d.Reason, ".") {
			t.Errorf("%s for %q %q: %+v", c.rules, c.call.Target, c.call.Paths, d)
		}
	}
}

// S04, S05: what is denied is refused whatever else allows it: in every mode, for every caller, with grants and rules
// that allow, for protected files; and a rule that asks beats all that allow. 4 modes × 4 callers × 4 calls.
// Promise 6. Invariant 25.
func TestDenyBeatsEverything(t *testing.T) {
	fetch := edit()
	fetch.Tool, fetch.Effect, fetch.Host = "web_fetch", effect.Fetches, "example.org"
	hidden := editOf(".env")
	hidden.Protected = protected
	allowAll := `"allow":[{"tool":"*"},{"tool":"edit_file"},{"tool":"run_command"},{"tool":"web_fetch"},{"command":"./build **"},{"effect":"edits","paths":["**"]}]`
	for list, want := range map[string]policy.Verdict{"deny": policy.Refuse, "ask": policy.Ask} {
		for _, call := range []policy.Request{edit(), runLine("./build now"), fetch, hidden} {
			p := ruled(t, `{`+allowAll+`}`)
			for _, o := range p.Decide(call).Offers {
				if _, err := p.Accept(o, ""); err != nil {
					t.Fatal(err)
				}
			}
			strict := ruled(t, `{"`+list+`":[{"tool":"`+call.Tool+`"}],`+allowAll+`}`)
			for _, mode := range []policy.Mode{"", policy.ModeAsk, policy.ModeEdits, policy.ModePlan, policy.ModeFull} {
				for _, caller := range []policy.Caller{policy.Model, policy.Person, policy.Remote, policy.Program} {
					call.Mode, call.Caller = mode, caller
					d := strict.Decide(call)
					refusedByPlan := mode == policy.ModePlan && d.Verdict == policy.Refuse
					if d.Verdict != want && !refusedByPlan || len(d.Offers) > 0 {
						t.Errorf("%s %s in mode %q by %s: %+v", list, call.Tool, mode, caller, d)
					}
				}
			}
		}
	}
}

func TestModes(t *testing.T) {
	protectedEdit := editOf(".mcp.json")
	protectedEdit.Protected = protected
	outside := editOf("../x")
	deletes := editOf("a")
	deletes.Effect = effect.Deletes
	read := editOf("a")
	read.Effect = effect.Reads
	foreign := editOf("a")
	foreign.Origin = "server x"
	fetch := edit()
	fetch.Effect, fetch.Host = effect.Fetches, "example.org"
	calls := edit()
	calls.Effect = effect.Calls
	unconfined, unknown := runLine("./build"), runLine("./build $X")
	unconfined.Confined = false
	nowhere := editOf("a")
	nowhere.Workspace = ""
	const r, a, n = policy.Run, policy.Ask, policy.Refuse
	for name, c := range map[string]struct {
		call                         policy.Request
		ask, edits, plan, full, yolo policy.Verdict
	}{
		"an edit":                       {editOf("src/a.go"), a, r, n, r, a},
		"an edit of a protected file":   {protectedEdit, a, a, n, a, a},
		"an edit outside":               {outside, a, a, n, a, a},
		"an edit in no workspace":       {nowhere, a, a, n, a, a},
		"an edit by a tool of a server": {foreign, a, a, n, a, a},
		"a deletion":                    {deletes, a, a, n, r, a},
		"reading":                       {read, r, r, r, r, r},
		"a command":                     {runLine("./build"), a, a, n, r, a},
		"a command without a sandbox":   {unconfined, a, a, n, a, a},
		"one that is not understood":    {unknown, a, a, n, r, a},
		"one that only reads":           {runLine("ls -l | wc -l"), r, r, r, r, r},
		"fetching":                      {fetch, a, a, a, a, a},
		"a call of somebody's tool":     {calls, a, a, n, a, a},
	} {
		p := newPolicy(t)
		for mode, want := range map[policy.Mode]policy.Verdict{
			"": c.ask, policy.ModeAsk: c.ask, policy.ModeEdits: c.edits, policy.ModePlan: c.plan, policy.ModeFull: c.full, "yolo": c.yolo,
		} {
			c.call.Mode = mode
			if d := p.Decide(c.call); d.Verdict != want {
				t.Errorf("%s in mode %q: %+v", name, mode, d)
			}
		}
	}
	// A command that is not understood may be one that a rule is about.
	unknown.Mode = policy.ModeFull
	if d := ruled(t, `{"deny":[{"command":"rm **"}]}`).Decide(unknown); d.Verdict != policy.Ask {
		t.Errorf("%+v", d)
	}
	// A text may only tighten.
	for _, own := range []policy.Mode{"", policy.ModeAsk, policy.ModeEdits, policy.ModePlan, policy.ModeFull} {
		for _, named := range []policy.Mode{"", policy.ModeAsk, policy.ModeEdits, policy.ModePlan, policy.ModeFull, "yolo"} {
			got, want := own.Tighter(named), own
			if named == policy.ModePlan || named == policy.ModeAsk && own != policy.ModePlan {
				want = named
			}
			if got != want {
				t.Errorf("%q tightened to %q is %q", own, named, got)
			}
		}
	}
}

// S02: a workspace's file only tightens, and only once it is trusted with exactly this content.
// Promise 6.
func TestAWorkspacesRulesOnlyTighten(t *testing.T) {
	root := t.TempDir()
	ws, err := workspace.Open(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close() //nolint:errcheck // only read
	trusted := ""
	p := policy.New(newState(t, filepath.Join(t.TempDir(), "state")))
	p.UseFiles(filepath.Join(t.TempDir(), "permissions.json"), func(key, rel string, data []byte) (bool, string) {
		return key == ws.Key() && rel == policy.WorkspaceFile && string(data) == trusted, "it is not"
	})
	p.Enter(ws)
	file := filepath.Join(root, policy.WorkspaceFile)
	loose := `{"allow":[{"tool":"*"},{"tool":"edit_file"}],"deny":[{"paths":["a"]}]}`
	write(t, file, loose)
	call := func(name string) policy.Request {
		r := editOf(name)
		r.Workspace = ws.Key()
		return r
	}
	if d := p.Decide(call("a")); d.Verdict != policy.Ask {
		t.Errorf("before trust: %+v", d)
	}
	trusted = loose
	if p.Decide(call("a")).Verdict != policy.Refuse || p.Decide(call("b")).Verdict != policy.Ask {
		t.Errorf("with trust: %+v, %+v", p.Decide(call("a")), p.Decide(call("b")))
	}
	write(t, file, `{"deny":[{"paths":["b"]}]}`)
	if d := p.Decide(call("b")); d.Verdict != policy.Ask {
		t.Errorf("another content than was trusted: %+v", d)
	}
	elsewhere := editOf("a")
	if trusted = `{"deny":[{"paths":["b"]}]}`; p.Decide(elsewhere).Verdict != policy.Ask || p.Decide(call("b")).Verdict != policy.Refuse {
		t.Errorf("%+v, %+v", p.Decide(elsewhere), p.Decide(call("b")))
	}
}

// Row 32 of the fault table: a permissions file that is broken while the program runs changes nothing but that it is
// told, with line and column; one that is broken from the start allows nothing, and what it forbids as far as it is
// understood is forbidden.
// Promise 6.
func TestABrokenPermissionsFile(t *testing.T) {
	good := `{"deny":[{"paths":["a"]}],"allow":[{"tool":"edit_file"}]}`
	for name, broken := range map[string]string{
		"syntax": "{\n  \"allow\": [{\"tool\":\"run_command\"}],, }", "an unknown key": "{\n  \"allowed\":[], \"allow\":[{\"tool\":\"run_command\"}]}",
		"an unknown key of a rule": "{\n  \"allow\":[{\"tool\":\"run_command\",\"comand\":\"ls\"}]}", "a wrong type": "{\n  \"allow\":{\"tool\":\"run_command\"}}",
		"a wrong value": "{\n  \"allow\":[{\"tool\":\"run_command\"},{\"effect\":\"all\"}]}", "a key twice": "{\n  \"allow\":[],\"allow\":[{\"tool\":\"run_command\"}]}",
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "permissions.json")
		state := newState(t, filepath.Join(dir, "state"))
		p := policy.New(state)
		p.UseFiles(file, nil)
		write(t, file, good)
		check := func(when string) {
			t.Helper()
			for name, want := range map[string]policy.Verdict{"a": policy.Refuse, "b": policy.Run} {
				if d := p.Decide(editOf(name)); d.Verdict != want {
					t.Errorf("%s, %s, %s: %+v", name, when, name, d)
				}
			}
			if d := p.Decide(runLine("./build")); d.Verdict != policy.Ask {
				t.Errorf("%s, %s: a command: %+v", name, when, d)
			}
		}
		check("good")
		write(t, file, broken)
		check("broken")
		if problems := state.Problems(); len(problems) != 1 || !strings.Contains(problems[0], "line 2, column ") || !strings.Contains(problems[0], "still hold") {
			t.Errorf("%s: %q", name, problems)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(file, 0o700); err != nil {
			t.Fatal(err)
		}
		check("a folder")
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if d := p.Decide(editOf("a")); d.Verdict != policy.Ask {
			t.Errorf("%s: removed: %+v", name, d)
		}

		allow(t, policy.New(newState(t, filepath.Join(dir, "state"))), policy.Workspace, edit())
		write(t, file, broken)
		first := policy.New(newState(t, filepath.Join(dir, "state")))
		first.UseFiles(file, nil)
		for _, mode := range []policy.Mode{policy.ModeAsk, policy.ModeEdits, policy.ModeFull} {
			for _, call := range []policy.Request{editOf("b"), runLine("./build")} {
				call.Mode = mode
				if d := first.Decide(call); d.Verdict != policy.Ask || !strings.Contains(d.Notice, "until your permissions file is mended") {
					t.Errorf("%s from the start: %+v", name, d)
				}
			}
		}
	}
	half := ruled(t, `{"deny":[{"paths":["a"]}],"allow":[{"tool":"edit_file"}],"x":1}`)
	if half.Decide(editOf("a")).Verdict != policy.Refuse || half.Decide(editOf("b")).Verdict != policy.Ask {
		t.Errorf("%+v, %+v", half.Decide(editOf("a")), half.Decide(editOf("b")))
	}
}

// The older list of grants holds as rules, and is taken over with the first change.
func TestOldGrantsAreTakenOver(t *testing.T) {
	dir := t.TempDir()
	old := `{"version":1,"data":[
		{"id":"A","tool":"edit_file","effect":2,"scope":"workspace","workspace":"/ws|1:2","origin":"old.chat.md","since":"2026-01-02T03:04:05Z"},
		{"id":"B","tool":"run_command","effect":3,"scope":"workspace","workspace":"/ws|1:2","origin":"","since":"2026-01-02T03:04:05Z"},
		{"id":"C","tool":"write_file","effect":2,"scope":"chat","workspace":"/ws|1:2","origin":"","since":"2026-01-02T03:04:05Z"}]}`
	write(t, filepath.Join(dir, "grants.json"), old)
	p := policy.New(newState(t, dir))
	if d := p.Decide(edit()); d.Verdict != policy.Run || !strings.Contains(d.Reason, "old.chat.md") || len(p.Grants()) != 1 {
		t.Fatalf("before: %+v, %+v", d, p.Grants())
	}
	if text, err := os.ReadFile(filepath.Join(dir, "grants.json")); err != nil || string(text) != old {
		t.Errorf("reading changed it: %s, %v", text, err)
	}
	allow(t, p, policy.Workspace, run())
	for name, q := range map[string]*policy.Policy{"this process": p, "a new one": policy.New(newState(t, dir))} {
		if d := q.Decide(edit()); d.Verdict != policy.Run || len(q.Grants()) != 2 {
			t.Errorf("%s: %+v, %+v", name, d, q.Grants())
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "grants.json")); err == nil {
		t.Error("the older list is still there")
	}
	if err := p.Revoke("A"); err != nil || p.Decide(edit()).Verdict != policy.Ask {
		t.Errorf("Revoke = %v", err)
	}
	if again := policy.New(newState(t, dir)); again.Decide(edit()).Verdict != policy.Ask {
		t.Error("what was revoked came back")
	}
}

func TestMatchesAreCounted(t *testing.T) {
	p := ruled(t, `{"deny":[{"tool":"move_file"}],"allow":[{"command":"./build **"},{"command":"./check"}]}`)
	file, _ := policy.Parse("p", []byte(`{"deny":[{"tool":"move_file","note":"other words"}],"allow":[{"command":"./build **"},{"command":"./check"}]}`))
	g := allow(t, p, policy.Workspace, edit())
	for range 3 {
		p.Ran(p.Decide(runLine("./build now && ./check")))
	}
	p.Ran(p.Decide(runLine("./check")))
	p.Ran(p.Decide(edit()))
	p.Decide(runLine("./build")) // what is only decided is not counted
	p.Flush()
	for i, want := range []int{0, 3, 4} {
		n, last := p.Matches(file.Rules[i])
		if n != want || (n > 0) == last.IsZero() || time.Since(last) > time.Hour && n > 0 {
			t.Errorf("%s: %d, %v", file.Rules[i].Explain(), n, last)
		}
	}
	if n, _ := p.GrantMatches(g); n != 1 {
		t.Errorf("the grant: %d", n)
	}
}

// Many calls are few writes, since each waits for the disk; what waits is written soon.
func TestMatchesAreWrittenTogether(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		p := policy.New(newState(t, dir))
		g := allow(t, p, policy.Workspace, edit())
		written := func() (n int) {
			synctest.Wait()
			n, _ = policy.New(newState(t, dir)).GrantMatches(g)
			return n
		}
		for range 3 {
			p.Ran(p.Decide(edit()))
			synctest.Wait()
		}
		if n := written(); n != 1 {
			t.Errorf("%d are written at first", n)
		}
		time.Sleep(2 * time.Second)
		if n := written(); n != 3 {
			t.Errorf("%d are written after a while", n)
		}
		p.Ran(p.Decide(edit()))
		synctest.Wait()
		p.Ran(p.Decide(edit()))
		p.Flush()
		if n := written(); n != 5 {
			t.Errorf("%d are written at the end", n)
		}
	})
}

// Offers propose the narrowest useful rule first, three at most, and none that would not be kept.
func TestOffers(t *testing.T) {
	below := editOf("src/pkg/a.go")
	two := editOf("src/pkg/a.go", "src/main.go")
	top := editOf("a.go", "src/a.go")
	odd := editOf("src/[x]*/a.go")
	fetch := edit()
	fetch.Tool, fetch.Effect, fetch.Host = "web_fetch", effect.Fetches, "example.org"
	for _, c := range []struct {
		call policy.Request
		want string
	}{
		{below, "Allow edit_file in this chat|Always allow edits below src/pkg/|Always allow edit_file in this workspace"},
		{two, "Allow edit_file in this chat|Always allow edits below src/|Always allow edit_file in this workspace"},
		{top, "Allow edit_file in this chat|Always allow edit_file in this workspace"},
		{odd, "Allow edit_file in this chat|Always allow edits below src/[x]*/|Always allow edit_file in this workspace"},
		{runLine("go test ./..."), "Allow this command in this chat|Always allow `go test` with any arguments here"},
		{runLine("cat x | go test ./... | tail"), "Allow this command in this chat|Always allow `go test` with any arguments here"},
		{runLine("go test ./... && go test -race ./a"), "Allow this command in this chat|Always allow `go test` with any arguments here"},
		{runLine("go test ./... && go build"), "Allow this command in this chat"},
		{runLine("python3.11 x.py"), "Allow this command in this chat|Always allow this command here"}, // with its version it is what it is
		{runLine("npm run lint -- --fix"), "Allow this command in this chat|Always allow `npm run lint` with any arguments here"},
		{runLine("python3 setup.py"), "Allow this command in this chat|Always allow this command here"},
		{runLine("git -C x commit"), "Allow this command in this chat|Always allow this command here"},
		{runLine("rm -rf build"), "Allow this command in this chat|Always allow this command here"},
		{runLine("./gradlew test"), "Allow this command in this chat|Always allow `./gradlew` with any arguments here"},
		{runLine("npm exec evil"), "Allow this command in this chat|Always allow this command here"},
		{runLine("bash -c 'rm x'"), "Allow this command in this chat|Always allow this command here"},
		{runLine("go test > out.txt"), ""},
		{runLine("FOO=1 go test"), ""},
		{fetch, "Allow web_fetch from example.org in this chat|Always allow web_fetch from example.org here"},
	} {
		p := newPolicy(t)
		var titles []string
		for _, o := range p.Decide(c.call).Offers {
			titles = append(titles, o.Title)
			q := newPolicy(t)
			if _, err := q.Accept(o, ""); err != nil || q.Decide(c.call).Verdict != policy.Run {
				t.Errorf("%s: %s: %v, %+v", c.call.Target, o.Title, err, q.Decide(c.call))
			}
		}
		if got := strings.Join(titles, "|"); got != c.want {
			t.Errorf("%s: %s", c.call.Target, got)
		}
	}
	// With one of two programs allowed already, the offer is about the other.
	p := ruled(t, `{"allow":[{"command":"go build"}]}`)
	if offers := p.Decide(runLine("go test ./... && go build")).Offers; len(offers) != 2 || offers[1].Title != "Always allow `go test` with any arguments here" {
		t.Errorf("%+v", offers)
	}
	// What a rule asks about each time is offered nothing.
	if d := ruled(t, `{"ask":[{"tool":"edit_file"}]}`).Decide(edit()); d.Verdict != policy.Ask || len(d.Offers) > 0 || !strings.Contains(d.Reason, "your permissions file asks about edit_file") {
		t.Errorf("%+v", d)
	}
}

// What is offered can be kept, and allows what its title says alone: also below a folder with an odd name.
func TestOffersBelowOddFolders(t *testing.T) {
	for _, folder := range []string{"!x", " x", `a\b`, "a{b,c}d", "a[b]", "a*", "a?", "**", "-x", "x "} {
		dir := t.TempDir()
		p := policy.New(newState(t, dir))
		q := editOf(folder + "/a.go")
		for _, o := range p.Decide(q).Offers {
			if !strings.Contains(o.Title, "below") {
				continue
			}
			if _, err := p.Accept(o, "test"); err != nil {
				t.Errorf("%q: %v", o.Title, err)
			}
			if d := p.Decide(q); d.Verdict != policy.Run {
				t.Errorf("%q: %+v", o.Title, d)
			}
			for _, other := range []string{"abd/a.go", "ab/a.go", "ax/a.go", "x/a.go", "b/a.go"} {
				if d := p.Decide(editOf(other)); d.Verdict != policy.Ask {
					t.Errorf("%q allows %s: %+v", o.Title, other, d)
				}
			}
		}
	}
}
