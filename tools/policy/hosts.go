package policy

import (
	"slices"

	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/web/address"
)

// hosts are what a command may reach that rules allow: the hosts that rules name for each of its programs, since the
// sandbox cannot tell them apart, without those that a rule denies or asks about.
func (s ruleSet) hosts(q Request) (hosts []string) {
	if q.Mode == ModePlan || !q.Effect.RunsPrograms() || q.Command == nil {
		return nil
	}
	for i, argv := range s.open(q) {
		var named []string
		for _, r := range s.rules {
			if r.List == Allowed && r.Void == "" && len(r.Hosts) > 0 && r.allowsPart(q, argv) {
				named = append(named, r.compiled.hosts...)
			}
		}
		if i == 0 {
			hosts = slices.Compact(slices.Sorted(slices.Values(named)))
		}
		hosts = slices.DeleteFunc(hosts, func(host string) bool { return !slices.Contains(named, host) })
	}
	return slices.DeleteFunc(hosts, func(host string) bool {
		place, err := address.ParsePlace(host)
		return err != nil || s.forbidsHost(Denied, q, place.Host) || s.forbidsHost(Asked, q, place.Host)
	})
}

// forbidsHost reports whether a rule of a list is about a host that a command would reach. What is said of fetching is
// said of commands, too.
func (s ruleSet) forbidsHost(list List, q Request, host string) bool {
	q.Host = host
	return s.first(list, func(r *activeRule) bool {
		as := q
		if r.Effect == effect.Fetches {
			as.Effect = r.Effect
		}
		return r.Host != "" && r.forbids(as)
	}) != nil
}

// DeniesHost reports whether a rule denies that a command reaches a host, which is spelt as by address.Host.
func (p *Policy) DeniesHost(q Request, host string) bool {
	return p.rulesFor(q).forbidsHost(Denied, q, host)
}
