package model

import (
	"hash/maphash"
	"slices"
	"strconv"
)

const maxExact = 64 // requests of a model whose exact counts are remembered

// exact is what a server counted of a request that it did not answer.
type exact struct {
	request uint64 // by a hash of all that its prompt is made of
	count   int
}

// Told takes what the server counted of a request before it was sent, which [Meter.Estimate] says from then on. It
// returns by how much the estimate of the text alone is off: the tokens for one that was estimated.
func (m *Meter) Told(req Request, count int) (off float64) {
	sizes, _, tools := m.measure(req)
	whole := m.whole(req)
	k, unlock := m.lock(req.Model)
	defer unlock()
	k.exact = slices.DeleteFunc(k.exact, func(e exact) bool { return e.request == whole })
	k.exact = append(k.exact[max(0, len(k.exact)-maxExact+1):], exact{whole, count})
	estimated := (&metered{known: k.known}).estimate(sizes, make([]uint64, len(sizes)), tools)
	return float64(count) / float64(max(estimated.Tokens, 1))
}

// told is what was counted of a request.
func (k *metered) told(whole uint64) (count int, ok bool) {
	for _, e := range k.exact {
		if e.request == whole {
			return e.count, true
		}
	}
	return 0, false
}

// whole is a hash of all that the prompt of a request is made of.
func (m *Meter) whole(req Request) uint64 {
	h := newHasher(m.seed)
	h.texts(string(req.Think) + string(req.Sampling.Think))
	for _, message := range req.Messages {
		h.message(message)
		h.texts(message.Thinking, strconv.Itoa(len(message.Images)))
	}
	for _, tool := range req.Tools {
		h.texts(tool.Name, tool.Description, string(tool.Parameters))
	}
	return h.Sum64()
}

// hasher hashes what prompts are made of.
type hasher struct{ maphash.Hash }

func newHasher(seed maphash.Seed) *hasher {
	h := &hasher{}
	h.SetSeed(seed)
	return h
}

// texts adds texts, each with its length, so that none can pass for two.
func (h *hasher) texts(texts ...string) {
	for _, s := range texts {
		_, _ = h.WriteString(strconv.Itoa(len(s)) + ":") // a hash takes everything
		_, _ = h.WriteString(s)
	}
}

// message adds what of a message is text.
func (h *hasher) message(m Message) {
	h.texts(string(m.Role), m.Text)
	for _, call := range m.Calls {
		h.texts(call.Name, string(call.Arguments))
	}
}
