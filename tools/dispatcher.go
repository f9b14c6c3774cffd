package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/arguments"
	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/paths"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/usagelog"
	"github.com/assent-ls/assent/tools/workspace"
)

// Errors of Execute. In each case nothing was done.
var (
	ErrChanged     = errors.New("what the call would do has changed: prepare it again, and ask again")
	ErrNotApproved = errors.New("the call was not approved")
	ErrWaits       = errors.New("the call has to wait")
	ErrExecuted    = errors.New("the call was executed before")
)

// Prepared is a call that was planned and not yet executed. Invisible characters in its texts are shown as <U+XXXX>.
type Prepared struct {
	Call      Call
	Spec      Spec // zero if there is no such tool
	Target    string
	Preview   string
	Protected string
	Notice    string // what a person who is asked should know: sentences, or empty
	Waits     string
	Decision  policy.Decision
	Choices   []string        // see Plan, made visible
	Form      json.RawMessage // see Plan
	// Key is equal for calls that would do the same: it covers tool, arguments, target and what the plan is bound to.
	Key string
	// Answered is set if nothing has to run: the call is wrong, refused, or answered by planning alone. Execute
	// delivers it.
	Answered *Result
	// Invalid says that the call is answered because there is no such tool, or because the arguments do not fit it.
	Invalid bool
	// CanRunAnyway says that Anyway is a choice although the call waits.
	CanRunAnyway bool
	// CanTry says that Tried is a choice, CanGoOnline that Online is.
	CanTry, CanGoOnline bool

	plan             Plan
	judged           policy.Decision // what policy said; zero if it was not asked
	dry              policy.Decision // the decision of policy about a call, also one that planning alone answered
	begin            func() error    // may be nil
	approved, anyway bool
	tried, online    bool
	reply            string       // of the person whom the call asks
	spent            *atomic.Bool // shared by all copies
}

// Judged is the decision of policy about the call; it has no reason if it was not asked, since the call is wrong.
func (p Prepared) Judged() policy.Decision { return p.dry }

// Command is the command line that would run, if it is understood, else nil.
func (p Prepared) Command() *command.Line { return p.plan.Command }

// Paths are those of the plan: what the call reads, changes or makes.
func (p Prepared) Paths() []string { return slices.Clone(p.plan.Paths) }

// Approved is the call after a person said yes to it. Only calls whose verdict is policy.Ask need it.
func (p Prepared) Approved() Prepared {
	p.approved = true
	return p
}

// Replied is the call after a person answered what it asks them.
func (p Prepared) Replied(reply string) Prepared {
	p.approved, p.reply = true, reply
	return p
}

// Anyway is the call after a person chose to run it without waiting.
func (p Prepared) Anyway() Prepared {
	p.anyway = p.CanRunAnyway
	return p
}

// Tried is the call after a person chose to try it on a copy: they are asked about each change when it has ended. Where
// that is no choice Execute returns ErrChanged.
func (p Prepared) Tried() Prepared {
	p.approved, p.anyway, p.tried = true, p.CanRunAnyway, true
	return p
}

// Online is the call after a person chose to run it on a copy with the network: they are asked which hosts it may reach
// before it runs. Where that is no choice Execute returns ErrChanged.
func (p Prepared) Online() Prepared {
	p = p.Tried()
	p.tried, p.online = false, true
	return p
}

// BeforeRun is the call with a function that Execute calls after all checks, right before the call has effects. If the
// function fails, nothing is done, and Execute returns its error.
func (p Prepared) BeforeRun(begin func() error) Prepared {
	p.begin = begin
	return p
}

// Dispatcher runs every tool of every kind in one workspace. It may be used concurrently.
type Dispatcher struct {
	registry *Registry
	policy   *policy.Policy
	key      string // of the workspace
	folder   string // of the workspace
	log      usagelog.Log
}

// NewDispatcher makes the dispatcher of a workspace; ws is nil if there is none.
func NewDispatcher(r *Registry, p *policy.Policy, ws *workspace.Workspace) *Dispatcher {
	d := &Dispatcher{registry: r, policy: p}
	if ws != nil {
		d.key, d.folder = ws.Key(), ws.Root()
		p.Enter(ws)
	}
	return d
}

// Registry is the list of the tools.
func (d *Dispatcher) Registry() *Registry { return d.registry }

// Prepare plans a call, without effects. It never fails: if the call is wrong, Answered says why.
func (d *Dispatcher) Prepare(ctx context.Context, c Call) Prepared {
	p := d.prepare(ctx, c)
	p.Target = visible.Line(p.plan.Target)
	p.Preview = excerpt.HeadAndTail(visible.Text(p.plan.Preview), excerpt.MaxPreview)
	for _, choice := range p.plan.Choices {
		p.Choices = append(p.Choices, visible.Line(choice))
	}
	return p
}

