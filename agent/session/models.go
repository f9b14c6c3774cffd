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

// kept is what is known of a model, as the file holds it. An older Assent estimated tokens by another rule, and kept
// Factor by it: that is read, so that the rest of the file counts, and not used.
type kept struct {
	model.Known
	Factor float64 `json:"factor,omitempty"`
}

// known is what the file holds: by server, then by model.
type known map[string]map[string]kept

// Recall implements agent.Knowledge. What cannot be read is not known.
func (m models) Recall(server, name string) model.Known {
	all, err := userstate.Load[known](m.state, modelsFile)
	if err != nil {
		return model.Known{}
	}
	return all[server][name].Known
}

// Keep implements agent.Knowledge.
func (m models) Keep(server, name string, k model.Known) error {
	return userstate.Update(m.state, modelsFile, func(all *known) error {
		if *all == nil {
			*all = known{}
		}
		of := (*all)[server]
		if _, again := of[name]; of == nil || !again && len(of) >= maxModels {
			of = map[string]kept{} // more were never in use at a time
		}
		of[name] = kept{Known: k}
		(*all)[server] = of
		return nil
	})
}
