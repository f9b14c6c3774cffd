package meaning

import (
	"context"
	"errors"
	"strings"

	"github.com/assent-ls/assent/agent/engine"
	"github.com/assent-ls/assent/internal/ranking"
)

// embed gets the vectors of texts, by their keys. After an error it returns those that came.
func (r *Ranking) embed(
	ctx context.Context, e engine.Embedder, keys []string, texts map[string]string, size int,
) (map[string]ranking.Vector, error) {
	vectors := map[string]ranking.Vector{}
	for len(keys) > 0 {
		batch := keys[:min(r.batch(), len(keys))]
		keys = keys[len(batch):]
		var some []string
		for _, k := range batch {
			some = append(some, texts[k])
		}
		list, err := ask(ctx, e, some, size)
		if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) && len(vectors) == 0 && len(batch) > 1 {
			err = errTooMany
		}
		r.paces(len(batch), err)
		if err != nil {
			return vectors, err
		}
		for i, k := range batch {
			vectors[k] = list[i]
		}
	}
	return vectors, nil
}

// batch is how many texts the next request has.
func (r *Ranking) batch() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.size
}

// errTooMany says that a model gave no vectors in time, and was asked for those of several texts.
var errTooMany = errors.New("too many texts for the time")

// paces sets how many texts the next request has: twice as many after one that was answered, half as many where that
// took too long, so that a slow model gets somewhere, too.
func (r *Ranking) paces(sent int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil:
		r.size = max(r.size, min(2*sent, atOnce))
	case errors.Is(err, errTooMany):
		r.size = sent / 2
	}
}

// ask gets the vectors of texts, and checks them; size is how many numbers each must have, 0: as many as the first.
func ask(ctx context.Context, e engine.Embedder, texts []string, size int) ([]ranking.Vector, error) {
	given, err := e.Vectors(ctx, texts)
	if err != nil {
		return nil, err
	}
	list := make([]ranking.Vector, len(given))
	for i, numbers := range given {
		v, ok := ranking.NewVector(numbers)
		if !ok || size > 0 && len(v) != size {
			return nil, errors.New("what the model gave for a text is no vector, or none of the size of the others")
		}
		list[i], size = v, len(v)
	}
	return list, nil
}

// short is what of a text is sent.
func short(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxText)], "")
}
