// Package meaning ranks texts by what they mean, through a model that gives vectors of texts and that the user chose.
// The vectors are kept in the user's state folder.
package meaning

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/assent-ls/assent/agent"
	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/internal/ranking"
	"github.com/assent-ls/assent/tools/userstate"
)

const (
	maxTexts = 4096        // that are ranked
	maxText  = 2_000       // bytes of one that are sent
	atFirst  = 4           // texts of the first request
	atOnce   = 32          // texts of one request at most
	pause    = time.Minute // after a failure
)

// Options of New.
type Options struct {
	Agent *agent.Agent // asks the model
	Model string       // its name
	Run   engine.Options
	State *userstate.State
	Tell  func(sentence string) // tells the user why texts are not ranked; each sentence comes once
}

// Ranking ranks texts by what they mean. It may be used concurrently.
type Ranking struct {
	options Options
	vectors vectors

	mu     sync.Mutex
	told   map[string]bool // guarded by mu
	failed time.Time       // guarded by mu: the last time
	size   int             // guarded by mu: texts of the next request, so many that the model is likely to be in time
}

var _ ranking.Meaning = (*Ranking)(nil)

// New makes a ranking. It reads nothing and asks nothing.
func New(o Options) *Ranking {
	return &Ranking{options: o, vectors: vectors{state: o.State, most: maxKept}, told: map[string]bool{}, size: atFirst}
}

// Near implements ranking.Meaning. Only texts whose vectors are not known are sent, and the query. Where that takes too
// long, what came is kept, and a later call goes on.
func (r *Ranking) Near(ctx context.Context, query string, texts []string) (places []int) {
	if len(texts) == 0 || r.pauses() {
		return nil
	}
	if len(texts) > maxTexts {
		r.tell(byWords(fmt.Errorf("%d of them are more than the %d that are ranked by meaning", len(texts), maxTexts)))
		return nil
	}
	came, slow := 0, false
	err := r.options.Agent.Embed(ctx, r.options.Model, r.options.Run, func(
		ctx context.Context, e engine.Embedder,
	) (err error) {
		places, came, err = r.rank(ctx, e, query, texts)
		slow = errors.Is(err, errTooMany)
		return err
	})
	if err != nil && came == 0 && !slow && ctx.Err() == nil && !errors.Is(err, engine.ErrBusy) {
		r.fail(err)
	}
	return places
}

// rank is Near with a model; came is how many vectors of texts are new.
func (r *Ranking) rank(
	ctx context.Context, e engine.Embedder, query string, texts []string,
) (places []int, came int, err error) {
	asked, err := ask(ctx, e, []string{short(query)}, 0)
	if err != nil {
		return nil, 0, err
	}
	to := asked[0]
	if len(texts)*len(to) > r.vectors.most {
		return nil, 0, fmt.Errorf("%d of them, with %d numbers each, are more than is kept", len(texts), len(to))
	}
	known := r.vectors.known()
	keys, missing := make([]string, len(texts)), map[string]string{}
	var order []string // of the missing keys
	for i, text := range texts {
		text = short(text)
		keys[i] = key(e.Version, text)
		if _, again := missing[keys[i]]; !again && len(known[keys[i]]) != len(to) {
			missing[keys[i]] = text
			order = append(order, keys[i])
		}
	}
	fresh, err := r.embed(ctx, e, order, missing, len(to))
	if len(fresh) > 0 {
		var problem error
		if known, problem = r.vectors.add(fresh, keys); problem != nil {
			r.tell(problem.Error())
		}
	}
	if err != nil {
		return nil, len(fresh), err
	}
	list := make([]ranking.Vector, len(keys))
	for i, k := range keys {
		list[i] = known[k]
	}
	return ranking.Nearest(to, list), len(fresh), nil
}

// pauses reports whether nothing is asked now, since that failed just before.
func (r *Ranking) pauses() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.failed.IsZero() && time.Since(r.failed) < pause
}

func (r *Ranking) fail(err error) {
	r.mu.Lock()
	r.failed = time.Now()
	r.mu.Unlock()
	r.tell(byWords(err))
}

// byWords is the sentence about texts that are not ranked.
func byWords(why error) string {
	return "Tools and tables are found by words alone: " + strings.TrimRight(why.Error(), ".") + "."
}

// tell tells the user a sentence, once.
func (r *Ranking) tell(sentence string) {
	r.mu.Lock()
	again := r.told[sentence]
	r.told[sentence] = true
	r.mu.Unlock()
	if !again {
		r.options.Tell(sentence)
	}
}
