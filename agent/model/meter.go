package model

import (
	"cmp"
	"hash/maphash"
	"math"
	"slices"
	"sync"
	"time"
)

const (
	maxAnchors  = 64   // counts of prompts that a meter keeps for each model
	newestShare = 0.25 // how much the newest count says about a model
	leastFactor = 0.3  // no tokenizer is further from the rough rule
	mostFactor  = 4
	mostContext = 10_000_000 // tokens of a context
	surePrompt  = 400        // rough tokens from which a count says something
)

// Known is what Assent learned of a model on a server by using it. It may be kept from one process to the next.
type Known struct {
	Factor  float64 `json:"scale,omitempty"`   // tokens of the model for one rough token; 0: not known
	Reading float64 `json:"reading,omitempty"` // tokens of a prompt that it reads in a second; 0: not known
	Context int     `json:"context,omitempty"` // the context size that was found to suit; 0: not known

	Abilities *Abilities `json:"abilities,omitempty"` // what its server was seen to do with it; nil: it was not tried
}

// Meter estimates what requests take, and learns from what the server counts. It is safe for concurrent use.
type Meter struct {
	seed maphash.Seed

	mu     sync.Mutex
	models map[string]*metered // guarded by mu, by canonical name
}

type metered struct {
	known    Known
	recalled bool              // Recall told of it
	cold     bool              // it was loaded, and has read nothing since
	anchors  map[uint64]anchor // by the hash of the messages
	order    []uint64          // from the oldest to the newest
	exact    []exact           // from the oldest to the newest, at most maxExact
}

// anchor is a prompt that the server has counted.
type anchor struct {
	count int
	tools float64 // what the tools of that request took, roughly
}

// NewMeter returns a meter that knows no model.
func NewMeter() *Meter { return &Meter{seed: maphash.MakeSeed(), models: map[string]*metered{}} }

// Recall tells what is known of a model from before.
func (m *Meter) Recall(name string, k Known) {
	of, unlock := m.lock(name)
	defer unlock()
	if k.Factor = max(k.Factor, 0); k.Factor > 0 {
		k.Factor = plausibleFactor(k.Factor) // a file may say anything
	}
	k.Context, k.Reading = max(k.Context, 0), max(k.Reading, 0)
	if k.Context > mostContext {
		k.Context = 0
	}
	of.known, of.recalled = k, true
}

func plausibleFactor(factor float64) float64 { return min(max(factor, leastFactor), mostFactor) }

// Knows reports whether Recall told of a model.
func (m *Meter) Knows(name string) bool {
	k, unlock := m.lock(name)
	defer unlock()
	return k.recalled
}

// Loaded notes that the server has just loaded a model: nothing is in its cache.
func (m *Meter) Loaded(name string) {
	k, unlock := m.lock(name)
	defer unlock()
	k.cold = true
}

// Known is what was learned of a model.
func (m *Meter) Known(name string) Known {
	k, unlock := m.lock(name)
	defer unlock()
	return k.known
}

// lock finds a model, and holds mu until unlock is called.
func (m *Meter) lock(name string) (k *metered, unlock func()) {
	m.mu.Lock()
	key := canonicalName(name)
	if m.models[key] == nil {
		m.models[key] = &metered{anchors: map[uint64]anchor{}}
	}
	return m.models[key], m.mu.Unlock
}

// Estimate says what a request takes: what the server was asked to count of it, else what was counted of the same
// prompt before, and the rest by its text.
func (m *Meter) Estimate(req Request) Estimate {
	sizes, hashes, tools := m.measure(req)
	whole := m.whole(req)
	of, unlock := m.lock(req.Model)
	defer unlock()
	if n, ok := of.told(whole); ok {
		return Estimate{Tokens: n, Counted: n, Fitted: true, Exact: true}
	}
	return of.estimate(sizes, hashes, tools)
}