// Judge plans a call as it is once its caller has made it again for what it lacked, such as a file that has to be read
// first, and says what would become of it. Nothing is run or recorded but in the call's own Reads.
func (d *Dispatcher) Judge(ctx context.Context, c Call) (Prepared, policy.Decision) {
	var p Prepared
	for answer, last := "", "\x00"; answer != last; {
		if p = d.Prepare(ctx, c); p.Answered == nil || p.Invalid {
			break
		}
		if p.plan.Delivered != nil {
			p.plan.Delivered()
		}
		answer, last = p.Answered.Text(), answer
	}
	decided := p.Decision
	switch {
	case p.dry.Reason == "": // policy was not asked: the call is wrong
		return p, policy.Decision{Verdict: policy.Refuse, Reason: p.Answered.Text()}
	case p.Answered != nil && p.judged.Reason != "":
		return p, p.judged
	case p.Answered == nil && p.Waits != "":
		decided.Verdict, decided.Reason = policy.Ask, p.Waits
	case p.Answered == nil && decided.Verdict == policy.Run && p.needsPerson():
		decided.Verdict = policy.Ask
	}
	return p, decided
}

// needsPerson reports whether a call runs only after a person said yes to it, or answered it.
func (p Prepared) needsPerson() bool {
	return p.Decision.Verdict != policy.Run || p.Spec.Effect.ByPerson()
}

// prepare is Prepare without what only people look at before a call runs.
func (d *Dispatcher) prepare(ctx context.Context, c Call) Prepared {
	c = c.read()
	c.dispatcher = d
	c.Judge, c.JudgeAlone = d.judge(c, false), d.judge(c, true)
	c.DeniesHost = func(line *command.Line, host string) bool {
		return d.policy.DeniesHost(d.request(d.registry.byName[c.Name].Spec(), c, Plan{Command: line}), host)
	}
	p := Prepared{Call: c, spent: new(atomic.Bool)}
	tool, ok := d.registry.byName[c.Name]
	if !ok {
		p.Invalid = true
		return p.answer(Failed(d.unknown(c)))
	}
	p.Spec = tool.Spec()
	plan, err := planSafely(ctx, tool, p.Spec, c)
	if err != nil {
		result := FailedBy(err)
		if wrong, ok := errors.AsType[*arguments.Error](err); ok {
			p.Invalid = true
			result = Failed(fmt.Sprintf("%s The schema of %s is %s", wrong.Reason, c.Name, p.Spec.Parameters))
		}
		return p.answer(result)
	}
	p.plan = plan
	p.Form = plan.Form
	p.Protected, p.Waits = visible.Text(strings.TrimSpace(plan.Changed+" "+plan.Protected)), visible.Text(plan.Waits)
	p.CanRunAnyway, p.CanTry = plan.Waits != "" && plan.RunAnyway != nil, plan.Try != nil
	p.CanGoOnline = plan.Online != nil
	p.Key = policy.Bind(c.Name, c.known.canonical, plan.Target, plan.Binding, plan.Protected, plan.Version)
	p.Decision = d.policy.Decide(d.request(p.Spec, c, plan))
	p.dry = p.Decision
	if plan.Answered != nil {
		if p.Decision.Rule == "" || p.Decision.Verdict == policy.Run {
			answered := p.answer(*plan.Answered)
			if p.Spec.Effect.Outside() {
				answered.Answered.Parts = fenced(origin(p.Spec.Effect), answered.Answered.Parts)
			}
			return answered
		}
		if p.Decision.Verdict == policy.Ask { // the answer may hold what the rule is about
			p.judged = p.Decision
			return p.answer(Failed(
				"The user wants to be asked about this first, and this call cannot ask: read the file with read_file.",
			))
		}
	}
	p.judged = p.Decision
	p.Notice = visible.Text(strings.TrimSpace(plan.Notice + " " + p.Decision.Notice))
	if p.Decision.Verdict == policy.Refuse {
		return p.answer(Failed("Refused: " + p.Decision.Reason))
	}
	return p
}

// Accept keeps what a person chose of the offers for a prepared call. See policy.Accept.
func (d *Dispatcher) Accept(p Prepared, o policy.Offer, origin string) error {
	if p.plan.Kept != nil && !o.Denies && o.Scope == policy.Workspace {
		if err := p.plan.Kept(); err != nil {
			return err
		}
	}
	_, err := d.policy.Accept(o, origin)
	return err
}

// answer sets the answer of a call that runs nothing.
func (p Prepared) answer(r Result) Prepared {
	r.Parts = boundedParts(r.Parts)
	p.Answered = &r
	p.Decision = policy.Decision{Verdict: policy.Run, Reason: "Nothing runs."}
	return p
}

