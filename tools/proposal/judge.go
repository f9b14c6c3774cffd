package proposal

import (
	"strings"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/workspace"
)

// Standing is what policy says about a change.
type Standing int

// The standings.
const (
	Together Standing = iota // it is asked about with all others
	Apart                    // it needs a question of its own
	Free                     // a rule or the mode allows it
	Never                    // it is refused
)

// Judge judges a change like an edit of its path, and says why it is asked about or refused. alone says whether the
// edit were allowed as a call of its own; nil: a person is asked.
func Judge(judge, alone tools.Judge, k changes.Kind, p workspace.Path) (s Standing, why string) {
	tool, e := AsEdit(k)
	d := judge(tool, e, p)
	var own policy.Decision // asks
	if alone != nil {
		own = alone(tool, e, p)
	}
	switch {
	case own.Verdict == policy.Refuse:
		return Never, strings.TrimSuffix(own.Reason, ".")
	case d.Verdict == policy.Refuse:
		return Never, strings.TrimSuffix(d.Reason, ".")
	case d.Verdict == policy.Ask && d.Rule != "":
		return Apart, d.Reason
	case own.Verdict == policy.Run:
		return Free, d.Reason
	}
	return Together, d.Reason
}