func (k *metered) estimate(sizes []float64, hashes []uint64, tools float64) Estimate {
	e := Estimate{Fitted: k.known.Factor > 0}
	fresh := tools
	for i, own := range slices.Backward(sizes) {
		if a, ok := k.anchors[hashes[i]]; ok {
			e.Counted = a.count
			fresh -= a.tools
			break
		}
		fresh += own
	}
	e.Tokens = max(e.Counted+int(math.Ceil(fresh*cmp.Or(k.known.Factor, 1))), 0)
	e.Counted = min(e.Counted, e.Tokens)
	return e
}

// Tokens is about what a text takes for a model.
func (m *Meter) Tokens(name, text string) int {
	size := rough(text)
	k, unlock := m.lock(name)
	defer unlock()
	return int(math.Ceil(size * cmp.Or(k.known.Factor, 1)))
}

// Learn takes what the server counted of a request's whole prompt. It reports whether that changed what is known of the
// model enough to be kept.
func (m *Meter) Learn(req Request, count int) bool {
	if count <= 0 {
		return false
	}
	sizes, hashes, tools := m.measure(req)
	if len(hashes) == 0 {
		return false
	}
	k, unlock := m.lock(req.Model)
	defer unlock()
	before := k.known.Factor
	counted, size := float64(count), tools
	for i, own := range slices.Backward(sizes) {
		if a, ok := k.anchors[hashes[i]]; ok && size-a.tools >= surePrompt {
			counted, size = counted-float64(a.count), size-a.tools // what is new says more than what was counted before
			break
		}
		size += own
	}
	if size >= surePrompt && counted > 0 {
		observed := plausibleFactor(counted / size)
		if before == 0 {
			k.known.Factor = observed
		} else {
			k.known.Factor += newestShare * (observed - before)
		}
	}
	k.keep(hashes[len(hashes)-1], anchor{count, tools})
	return math.Abs(k.known.Factor-before) > 0.02*before
}

// Reused says about what share of a prompt the server did not read again, from how long it took to read the rest;
// negative: not known. How fast it reads is learned from the first prompt after the model was loaded, and from much
// that is new behind a known prompt. It is called before Learn.
func (m *Meter) Reused(req Request, count int, took time.Duration) float64 {
	sizes, hashes, tools := m.measure(req)
	k, unlock := m.lock(req.Model)
	defer unlock()
	e := k.estimate(sizes, hashes, tools) // what is new in it, and not what it takes in all
	cold, fresh := k.cold, count
	k.cold = false
	if !cold {
		fresh -= e.Counted
	}
	if count <= 0 || took <= 0 {
		return -1
	}
	speed := float64(fresh) / took.Seconds()
	if fresh >= surePrompt && (cold || e.Counted > 0 && speed > k.known.Reading) {
		k.known.Reading = speed
	}
	if k.known.Reading == 0 {
		return -1
	}
	return min(max(1-k.known.Reading*took.Seconds()/float64(count), 0), 1)
}

// LearnContext takes the context size that suits a model.
func (m *Meter) LearnContext(name string, size int) {
	k, unlock := m.lock(name)
	defer unlock()
	k.known.Context = size
}

// LearnAbilities takes what a server was seen to do with a model.
func (m *Meter) LearnAbilities(name string, a Abilities) {
	k, unlock := m.lock(name)
	defer unlock()
	k.known.Abilities = &a
}

func (k *metered) keep(hash uint64, a anchor) {
	if _, again := k.anchors[hash]; !again {
		k.order = append(k.order, hash)
	}
	k.anchors[hash] = a
	if len(k.order) > maxAnchors {
		delete(k.anchors, k.order[0])
		k.order = k.order[1:]
	}
}

// measure gives the rough size of each message and a hash of all messages up to it, and the size of the tools.
func (m *Meter) measure(req Request) (sizes []float64, hashes []uint64, tools float64) {
	h := newHasher(m.seed)
	for _, message := range req.Messages {
		h.message(message)
		for _, image := range message.Images {
			_, _ = h.Write(image)
		}
		sizes, hashes = append(sizes, message.tokens()), append(hashes, h.Sum64())
	}
	for _, tool := range req.Tools {
		tools += tool.tokens()
	}
	return sizes, hashes, tools
}
