// Package overview says of each tool of a workspace what a person wants to know before they keep it: whether it can be
// called, what is decided about its calls, and how its calls ended.
package overview

import (
	"strconv"
	"strings"
	"time"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/usagelog"
)

// Tool is a tool with all that.
type Tool struct {
	tools.Choosable

	Asks   policy.Standing // what is decided about the calls of a model
	Totals Totals
}

// Totals are how the calls of a tool ended, as far as the log goes back.
type Totals struct {
	Ran     int // those that failed or were stopped included
	Failed  int // of those that ran, stopped ones included
	Denied  int // by a person or a rule, or since nobody could be asked: nothing ran
	Wrong   int // nothing could run: the arguments did not fit
	Took    time.Duration
	Longest time.Duration
}

// Of lists the tools that a dispatcher runs and those that are off, in order, as a mode and a log have them.
func Of(d *tools.Dispatcher, mode policy.Mode, entries []usagelog.Entry) []Tool {
	totals := totalsOf(entries)
	var list []Tool
	for _, t := range d.Registry().All() {
		list = append(list, Tool{
			Choosable: t, Asks: d.About(t.Spec, mode), Totals: totals[key{t.Own(), string(t.Origin)}],
		})
	}
	return list
}

// key names a tool in the log.
type key struct{ tool, origin string }

func totalsOf(entries []usagelog.Entry) map[key]Totals {
	all := map[key]Totals{}
	for _, e := range entries {
		k := key{e.Tool, e.Origin}
		t := all[k]
		t.add(e)
		all[k] = t
	}
	return all
}

func (t *Totals) add(e usagelog.Entry) {
	took := time.Duration(e.TookMS) * time.Millisecond
	switch e.Outcome {
	case usagelog.OK:
		t.Ran++
	case usagelog.Failed, usagelog.Stopped:
		t.Ran++
		t.Failed++
	case usagelog.Denied, usagelog.Refused:
		t.Denied++
	case usagelog.Wrong:
		t.Wrong++
	case usagelog.Kept, usagelog.Answered: // nothing ran, and nothing went wrong
	}
	t.Took += took
	t.Longest = max(t.Longest, took)
}

// Verdict says in a word or two what is decided about the calls of the tool.
func (t Tool) Verdict() string {
	switch t.Asks.Verdict {
	case policy.Run:
		if t.Effect.ByPerson() {
			return "asks you"
		}
		return "runs"
	case policy.Refuse:
		return "refused"
	case policy.Ask:
	}
	return "asks first"
}

// Does says in a sentence what the tool does: the first of its description.
func (t Tool) Does() string {
	text := strings.TrimSpace(t.Description)
	if at := strings.IndexAny(text, "\r\n"); at >= 0 {
		text = text[:at]
	}
	if at := strings.Index(text, ". "); at >= 0 {
		text = text[:at+1]
	}
	const most = 160 // what servers say may be long
	return visible.Shorten(visible.Line(text), most)
}

// Ended says how the calls of the tool ended: "12 ran, 2 failed, 1 denied, 1.2s in all"; empty: there were none.
func (t Totals) Ended() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{t.Ran, "ran"}, {t.Failed, "failed"}, {t.Denied, "denied"}, {t.Wrong, "could not be read"}} {
		if p.n > 0 {
			parts = append(parts, strconv.Itoa(p.n)+" "+p.what)
		}
	}
	if t.Ran > 0 {
		parts = append(parts, t.Took.String()+" in all")
	}
	return strings.Join(parts, ", ")
}

// Why says in sentences why that is decided, and what is decided otherwise.
func (t Tool) Why() string {
	why := t.Asks.Reason
	if t.Asks.Verdict == policy.Ask && t.Effect.RunsPrograms() {
		why += " In a sandbox that holds, what only reads runs, and what a rule allows."
	}
	return why
}
