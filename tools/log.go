package tools

import (
	"cmp"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/usagelog"
)

// LogTo makes the dispatcher keep a line of each call in a log. It is called before the first call.
func (d *Dispatcher) LogTo(l usagelog.Log) *Dispatcher {
	d.log = l
	return d
}

// Denied keeps in the log that a person refused a call.
func (d *Dispatcher) Denied(p Prepared) { d.record(p, usagelog.Denied, 0) }

// Unasked keeps in the log that nobody could be asked about a call, so that nothing ran.
func (d *Dispatcher) Unasked(p Prepared) { d.record(p, usagelog.Refused, 0) }

// record keeps how a call ended.
func (d *Dispatcher) record(p Prepared, outcome usagelog.Outcome, took time.Duration) {
	target := logTarget(p.plan, p.Spec)
	d.log.Add(usagelog.Entry{
		Time: time.Now(), Workspace: d.folder, Chat: p.Call.Chat, Call: p.Call.ID, Caller: string(p.Call.Caller),
		Client: p.Call.Client,
		Tool:   cmp.Or(p.Spec.Own(), p.Call.Name), Origin: string(p.Spec.Origin), Target: target,
		Verdict: verdicts[p.judged.Verdict], Reason: logReason(p, target),
		Outcome: outcome, TookMS: took.Milliseconds(),
	})
}

// recordAnswered keeps how a call ended that was never to run.
func (d *Dispatcher) recordAnswered(p Prepared) {
	outcome := usagelog.Answered
	switch {
	case p.judged.Verdict == policy.Refuse:
		outcome = usagelog.Refused
	case p.Answered.Failed:
		outcome = usagelog.Wrong
	}
	d.record(p, outcome, 0)
}

// recordRan keeps how a call ended that ran.
func (d *Dispatcher) recordRan(p Prepared, r Result) {
	outcome := usagelog.OK
	switch {
	case r.Stopped:
		outcome = usagelog.Stopped
	case r.Failed:
		outcome = usagelog.Failed
	}
	d.record(p, outcome, r.Took)
}

var verdicts = map[policy.Verdict]string{policy.Run: "run", policy.Ask: "ask", policy.Refuse: "refuse"}

// logReason is why a call was decided as it was. A rule about one exact command names all of it, which is not for the
// log.
func logReason(p Prepared, target string) string {
	whole := p.plan.Target
	if whole == "" || whole == target || len(whole) > len(p.judged.Reason) { // it is not in there
		return p.judged.Reason
	}
	reason := strings.NewReplacer(
		strconv.Quote(whole), strconv.Quote(target), "`"+whole+"`", "`"+target+"`",
	).Replace(p.judged.Reason)
	if len(whole) > maxPlainTarget && strings.Contains(reason, whole) {
		return ""
	}
	return reason
}

// maxPlainTarget is how long a target can be that a reason holds by chance.
const maxPlainTarget = 8

const maxLoggedPaths = 3

// logTarget says what a call acts on without what was passed to it: an argument of a command may be a secret.
func logTarget(p Plan, s Spec) string {
	switch {
	case p.Host != "":
		return p.Host
	case len(p.Databases) > 0:
		return strings.Join(p.Databases, ", ")
	case p.Command != nil:
		var programs []string
		for _, part := range p.Command.Parts {
			programs = append(programs, path.Base(part.Argv[0]))
		}
		return strings.Join(programs, ", ")
	case s.Effect.Confined():
		return excerpt.Names(p.Paths, maxLoggedPaths)
	}
	return ""
}
