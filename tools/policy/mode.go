package policy

import (
	"path"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/command"
)

// Mode is how much a person wants to be asked. Rules that deny or ask hold in every mode.
type Mode string

// The modes. The zero value is ModeAsk.
const (
	ModeAsk   Mode = "ask"   // all that no rule allows is asked about
	ModeEdits Mode = "edits" // edits of files of the workspace run; they can be reviewed
	ModePlan  Mode = "plan"  // nothing that changes anything runs, or is asked about
	ModeFull  Mode = "full"  // what the sandbox or the workspace confines runs
)

// planSentence is what the model reads of a call that the mode plan refuses.
const planSentence = "The user chose the mode plan, in which nothing is changed: say what you would do instead."

// Tighter is the mode of a chat whose text names another one than the user's settings: a text can only ask for less to
// run.
func (m Mode) Tighter(named Mode) Mode {
	if named == ModePlan || named == ModeAsk && m != ModePlan {
		return named
	}
	return m
}

// Explain says what a mode means, in a sentence; empty for ModeAsk.
func (m Mode) Explain() string {
	return map[Mode]string{
		ModeEdits: "Mode edits: edits of files in this workspace run without a question. You can review and undo them.",
		ModePlan:  "Mode plan: nothing that changes anything runs.",
		ModeFull: "Mode full: edits, and commands in a proven sandbox, run without a question. " +
			"What your rules deny or ask about, and protected files, are as ever.",
	}[m]
}

// refuses reports whether a mode forbids a call. A command that only reads changes nothing, if the sandbox holds it to
// that, and of one that is tried on a copy nothing is kept.
func (m Mode) refuses(q Request) bool {
	reads := q.Confined && q.Command != nil && onlyReads(*q.Command)
	return m == ModePlan && q.Effect.Changes() && !reads && !q.Tried
}

func onlyReads(line command.Line) bool {
	return every(line.Parts, command.Part.Harmless) && len(line.Written()) == 0
}

// edits reports whether edits of the workspace's files run.
func (m Mode) edits() bool { return m == ModeEdits || m == ModeFull }

// allow says whether a mode lets a call run. Tools from elsewhere keep their rules.
func (m Mode) allow(q Request, rules ruleSet) (Decision, bool) {
	if q.Origin != "" || q.Workspace == "" {
		return Decision{}, false
	}
	runs := m.edits() && q.Effect.Reviewable() && isInside(q.Paths)
	if m == ModeFull && !runs {
		runs = q.Effect.Confined() && isInside(q.Paths) || q.Confined && (q.Command != nil || !rules.judgeCommands(q))
	}
	if !runs {
		return Decision{}, false
	}
	return Decision{Verdict: Run, Reason: "The mode is " + string(m) + "."}, true
}

// isInside reports whether a call names its files, and all of them are of the workspace.
func isInside(paths []string) bool {
	leaves := func(p string) bool { return path.IsAbs(p) || p == ".." || strings.HasPrefix(p, "../") }
	return len(paths) > 0 && !slices.ContainsFunc(paths, leaves)
}

// judgeCommands reports whether a rule forbids some commands of a tool, so that one that is not understood may be one
// of them.
func (s ruleSet) judgeCommands(q Request) bool {
	return slices.ContainsFunc(
		s.rules, func(r *activeRule) bool { return r.List != Allowed && r.Command != "" && r.isOf(q) },
	)
}
