package policy_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/userstate"
	"github.com/assent-ls/assent/tools/workspace"
)

const protected = `".mcp.json" is protected: it holds tool servers that are started.`

var unexported = cmpopts.IgnoreUnexported(policy.Grant{})

func newState(t *testing.T, dir string) *userstate.State {
	t.Helper()
	s, err := userstate.OpenState(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func newPolicy(t *testing.T) *policy.Policy {
	t.Helper()
	return policy.New(newState(t, filepath.Join(t.TempDir(), "state")))
}

// offer finds what is offered for a call in a scope.
func offer(p *policy.Policy, scope policy.Scope, r policy.Request) (policy.Offer, bool) {
	offers := p.Decide(r).Offers
	i := slices.IndexFunc(offers, func(o policy.Offer) bool { return o.Scope == scope && !o.Denies })
	if i < 0 {
		return policy.Offer{}, false
	}
	return offers[i], true
}

func allow(t *testing.T, p *policy.Policy, scope policy.Scope, r policy.Request) policy.Grant {
	t.Helper()
	o, ok := offer(p, scope, r)
	if !ok {
		t.Fatalf("nothing is offered in the %s for %+v", scope, r)
	}
	g, err := p.Accept(o, "ask.chat.md")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func edit() policy.Request {
	return policy.Request{Tool: "edit_file", Effect: effect.Edits, Target: "README.md", Paths: []string{"README.md"}, Caller: policy.Model, Chat: "/ws/ask.chat.md", Workspace: "/ws|1:2"}
}

func run() policy.Request {
	return runLine("go test ./...")
}

// runLine is the call of a command in a sandbox that holds.
func runLine(line string) policy.Request {
	q := policy.Request{Tool: "run_command", Effect: effect.Runs, Target: line, Confined: true, Caller: policy.Model, Chat: "/ws/ask.chat.md", Workspace: "/ws|1:2"}
	if parsed, err := command.Parse(line); err == nil {
		q.Command = &parsed
	}
	return q
}

// Invariant 3.
func TestDecideWithoutGrants(t *testing.T) {
	for name, tt := range map[string]struct {
		change         func(*policy.Request)
		want           policy.Verdict
		inChat, always bool
	}{
		"computes":                {func(r *policy.Request) { r.Effect = effect.Computes }, policy.Run, false, false},
		"reads":                   {func(r *policy.Request) { r.Effect = effect.Reads }, policy.Run, false, false},
		"edits":                   {func(*policy.Request) {}, policy.Ask, true, true},
		"runs":                    {func(r *policy.Request) { *r = run() }, policy.Ask, true, true},
		"runs, not confined":      {func(r *policy.Request) { *r = run(); r.Confined = false }, policy.Ask, false, false},
		"runs, not understood":    {func(r *policy.Request) { *r = runLine("go test $X") }, policy.Ask, false, false},
		"runs, and writes a file": {func(r *policy.Request) { *r = runLine("go test > out.txt") }, policy.Ask, false, false},
		"deletes":                 {func(r *policy.Request) { r.Effect = effect.Deletes }, policy.Ask, false, false},
		"queries a database":      {func(r *policy.Request) { r.Effect, r.Databases = effect.Queries, []string{"shop"} }, policy.Ask, true, true},
		"queries two databases":   {func(r *policy.Request) { r.Effect, r.Databases = effect.Queries, []string{"shop", "crm"} }, policy.Ask, false, false},
		"queries something else":  {func(r *policy.Request) { r.Effect = effect.Queries }, policy.Ask, false, false},
		"queries, of a server": {func(r *policy.Request) {
			r.Effect, r.Origin, r.Databases = effect.Queries, "server x", []string{"shop"}
		}, policy.Ask, false, false},
		"recalls":                 {func(r *policy.Request) { r.Effect, r.Tool, r.Paths = effect.Recalls, "recall", nil }, policy.Ask, false, true},
		"recalls in mode full":    {func(r *policy.Request) { r.Effect, r.Mode = effect.Recalls, policy.ModeFull }, policy.Ask, false, true},
		"calls of a server":       {func(r *policy.Request) { r.Effect, r.Origin = effect.Calls, "server x" }, policy.Ask, true, true},
		"calls of the user":       {func(r *policy.Request) { r.Effect, r.Origin = effect.Calls, "the user" }, policy.Ask, false, false},
		"calls of nobody known":   {func(r *policy.Request) { r.Effect = effect.Calls }, policy.Ask, false, false},
		"computes on protected":   {func(r *policy.Request) { r.Effect, r.Protected = effect.Computes, protected }, policy.Ask, false, false},
		"reads protected":         {func(r *policy.Request) { r.Effect, r.Protected = effect.Reads, protected }, policy.Ask, false, false},
		"edits protected":         {func(r *policy.Request) { r.Protected = protected }, policy.Ask, false, false},
		"runs protected":          {func(r *policy.Request) { r.Effect, r.Protected = effect.Runs, protected }, policy.Ask, false, false},
		"no tool":                 {func(r *policy.Request) { r.Tool, r.Effect = "", effect.Reads }, policy.Ask, false, false},
		"unknown effect":          {func(r *policy.Request) { r.Effect = "sings" }, policy.Ask, false, false},
		"no effect":               {func(r *policy.Request) { r.Effect = "" }, policy.Ask, false, false},
		"edits, no chat":          {func(r *policy.Request) { r.Chat = "" }, policy.Ask, false, true},
		"edits, no workspace":     {func(r *policy.Request) { r.Workspace = "" }, policy.Ask, true, false},
		"runs an unknown command": {func(r *policy.Request) { *r = runLine("") }, policy.Ask, false, false},
	} {
		p := newPolicy(t)
		r := edit()
		tt.change(&r)
		d := p.Decide(r)
		_, inChat := offer(p, policy.Chat, r)
		_, always := offer(p, policy.Workspace, r)
		if d.Verdict != tt.want || inChat != tt.inChat || always != tt.always || !strings.HasSuffix(d.Reason, ".") {
			t.Errorf("%s: %+v", name, d)
		}
		if unknown := strings.Contains(name, "unknown effect") || name == "no tool" || name == "no effect"; unknown != (d.Reason == "It is not known what this tool does.") {
			t.Errorf("%s: %q", name, d.Reason)
		}
		// What is offered decides the call once it is accepted.
		for _, o := range d.Offers {
			p := newPolicy(t)
			want := policy.Run
			if o.Denies {
				want = policy.Refuse
			}
			if _, err := p.Accept(o, ""); err != nil || p.Decide(r).Verdict != want {
				t.Errorf("%s: Accept(%s) = %v, and then %+v", name, o.Title, err, p.Decide(r))
			}
		}
		// Without a state folder nothing lasting is offered.
		if _, always := offer(policy.New(nil), policy.Workspace, r); always || policy.New(nil).Decide(r).Verdict != tt.want {
			t.Errorf("%s without state: %+v", name, policy.New(nil).Decide(r))
		}
	}
}

// What this policy did not offer, or offered as something else, cannot be accepted.
// Invariant 8.
func TestAnOfferOfNobodyIsNotAccepted(t *testing.T) {
	p := newPolicy(t)
	made, _ := offer(p, policy.Chat, edit())
	command, _ := offer(p, policy.Chat, run())
	with := func(o policy.Offer, change func(*policy.Offer)) policy.Offer {
		change(&o)
		return o
	}
	for name, o := range map[string]policy.Offer{
		"made by hand":        {ID: made.ID, Scope: made.Scope, Title: made.Title},
		"in another scope":    with(made, func(o *policy.Offer) { o.Scope = policy.Workspace }),
		"in no scope":         with(made, func(o *policy.Offer) { o.Scope = "" }),
		"under another title": with(made, func(o *policy.Offer) { o.Title = "Deny" }),
		"as a prohibition":    with(made, func(o *policy.Offer) { o.Denies = true }),
		"for other calls":     with(command, func(o *policy.Offer) { o.Pattern = "rm -rf ." }),
		"for all calls":       with(command, func(o *policy.Offer) { o.Pattern = "" }),
		"nothing":             {},
	} {
		if _, err := p.Accept(o, ""); !errors.Is(err, policy.ErrNotOffered) {
			t.Errorf("%s: Accept = %v", name, err)
		}
	}
	if lasting, _ := offer(p, policy.Workspace, edit()); lasting.ID != "" {
		if _, err := policy.New(nil).Accept(lasting, ""); !errors.Is(err, policy.ErrNotOffered) {
			t.Errorf("without a state folder: %v", err)
		}
	}
	if len(p.Grants()) != 0 {
		t.Errorf("kept: %+v", p.Grants())
	}
	if again, _ := offer(p, policy.Chat, edit()); again.ID == made.ID || made.ID == "" {
		t.Errorf("two decisions offer with one id: %q", made.ID)
	}
}

// A rule may deny, and it may be about some calls of a tool alone.
func TestRules(t *testing.T) {
	never := policy.Template{
		Scope: policy.Chat, Effect: effect.Edits, Denies: true,
		Title: func(r policy.Request) string { return "Deny " + r.Tool + " for the rest of this chat" },
	}
	below := policy.Template{
		Scope: policy.Workspace, Effect: effect.Edits,
		Title: func(r policy.Request) string { return "Always allow this tool below " + filepath.Dir(r.Target) + "/" },
		Rule: func(r policy.Request) (policy.Rule, bool) {
			dir := filepath.Dir(r.Target)
			return policy.Rule{Tool: r.Tool, Effect: r.Effect, Paths: []string{dir + "/**"}}, dir != "."
		},
	}
	dir := t.TempDir()
	p := policy.New(newState(t, dir), never, below)
	page := edit()
	page.Target, page.Paths = "docs/page.md", []string{"docs/page.md"}
	builtIn := len(policy.New(newState(t, dir)).Decide(page).Offers)
	var titles []string
	for _, o := range p.Decide(page).Offers[builtIn:] {
		titles = append(titles, o.Title)
	}
	want := []string{"Deny edit_file for the rest of this chat", "Always allow this tool below docs/"}
	if diff := cmp.Diff(want, titles); diff != "" {
		t.Fatal(diff)
	}
	if n := len(p.Decide(edit()).Offers); n != builtIn { // without those below a folder
		t.Errorf("a file in no folder: %d offers", n)
	}
	given, err := p.Accept(p.Decide(page).Offers[builtIn+1], "ask.chat.md")
	if err != nil || !slices.Equal(given.Rule.Paths, []string{"docs/**"}) {
		t.Fatalf("%+v, %v", given, err)
	}
	decide := func(p *policy.Policy, target string) policy.Decision {
		r := edit()
		r.Target, r.Paths = target, []string{target}
		return p.Decide(r)
	}
	// It is kept as a rule that says it all.
	for name, later := range map[string]*policy.Policy{"this process": p, "a new one": policy.New(newState(t, dir), never, below)} {
		if decide(later, "docs/sub/a.md").Verdict != policy.Run || decide(later, "docs.md").Verdict != policy.Ask {
			t.Errorf("%s: %+v, %+v", name, decide(later, "docs/sub/a.md"), decide(later, "docs.md"))
		}
	}
	// What is forbidden is refused, whatever was or will be allowed.
	forbidden, err := p.Accept(p.Decide(edit()).Offers[builtIn-1], "ask.chat.md")
	if err != nil || !strings.HasPrefix(forbidden.Explain(), "You denied edit_file in this chat") {
		t.Fatalf("%+v, %v", forbidden, err)
	}
	hidden := edit()
	hidden.Protected = protected
	for name, d := range map[string]policy.Decision{
		"the call": p.Decide(edit()), "what was allowed before": decide(p, "docs/page.md"), "a protected file": p.Decide(hidden),
	} {
		if d.Verdict != policy.Refuse || d.Reason != forbidden.Explain() || len(d.Offers) > 0 {
			t.Errorf("%s: %+v", name, d)
		}
	}
	other := edit()
	other.Chat = "/ws/other.chat.md"
	if d := p.Decide(other); d.Verdict != policy.Ask {
		t.Errorf("in another chat: %+v", d)
	}
	if err := p.Revoke(forbidden.ID); err != nil || p.Decide(edit()).Verdict != policy.Ask {
		t.Errorf("taken back: %v, %+v", err, p.Decide(edit()))
	}
}

// granted is a folder of state with one grant: the file that has it, and what is there.
func granted(t *testing.T) (dir, name, text string) {
	t.Helper()
	dir = t.TempDir()
	name = filepath.Join(dir, "permissions.json")
	allow(t, policy.New(newState(t, dir)), policy.Workspace, edit())
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return dir, name, string(data)
}

// rewrite writes a file with another text in the place of one that it must have.
func rewrite(t *testing.T, name, text, from, to string) {
	t.Helper()
	changed := strings.Replace(text, from, to, 1)
	if changed == text {
		t.Fatalf("%s is not in %s", from, text)
	}
	if err := os.WriteFile(name, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
}

// An entry of which this Assent understands only a part is no grant, never a wider one, and it stays for the Assent
// that wrote it.
func TestAnEntryThatIsNotUnderstoodIsNoGrant(t *testing.T) {
	dir, name, good := granted(t)
	for from, to := range map[string]string{
		`"tool": "edit_file"`: `"tool": "edit_file", "until": "tomorrow"`, `"list": "allow"`: `"list": "allow", "only": "once"`,
		`"effect": "edits"`: `"effect": "mends"`,
	} {
		rewrite(t, name, good, from, to)
		p := policy.New(newState(t, dir))
		if d := p.Decide(edit()); d.Verdict != policy.Ask || len(p.Grants()) > 0 {
			t.Errorf("%s: %+v", to, d)
		}
		allow(t, p, policy.Workspace, run())
		if now, err := os.ReadFile(name); err != nil || !strings.Contains(string(now), strings.Fields(to)[len(strings.Fields(to))-1]) {
			t.Errorf("%s is gone: %s, %v", to, now, err)
		}
	}
}

// A grant counts only while something offers its like, and what denies gives no permission.
func TestAGrantNeedsItsTemplate(t *testing.T) {
	dir := t.TempDir()
	r := edit()
	r.Effect = effect.Deletes
	template := policy.Template{Scope: policy.Workspace, Effect: effect.Deletes, Title: func(policy.Request) string { return "Always" }}
	allow(t, policy.New(newState(t, dir), template), policy.Workspace, r)
	denying := template
	denying.Denies = true
	for want, p := range map[policy.Verdict]*policy.Policy{
		policy.Run: policy.New(newState(t, dir), template),
		policy.Ask: policy.New(newState(t, dir), denying),
	} {
		if d := p.Decide(r); d.Verdict != want || (want == policy.Run) != (len(p.Grants()) == 1) {
			t.Errorf("want %v: %+v, %+v", want, d, p.Grants())
		}
	}
}

// A tool of the same name from elsewhere is another tool.
func TestAGrantIsOfOneOrigin(t *testing.T) {
	foreign := edit()
	foreign.Origin = "server notes"
	p := newPolicy(t)
	allow(t, p, policy.Workspace, edit())
	if d := p.Decide(foreign); d.Verdict != policy.Ask {
		t.Errorf("what was allowed of the built-in tool covers that of a server: %+v", d)
	}
	q := newPolicy(t)
	g := allow(t, q, policy.Workspace, foreign)
	if q.Decide(edit()).Verdict != policy.Ask || q.Decide(foreign).Verdict != policy.Run || !strings.Contains(g.Explain(), "edit_file of server notes") {
		t.Errorf("what was allowed of a server's tool covers the built-in one: %+v", g)
	}
}

// others are calls that a grant for edit or run must not cover.
func others(r policy.Request) map[string]policy.Request {
	with := func(change func(*policy.Request)) policy.Request {
		changed := r
		change(&changed)
		return changed
	}
	return map[string]policy.Request{
		"another tool":                with(func(r *policy.Request) { r.Tool = "write_file" }),
		"a tool in another case":      with(func(r *policy.Request) { r.Tool = strings.ToUpper(r.Tool) }),
		"another workspace":           with(func(r *policy.Request) { r.Workspace = "/other|1:3" }),
		"another folder in its place": with(func(r *policy.Request) { r.Workspace = "/ws|1:9" }),
		"no workspace":                with(func(r *policy.Request) { r.Workspace = "" }),
		"a protected file":            with(func(r *policy.Request) { r.Protected = protected }),
		"a graver effect":             with(func(r *policy.Request) { r.Effect = effect.Deletes }),
	}
}

// S04: what was allowed covers no other tool, workspace, folder in its place, effect, chat or protected file, and of
// commands no other line: 7 changes of a call and 12 lines.
// Promise 6.
func TestAGrantCoversNothingElse(t *testing.T) {
	inChat, always, command := newPolicy(t), newPolicy(t), newPolicy(t)
	allow(t, inChat, policy.Chat, edit())
	allow(t, always, policy.Workspace, edit())
	allow(t, command, policy.Chat, run())
	for name, r := range others(edit()) {
		for scope, p := range map[string]*policy.Policy{"chat": inChat, "always": always} {
			if d := p.Decide(r); d.Verdict != policy.Ask {
				t.Errorf("the %s grant covers %s: %+v", scope, name, d)
			}
		}
	}
	for name, r := range others(run()) {
		if d := command.Decide(r); d.Verdict != policy.Ask {
			t.Errorf("the grant of a command covers %s: %+v", name, d)
		}
	}
	otherChat := edit()
	otherChat.Chat = "/ws/other.chat.md"
	if inChat.Decide(otherChat).Verdict != policy.Ask {
		t.Error("a grant in one chat covers another")
	}
	if always.Decide(otherChat).Verdict != policy.Run {
		t.Error("a grant of the workspace does not cover another chat in it")
	}
	for _, line := range []string{
		"go test ./... > ~/.ssh/key", "go test ./... > out.txt", "go test ./... ./x", "go test ./... ", "go test", "go", "", "go test ./... && rm x", "GO test ./...",
		"go test ./... | tee x", "FOO=1 go test ./...", "go test ./...; true", "cd sub && go test ./...",
	} {
		r := runLine(line)
		if d := command.Decide(r); d.Verdict != policy.Ask {
			t.Errorf("the grant of a command covers %q", line)
		}
	}
	lesser, graver := run(), edit()
	lesser.Effect, graver.Effect, graver.Target = effect.Edits, effect.Runs, ""
	if command.Decide(lesser).Verdict != policy.Ask || inChat.Decide(graver).Verdict != policy.Ask {
		t.Error("a grant covers a tool of another effect")
	}
	if command.Decide(run()).Verdict != policy.Run {
		t.Error("the grant of a command does not cover it")
	}
	otherFile := edit()
	otherFile.Target, otherFile.Paths = "src/main.go", []string{"src/main.go"}
	if inChat.Decide(otherFile).Verdict != policy.Run {
		t.Error("a grant of a tool in a chat does not cover its next file")
	}
}

// Promise 6. Invariant 1.
func TestGrantsAreListedExplainedAndRevocable(t *testing.T) {
	dir := t.TempDir()
	p := policy.New(newState(t, dir))
	for _, o := range slices.Concat(p.Decide(edit()).Offers, p.Decide(run()).Offers) { // asked about twice, and allowed twice
		first, err := p.Accept(o, "ask.chat.md")
		again, errAgain := p.Accept(o, "other.chat.md")
		if err != nil || errAgain != nil || cmp.Diff(first, again, unexported) != "" {
			t.Errorf("kept twice: %+v, %+v, %v, %v", first, again, err, errAgain)
		}
		if err := p.Revoke(first.ID); err != nil {
			t.Error(err)
		}
	}
	lasting := allow(t, p, policy.Workspace, edit())
	inChat := allow(t, p, policy.Chat, run())
	byID := func(grants []policy.Grant) map[string]policy.Grant {
		all := map[string]policy.Grant{}
		for _, g := range grants {
			all[g.ID] = g
		}
		return all
	}
	want := map[string]policy.Grant{lasting.ID: lasting, inChat.ID: inChat}
	if diff := cmp.Diff(want, byID(p.Grants()), unexported); diff != "" {
		t.Error(diff)
	}
	// A new process knows the lasting one alone.
	later := policy.New(newState(t, dir))
	if diff := cmp.Diff([]policy.Grant{lasting}, later.Grants(), unexported); diff != "" {
		t.Error(diff)
	}
	if d := later.Decide(edit()); d.Verdict != policy.Run || d.Reason != lasting.Explain() {
		t.Errorf("after a restart: %+v", d)
	}
	if later.Decide(run()).Verdict != policy.Ask {
		t.Error("a grant in a chat outlived its process")
	}
	since := time.Date(2026, 1, 2, 3, 4, 0, 0, time.Local)
	for want, g := range map[string]policy.Grant{
		`You allowed edit_file always in "/ws" (2026-01-02 03:04 by ask.chat.md).`:                     {List: policy.Allowed, Rule: policy.Rule{Tool: "edit_file", Effect: effect.Edits}, Workspace: "/ws|1:2", From: "ask.chat.md", Since: since},
		`You allowed run_command with "go vet" in this chat until the server ends (2026-01-02 03:04).`: {List: policy.Allowed, Rule: policy.Rule{Tool: "run_command", Effect: effect.Runs}, Exact: "go vet", Chat: "x", Workspace: "/ws|1:2", Since: since},
		`You allowed run_command ` + "`go test **`" + ` always in "/ws" (2026-01-02 03:04).`:           {List: policy.Allowed, Rule: policy.Rule{Tool: "run_command", Effect: effect.Runs, Command: "go test **"}, Workspace: "/ws|1:2", Since: since},
		`You denied all that edits on src/** always in "/ws" (2026-01-02 03:04).`:                      {List: policy.Denied, Rule: policy.Rule{Effect: effect.Edits, Paths: []string{"src/**"}}, Workspace: "/ws|1:2", Since: since},
	} {
		if got := g.Explain(); got != want {
			t.Errorf("Explain() = %s; want %s", got, want)
		}
	}
	// Revoking in one process counts in the other at once.
	if err := later.Revoke(lasting.ID); err != nil {
		t.Error(err)
	}
	if p.Decide(edit()).Verdict != policy.Ask {
		t.Error("a revoked grant still covers")
	}
	if err := p.Revoke(inChat.ID); err != nil || p.Decide(run()).Verdict != policy.Ask {
		t.Errorf("Revoke in a chat = %v", err)
	}
	for _, id := range []string{lasting.ID, inChat.ID, ""} {
		if err := p.Revoke(id); !errors.Is(err, policy.ErrNoGrant) {
			t.Errorf("Revoke(%q) = %v; want ErrNoGrant", id, err)
		}
	}
}

func TestBrokenGrantsGrantNothing(t *testing.T) {
	dir, name, good := granted(t)
	for what, data := range map[string]string{
		"cut":      good[:len(good)/2],
		"empty":    "",
		"half":     strings.Replace(good, `"data"`, `"data": [7], "data`, 1),
		"unknown":  strings.Replace(good, `"version"`, `"everything":true,"version"`, 1),
		"no list":  `{"version":1,"data":{"edit_file":true}}`,
		"appended": good + "x",
	} {
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		state := newState(t, dir)
		if d := policy.New(state).Decide(edit()); d.Verdict != policy.Ask {
			t.Errorf("%s: %+v", what, d)
		}
		if problems := state.Problems(); len(problems) != 1 || !strings.HasSuffix(problems[0], ".") {
			t.Errorf("%s: problems %q", what, problems)
		}
	}
	// Well formed, but nothing that Allow would have written.
	for from, to := range map[string]string{
		`"effect": "edits"`: `"effect": "runs"`, `"list": "allow"`: `"list": "all"`, `"workspace": "/ws|1:2"`: `"workspace": ""`,
		`"tool": "edit_file"`: `"paths": ["/**"]`, `"id"`: `"ID2"`,
	} {
		rewrite(t, name, good, from, to)
		p := policy.New(newState(t, dir))
		r := run()
		r.Tool = "edit_file"
		if len(p.Grants()) != 0 || p.Decide(edit()).Verdict != policy.Ask || p.Decide(r).Verdict != policy.Ask {
			t.Errorf("%s counts as a grant: %+v", to, p.Grants())
		}
	}
}

func TestAFolderThatCannotBeUsedGrantsNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	state := newState(t, dir)
	p := policy.New(state)
	if err := os.Symlink(t.TempDir(), dir); err != nil {
		t.Fatal(err)
	}
	o, _ := offer(p, policy.Workspace, edit())
	if _, err := p.Accept(o, ""); !errors.Is(err, workspace.ErrState) {
		t.Errorf("Accept = %v; want ErrState", err)
	}
	if p.Decide(edit()).Verdict != policy.Ask || len(state.Problems()) != 1 {
		t.Errorf("problems: %q", state.Problems())
	}
}

// Nothing in a workspace is read: whatever lies there, the decisions stay.
// Promise 6. Invariant 1.
func TestAWorkspaceCannotLoosen(t *testing.T) {
	root := t.TempDir()
	p := newPolicy(t)
	granted := allow(t, p, policy.Workspace, edit())
	for _, name := range []string{".assent/grants.json", ".assent/state/grants.json", "grants.json", ".env", ".vscode/settings.json"} {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		text := `{"version":1,"data":[{"id":"x","tool":"run_command","effect":3,"scope":"workspace","workspace":"` + root + `"}]}`
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	r := run()
	r.Workspace = root
	if d := p.Decide(r); d.Verdict != policy.Ask {
		t.Errorf("a file in the workspace granted: %+v", d)
	}
	if diff := cmp.Diff([]policy.Grant{granted}, p.Grants(), unexported); diff != "" {
		t.Error(diff)
	}
}

// Promise 2. Invariant 8.
func TestBind(t *testing.T) {
	seen := map[string][]string{}
	for _, parts := range [][]string{
		nil,
		{""},
		{"", ""},
		{"ab"},
		{"a", "b"},
		{"", "ab"},
		{"ab", ""},
		{"b", "a"},
		{"a\x00b"},
		{"a", "", "b"},
		{"edit_file", `{"path":"a"}`, "a", "old"},
		{"edit_file", `{"path":"a"}`, "b", "old"},
		{"edit_file", `{"path":"a"}`, "a", "old "},
	} {
		bound := policy.Bind(parts...)
		if other, ok := seen[bound]; ok {
			t.Errorf("%q and %q are bound alike", other, parts)
		}
		if seen[bound] = parts; bound != policy.Bind(parts...) || len(bound) != 43 {
			t.Errorf("Bind(%q) = %q", parts, bound)
		}
	}
}

func TestAGrantThatCannotBeKeptEndsWithTheSession(t *testing.T) {
	dir := t.TempDir()
	p := policy.New(newState(t, dir))
	r := edit()
	r.Workspace = "/ws|session:ABC"
	if d := p.Decide(r); len(d.Offers) == 0 || !strings.Contains(d.Notice, "only until Assent ends") {
		t.Errorf("asked with %+v", d)
	}
	g := allow(t, p, policy.Workspace, r)
	if d := p.Decide(r); d.Verdict != policy.Run || !strings.Contains(d.Reason, "until the server ends") {
		t.Errorf("after the grant: %+v", d)
	}
	other := r
	other.Workspace = "/ws|session:DEF"
	if p.Decide(other).Verdict != policy.Ask {
		t.Error("the grant covers a folder that was opened later")
	}
	if _, err := os.Stat(filepath.Join(dir, "permissions.json")); err == nil {
		t.Error("the grant was kept")
	}
	if err := p.Revoke(g.ID); err != nil || p.Decide(r).Verdict != policy.Ask {
		t.Errorf("Revoke = %v", err)
	}
}

func TestAGrantForAnotherFolderAtThisPathIsTold(t *testing.T) {
	dir := t.TempDir()
	allow(t, policy.New(newState(t, dir)), policy.Workspace, edit())
	p := policy.New(newState(t, dir))
	now := edit()
	now.Workspace = "/ws|1:2:h1-ff:b1.0"
	if d := p.Decide(now); d.Verdict != policy.Ask || !strings.Contains(d.Notice, `You always allowed edit_file in "/ws", but another folder is there now`) {
		t.Errorf("asked with %+v", d)
	}
	now.Tool = "write_file"
	if d := p.Decide(now); d.Notice != "" {
		t.Errorf("another tool is asked with %q", d.Notice)
	}
	if d := p.Decide(edit()); d.Verdict != policy.Run || d.Notice != "" {
		t.Errorf("its own folder: %+v", d)
	}
}
