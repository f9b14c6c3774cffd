package session

import (
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/tools/userstate"
)

const (
	modelsFile = "models.json"
	maxModels  = 200 // of one server
)

// Models keeps what was learned of models in the user's state folder.
func Models(state *userstate.State) engine.Knowledge { return models{state} }

type models struct{ state *userstate.State }

// known is what the file holds: by server, then by model.
type known map[string]map[string]model.Known

// Recall implements agent.Knowledge. What cannot be read is not known.
func (m models) Recall(server, name string) model.Known {
	all, err := userstate.Load[known](m.state, modelsFile)
	if err != nil {
		return model.Known{}
	}
	return all[server][name]
}

// Keep implements agent.Knowledge.
func (m models) Keep(server, name string, k model.Known) error {
	return userstate.Update(m.state, modelsFile, func(all *known) error {
		if *all == nil {
			*all = known{}
		}
		of := (*all)[server]
		if _, again := of[name]; of == nil || !again && len(of) >= maxModels {
			of = map[string]model.Known{} // more were never in use at a time
		}
		of[name] = k
		(*all)[server] = of
		return nil
	})
}
