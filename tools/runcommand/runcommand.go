// Package runcommand has the tool run_command: a command line in the sandbox, and what becomes of its changes.
package runcommand

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/egress/proxy"
	"github.com/assent-ls/assent/tools/ledger"
	"github.com/assent-ls/assent/tools/paths"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/proposal"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/shell"
	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed run_command.md
var runCommandText string

type runCommandInput struct {
	Command string `json:"command"`
}

// Options of New.
type Options struct {
	Shell   shell.Shell
	Sandbox Sandbox              // nil: commands run outside of any
	Timeout func() time.Duration // asked when a command starts; 0 is the default of package shell
	// Tries says, whenever a command is planned, whether commands are tried on a copy without a question; nil: they are
	// not.
	Tries func() bool
	Out   *proxy.Out // how commands reach the network that a person or a rule lets them; nil: none does
	// Background says that commands go on running while their chat does something else: they have no time limit and no
	// network, and what they print is told by the reporter alone.
	Background bool
}

// New runs a command in the workspace: in the sandbox if there is one that holds.
func New(ws *workspace.Workspace, o Options) tools.Tool {
	if o.Background {
		o.Timeout, o.Out = func() time.Duration { return math.MaxInt64 }, nil
	}
	c := commands{Options: o, ws: ws, wanted: &wanted{}}
	return tools.Define(
		tools.Spec{
			Name: "run_command", Description: runCommandText, Verb: "run", Effect: effect.Runs,
			Timeout: tools.Unlimited,
		},
		c.plan,
	)
}

type commands struct {
	Options

	ws     *workspace.Workspace
	wanted *wanted
}

// planned is a command that is ready to run.
type planned struct {
	call  tools.Call
	text  string
	line  *command.Line // nil: it was not understood
	place confinement
	note  string // above the result
	reads bool   // nobody approved it, and it only reads: what it changes in its view is dropped
	tried bool   // on a copy: a person is asked about all that it changed
	// tried without a question: what it changed is judged as edits of its own, and it sees no more than what reads
	// unless a rule allows it: not what files hold that a person is asked about before they are read
	unasked, covers bool
	network         *proxy.Proxy // nil: it has none
}

func (c commands) plan(ctx context.Context, call tools.Call, in runCommandInput) (tools.Plan, error) {
	switch {
	case strings.TrimSpace(in.Command) == "":
		return tools.Plan{}, errors.New("command is empty")
	case strings.ContainsRune(in.Command, 0):
		return tools.Plan{}, errors.New("command holds a NUL character")
	}
	line, files, _ := understand(c.ws, in.Command) // what is not understood is asked about
	if err := writable(c.ws, line, files); err != nil {
		return tools.Plan{}, err
	}
	p := planned{call: call, text: in.Command, line: line, place: confine(ctx, c.Sandbox, call.Outside)}
	if c.Background && p.place.holds {
		p.place.text = inBackground
	}
	waits := ""
	if unsaved := strings.Join(c.ws.Unsaved(), ", "); unsaved != "" {
		p.note = fmt.Sprintf("[Ran on the files on disk: the changes in %s are not saved.]\n", unsaved)
		waits = fmt.Sprintf("Unsaved changes by Assent in %s: save them, or run on the files on disk.", unsaved)
	}
	runs := func(p planned) func(context.Context, tools.Reporter) tools.Result {
		return func(ctx context.Context, report tools.Reporter) tools.Result { return c.run(ctx, report, p) }
	}
	paths := paths.ForRules(c.ws, files...)
	plan := tools.Plan{
		Target: in.Command,
		Preview: strings.TrimRight(
			fmt.Sprintf("$ %s\n\nin %s\n%s\n%s", in.Command, c.ws.Root(), linked(c.ws, files), p.place.text), "\n",
		),
		Binding:  policy.Bind(append([]string{c.ws.Root(), in.Command, where(line), p.place.text}, paths...)...),
		Paths:    paths,
		Command:  line,
		Confined: p.place.holds,
		Run:      runs(p),
	}
	for i, file := range files {
		why := file.Protected
		if i < len(line.Written()) {
			why = file.ToWrite()
		}
		plan.Protected = cmp.Or(plan.Protected, why)
	}
	if !p.mayWrite() {
		reading := p
		reading.reads = true
		plan.Unasked = runs(reading)
		plan.Protected = cmp.Or(plan.Protected, named(c.ws, line))
	}
	if p.place.holds {
		tried := p
		tried.tried = true
		plan.Try = runs(tried)
	}
	inside := p.place
	if call.Outside {
		inside = confine(ctx, c.Sandbox, false)
	}
	if inside.holds && c.Out.Possible() {
		plan.Online = func(ctx context.Context, report tools.Reporter, hosts []string) tools.Result {
			p := p
			p.place = inside
			return c.online(ctx, report, p, hosts)
		}
	}
	if p.place.holds && c.Tries != nil && c.Tries() && p.mayWrite() {
		plan.TryUnasked = func(ctx context.Context, report tools.Reporter, allowed bool) tools.Result {
			p := p
			p.tried, p.unasked, p.covers = true, true, !allowed
			return c.run(ctx, report, p)
		}
	}
	if visible.Text(in.Command) != in.Command {
		plan.Protected = "The command holds characters that cannot be seen; they are shown as <U+XXXX>."
	}
	if waits != "" {
		plan.Waits, plan.RunAnyway = waits, plan.Run
	}
	return plan, nil
}