// unknown tells who called a tool that does not exist which there are: those that it was told of, if it was told of
// any.
func (d *Dispatcher) unknown(c Call) string {
	if slices.Contains(d.registry.off, c.Name) {
		return fmt.Sprintf("The tool %s is switched off in the settings: go on without it.", c.Name)
	}
	text := fmt.Sprintf("There is no tool %q.", excerpt.Cut(c.Name, 100))
	names := d.registry.names()
	if near := nearName(c.Name, names); near != "" {
		text += fmt.Sprintf(" Did you mean %q?", near)
	}
	if len(c.Described) > 0 {
		names = c.Described
	}
	return text + " The tools are: " + strings.Join(names, ", ") + "."
}

// About says what is decided about a model's calls of a tool, as far as the tool alone says it.
func (d *Dispatcher) About(s Spec, mode policy.Mode) policy.Standing {
	c := Call{Caller: policy.Model, Mode: func() policy.Mode { return mode }}
	return d.policy.About(d.request(s, c, Plan{}))
}

func (d *Dispatcher) request(s Spec, c Call, plan Plan) policy.Request {
	return policy.Request{
		Mode: c.mode(), Tried: plan.TryUnasked != nil,
		Tool: s.Own(), Origin: string(s.Origin),
		Effect: s.Effect, Target: plan.Target, Protected: plan.Protected, Version: plan.Version, Changed: plan.Changed,
		Paths: plan.Paths, Command: plan.Command, Confined: plan.Confined, Host: plan.Host, Databases: plan.Databases,
		Caller: c.Caller, Chat: c.Chat, Workspace: d.key,
	}
}

// mode is how much runs without a question now.
func (c Call) mode() policy.Mode {
	if c.Mode == nil {
		return policy.ModeAsk
	}
	return c.Mode()
}

// judge is the decision of policy about a change that a call made to a file, as if one of the tools that edit had been
// called for it. The mode is left out unless that call is alone: it decided about the one that made the change.
func (d *Dispatcher) judge(c Call, alone bool) Judge {
	return func(tool string, e effect.Effect, p workspace.Path) policy.Decision {
		var mode policy.Mode
		if alone {
			mode = c.mode()
		}
		return d.policy.Decide(policy.Request{
			Mode: mode, Tool: tool,
			Effect: e, Target: p.Rel, Protected: p.ToWrite(), Paths: paths.ForRulesIn(d.folder, p),
			Caller: c.Caller, Chat: c.Chat, Workspace: d.key,
		})
	}
}

// Files are those of the plan, made visible.
func (p Prepared) Files() []FileEdit { return shownFiles(p.plan.Files) }

func shownFiles(files []FileEdit) (out []FileEdit) {
	for _, f := range files {
		out = append(out, FileEdit{f.Path, visible.Line(f.Rel), visible.Text(f.Before), visible.Text(f.After)})
	}
	return out
}

