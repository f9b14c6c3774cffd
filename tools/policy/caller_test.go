package policy_test

import (
	"testing"

	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
)

// TestNobodyIsAskedAboutLessThanTheModel: whoever makes a call, with whatever was allowed before, the person is asked
// where the model's call would be asked about. About a caller that is not known they are always asked, and offered
// nothing.
func TestNobodyIsAskedAboutLessThanTheModel(t *testing.T) {
	granted := newPolicy(t)
	allow(t, granted, policy.Chat, run())
	allow(t, granted, policy.Workspace, edit())
	for name, p := range map[string]*policy.Policy{"nothing allowed": newPolicy(t), "allowed": granted} {
		for _, base := range []policy.Request{edit(), run()} {
			for _, e := range []effect.Effect{base.Effect, effect.Computes, effect.Reads, effect.Calls, effect.Asks, ""} {
				for _, why := range []string{"", protected} {
					r := base
					r.Effect, r.Protected = e, why
					model := p.Decide(r)
					for _, caller := range []policy.Caller{policy.Remote, policy.Program, policy.Person} {
						r.Caller = caller
						if d := p.Decide(r); d.Verdict == policy.Run && model.Verdict != policy.Run || len(d.Offers) > len(model.Offers) {
							t.Errorf("%s, %q by %q: %+v, and by the model %+v", name, e, caller, d, model)
						}
					}
					for _, caller := range []policy.Caller{"", "modell"} {
						r.Caller = caller
						if d := p.Decide(r); d.Verdict != policy.Ask || len(d.Offers) > 0 {
							t.Errorf("%s, %q by %q: %+v", name, e, caller, d)
						}
					}
				}
			}
		}
	}
}