func (c commands) run(ctx context.Context, report tools.Reporter, p planned) tools.Result {
	return running{
		planned: p, ws: c.ws, sh: c.Shell, report: report, silent: c.Background,
		command: shell.Command{
			Line: p.text, Parsed: p.line, Dir: c.ws.Root(), Timeout: c.Timeout(), Live: report.Output,
		},
	}.run(ctx)
}

// running is a command that runs.
type running struct {
	planned

	ws      *workspace.Workspace
	sh      shell.Shell
	command shell.Command
	report  tools.Reporter
	silent  bool // what it printed is not in the result
}

// run runs a command in its place. Its result is what it printed, how it ended and what it changed.
func (r running) run(ctx context.Context) tools.Result {
	var before *ledger.Copy
	if !r.place.holds && !r.reads {
		before = ledger.Snapshot(ctx, r.ws)
	}
	if line := r.command.Parsed; line != nil && r.reads && r.place.holds {
		asking := line.AskingVersionsIn(sandbox.EmptyFolder)
		r.command.Parsed = &asking
	}
	var origins map[string]string
	if r.place.holds && !r.reads {
		origins = r.ws.SavedTexts(ctx)
	}
	ignored, mayBuild := ignoring(r.ws)
	var confined sandbox.Wrapped
	sees := sandbox.Command{Reads: r.reads || r.covers, Chat: r.built(mayBuild), Draft: r.ws.Drafted(ctx)}
	if r.network != nil {
		sees.Network = r.network.Serve
	}
	r.command.Confine = r.place.by(ctx, sees, r.reads, &confined)
	o, text, refused, why := r.watched(ctx, &confined)
	if r.network != nil {
		r.network.Close() // nobody of the command is there any more
	}
	if confined.Close != nil {
		defer confined.Close()
	}
	if refused != nil {
		return *refused
	}
	result := tools.Result{Failed: failed(o)}
	if r.silent {
		text = strings.Replace(ending(o), stoppedByUser, "\n[Stopped, with everything it had started.]", 1)
	}
	text = r.note + text
	if r.place.holds && result.Failed && !o.TimedOut && !o.Canceled {
		if result.Blocked = sandbox.Blocked(o.Output.Head+o.Output.Tail, o.Status); result.Blocked != "" {
			text += "\n[" + result.Blocked + "]"
		}
		if sandbox.NeedsForeign(o.Output.Head+o.Output.Tail) && confined.Foreign != nil {
			text += fmt.Sprintf("\n[Of another user or group: %s.]", proposal.SomeOf(confined.Foreign(6)))
		}
		if l := confined.Layer; l != nil && len(l.Hidden) > 0 {
			text += fmt.Sprintf(
				"\n[Not there in the sandbox, since it may hold secrets: %s.]", proposal.SomeOf(l.Hidden),
			)
		}
	}
	searched := r.reads && r.command.Parsed != nil && r.command.Parsed.Searches()
	if len(confined.Covered) > 0 && (searched || r.covers && result.Failed) {
		text += fmt.Sprintf("\n[Left out, since reading it is asked about: %s.]", proposal.SomeOf(confined.Covered))
	}
	lacks, said := wantedOf(r.network)
	if text += said; result.Failed && lacks != "" {
		result.Blocked = lacks
	}
	if why != "" {
		text = strings.Replace(text, stoppedByUser, "", 1) + "\n[It was stopped: " + why + "]"
	}
	if result.Failed {
		text += r.unseen()
	}
	for _, note := range confined.Notes {
		text += "\n[" + note + "]"
	}
	var covered []string // what it saw empty
	if r.covers {
		covered = confined.Covered
	}
	did := settled{}
	switch {
	case confined.Layer != nil && !r.reads && workspace.IsDraft(r.ws):
		d := drafting{ws: r.ws, layer: confined.Layer, saw: sees.Draft, ignored: ignored, covered: covered}
		did.sentences = d.take(ctx, o)
	case confined.Layer != nil && !r.reads:
		s := settlement{
			ws: r.ws, judge: r.call.Judge, report: r.report, layer: confined.Layer, ended: o, origins: origins,
			tried: r.tried, ignored: ignored, chat: confined.Chat, mayBuild: mayBuild, covered: covered,
		}
		if r.unasked {
			s.alone = r.call.JudgeAlone
		}
		did = s.settle(ctx)
	case confined.Layer == nil:
		if did.changes, did.sentences = changed(ctx, before); len(sees.Draft) > 0 {
			did.sentences = append(did.sentences, onDisk)
		}
	}
	for _, sentence := range did.sentences {
		text += "\n[" + sentence + "]"
	}
	result.Parts, result.Changes = content.Texts(text), did.changes
	return result
}