// Execute runs a prepared call, at most once. It plans afresh: if that differs from what was prepared, or is not
// allowed any more, it returns ErrChanged and nothing was done; so it does if the call is Stale. Other errors:
// ErrNotApproved, ErrWaits, ErrExecuted, that of ctx, and that of BeforeRun. report takes what the call shows before
// its result; nil: that is dropped. If it is an Asker the call can ask the person.
func (d *Dispatcher) Execute(ctx context.Context, p Prepared, report Reporter) (Result, error) {
	if p.spent == nil {
		return Result{}, ErrChanged // not from Prepare
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	if p.Answered != nil {
		d.policy.Ran(p.judged)
		return d.deliver(p)
	}
	if p.needsPerson() && !p.approved {
		return Result{}, ErrNotApproved
	}
	out := newVisibleReporter(report)
	defer out.end()
	full := ""
	if p.Call.Parent == "" || !p.Spec.Effect.Confined() { // what a program does here has a limit of its own
		var err error
		if full, err = d.registry.rates.wait(ctx, p.Spec, out); err != nil {
			return Result{}, err
		}
	}
	now := d.prepare(ctx, p.Call)
	switch {
	case p.spent.Load():
		return Result{}, ErrExecuted
	case now.Answered != nil, now.Key != p.Key, !p.approved && now.Decision.Verdict != policy.Run,
		p.tried && !now.CanTry, p.online && !now.CanGoOnline:
		return Result{}, ErrChanged
	case now.Waits != "" && !p.anyway:
		return Result{}, fmt.Errorf("%w: %s", ErrWaits, now.Waits)
	case !p.spent.CompareAndSwap(false, true):
		return Result{}, ErrExecuted
	}
	if full != "" {
		d.record(now, usagelog.Failed, 0)
		return Failed(full), nil
	}
	kept := string(now.Spec.Origin) + "\x00" + now.Key
	if result, ok := d.registry.results.get(kept); ok {
		d.record(now, usagelog.Kept, 0)
		return result, nil
	}
	if p.begin != nil {
		if err := p.begin(); err != nil {
			d.record(now, usagelog.Failed, 0)
			return Result{}, err
		}
	}
	run := now.plan.Run
	if now.plan.Unasked != nil && !p.approved && now.Decision.Rule == "" {
		run = now.plan.Unasked
	}
	if now.plan.TryUnasked != nil && !p.approved {
		run = func(ctx context.Context, report Reporter) Result {
			return now.plan.TryUnasked(ctx, report, !now.Decision.Tried)
		}
	}
	if now.Waits != "" {
		run = now.plan.RunAnyway
	}
	if p.tried {
		run = now.plan.Try
	}
	if hosts := now.Decision.Hosts; p.online || !p.approved && len(hosts) > 0 && now.plan.Online != nil {
		if p.online {
			hosts = nil // the person says which
		}
		run = func(ctx context.Context, report Reporter) Result { return now.plan.Online(ctx, report, hosts) }
	}
	if now.Spec.Effect.ByPerson() {
		run = func(context.Context, Reporter) Result { return Text(p.reply) }
	}
	start := time.Now()
	result := runSafely(ctx, now.Spec, run, out)
	out.end()
	if result.stale {
		return Result{}, ErrChanged
	}
	d.policy.Ran(now.Decision)
	result.Took = time.Since(start)
	result.Stopped = result.Failed && ctx.Err() != nil && now.Spec.Effect.Changes()
	if result.Parts = boundedParts(result.Parts); now.Spec.Effect.Outside() {
		result.Parts = fenced(origin(now.Spec.Effect), result.Parts)
	}
	d.registry.results.put(now.Spec, kept, result)
	d.recordRan(now, result)
	return result, nil
}

// deliver gives the answer of a call that nothing runs for.
func (d *Dispatcher) deliver(p Prepared) (Result, error) {
	if !p.spent.CompareAndSwap(false, true) {
		return Result{}, ErrExecuted
	}
	if p.plan.Delivered != nil {
		p.plan.Delivered()
	}
	d.recordAnswered(p)
	return *p.Answered, nil
}

// planSafely plans under the tool's time limit; a panic of the tool becomes an error.
func planSafely(ctx context.Context, t Tool, s Spec, c Call) (plan Plan, err error) {
	type planned struct {
		plan Plan
		err  error
	}
	do := func(ctx context.Context) (p planned) {
		defer func() {
			if v := recover(); v != nil {
				p.err = fmt.Errorf("the tool failed: %v", v)
			}
		}()
		p.plan, p.err = t.Plan(ctx, c)
		return p
	}
	var p planned
	var ended error
	if s.PlansAtOnce {
		p = do(ctx)
	} else {
		p, ended = limited(ctx, s, do)
	}
	plan, err = p.plan, p.err
	switch {
	case errors.Is(ended, errStuck):
		err = errors.New(stuckSentence(s))
	case err != nil && errors.Is(ended, errTimeLimit):
		err = errors.New(limitSentence(s))
	case err != nil:
	case plan.Answered == nil && (plan.Run == nil) != s.Effect.ByPerson():
		err = errors.New("the tool failed: it has nothing to run")
	case len(plan.Form) > 0:
		_, err = arguments.ResolveSchema("the schema of the form", plan.Form)
	}
	return plan, err
}

// runSafely runs under the tool's time limit; a panic of the tool becomes a failed result.
func runSafely(ctx context.Context, s Spec, run func(context.Context, Reporter) Result, report Reporter) Result {
	result, ended := limited(ctx, s, func(ctx context.Context) (result Result) {
		defer func() {
			if v := recover(); v != nil {
				result = Failed(fmt.Sprintf("The tool failed: %v.", v))
			}
		}()
		return run(ctx, report)
	})
	switch {
	case errors.Is(ended, errStuck):
		result = Failed(stuckSentence(s))
	case result.Failed && errors.Is(ended, errTimeLimit):
		result.Parts = slices.Concat(content.Texts(limitSentence(s)+"\n"), result.Parts)
	}
	return result
}

// Canonical is one spelling of all JSON values that mean the same: keys sorted, no whitespace. Numbers stay as they
// were written, and so does what is not JSON.
func Canonical(raw json.RawMessage) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil || d.More() {
		return string(raw)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(text)
}

// Judge is the decision of policy about a change of a path by one of the tools that edit.
type Judge func(tool string, e effect.Effect, p workspace.Path) policy.Decision
