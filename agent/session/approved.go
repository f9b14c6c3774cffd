package session

import (
	"github.com/assent-ls/assent/agent/model/servers"
	"github.com/assent-ls/assent/tools/userstate"
)

const approvedFile = "model-servers.json"

// ApprovedServers keeps in the user's state folder which model servers that nobody declared they approved.
func ApprovedServers(state *userstate.State) servers.Approvals { return approvedServers{state} }

type approvedServers struct{ state *userstate.State }

// Approved implements servers.Approvals. What cannot be read was not approved.
func (a approvedServers) Approved() []servers.Approval {
	all, err := userstate.Load[map[string]servers.Approval](a.state, approvedFile)
	if err != nil {
		return nil
	}
	list := make([]servers.Approval, 0, len(all))
	for address, one := range all {
		one.Address = address
		list = append(list, one)
	}
	return list
}

// Approve implements servers.Approvals.
func (a approvedServers) Approve(one servers.Approval) error {
	return userstate.Update(a.state, approvedFile, func(all *map[string]servers.Approval) error {
		if *all == nil {
			*all = map[string]servers.Approval{}
		}
		(*all)[one.Address] = one
		return nil
	})
}