// watched runs the command, and stops it if its sandbox says why.
func (r running) watched(
	ctx context.Context, confined *sandbox.Wrapped,
) (o shell.Outcome, text string, refused *tools.Result, why string) {
	running, stop := r.halting(ctx)
	defer stop()
	var watching sync.WaitGroup
	if confine := r.command.Confine; confine != nil {
		r.command.Confine = func(argv, env []string, dir string) (shell.Confined, error) {
			c, err := confine(argv, env, dir)
			if err == nil && confined.Watch != nil {
				watching.Go(func() {
					if why = confined.Watch(running); why != "" {
						stop()
					}
				})
			}
			return c, err
		}
	}
	o, text, refused = execute(running, r.sh, r.command)
	stop()
	watching.Wait()
	if why == "" && confined.Exceeded != nil {
		if why = confined.Exceeded(); why != "" {
			why += "."
			o.Canceled = true // it may have gone on without what was killed
		}
	}
	return o, text, refused, why
}

// halting is how long the command may run: a person may stop it and still be asked what becomes of its changes, if
// those wait to be applied.
func (r running) halting(ctx context.Context) (context.Context, context.CancelFunc) {
	if h, ok := r.report.(tools.Halter); ok && r.place.holds && !r.reads {
		return h.Halting(ctx)
	}
	return context.WithCancel(ctx)
}

// mayWrite reports whether a command may change files.
func (p planned) mayWrite() bool {
	return p.line == nil || len(p.line.Written()) > 0 ||
		slices.ContainsFunc(p.line.Parts, func(part command.Part) bool { return !part.Harmless() })
}

// changed is what a command did to files since they were copied, and sentences on what cannot be told.
func changed(ctx context.Context, before *ledger.Copy) (changes []tools.FileChange, leftOut []string) {
	switch {
	case before == nil:
		return nil, nil
	case ctx.Err() != nil:
		return nil, []string{"Undo turn does not cover what this command did, since it was stopped."}
	}
	return before.Changes(ctx)
}
