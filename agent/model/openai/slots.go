package openai

import (
	"cmp"
	"context"
	"slices"

	"github.com/assent-ls/assent/agent/model"
)

// slot is what llama.cpp's server tells of one of its slots, each of which keeps the prompt of its last request.
type slot struct {
	ID   int  `json:"id"`
	Task *int `json:"id_task"` // of its last request: they count up; nil or negative: it had none
	Busy bool `json:"is_processing"`
}

func (s slot) lastTask() int {
	if s.Task == nil {
		return -1
	}
	return *s.Task
}

// slotsOf asks llama.cpp's server for the slots of a model.
func (c *connection) slotsOf(ctx context.Context, id string) ([]slot, error) {
	limited, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	var all []slot
	err := c.get(limited, c.ofModel("/slots", id), &all)
	return all, err
}

// besideSlot is the slot for a request of no chat: that of the last such request, if no chat came there since, else the
// idle one that was used longest ago, so that the prompt of the chat of the moment stays where it is. It is the last
// slot where the server does not tell, and -1, the server's own choice, where there are not several.
func (b *Backend) besideSlot(ctx context.Context, req model.Request) int {
	t := b.targetOf(req.Model)
	if !req.Beside || t.kind != LlamaCpp || t.slots <= 1 {
		return -1
	}
	all, err := b.slotsOf(ctx, t.id)
	if err != nil {
		return t.slots - 1
	}
	b.mu.Lock()
	last, known := b.beside[t.id]
	b.mu.Unlock()
	for _, s := range all {
		if known && s.ID == last.ID && s.lastTask() == last.lastTask() && !s.Busy {
			return s.ID
		}
	}
	return idlest(all)
}

// usedBeside remembers the slot of a request of no chat, once it has been answered.
func (b *Backend) usedBeside(ctx context.Context, req model.Request, id int) {
	if id < 0 {
		return
	}
	name := b.targetOf(req.Model).id
	all, err := b.slotsOf(ctx, name)
	at := slices.IndexFunc(all, func(s slot) bool { return s.ID == id })
	if err != nil || at < 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.beside[name] = all[at]
}

// idlest is the slot that was used longest ago, of those that are idle; -1: all are busy.
func idlest(all []slot) int {
	idle := slices.DeleteFunc(slices.Clone(all), func(s slot) bool { return s.Busy })
	if len(idle) == 0 {
		return -1
	}
	return slices.MinFunc(idle, func(a, b slot) int { return cmp.Compare(a.lastTask(), b.lastTask()) }).ID
}
