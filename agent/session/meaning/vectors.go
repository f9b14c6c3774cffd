package meaning

import (
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"slices"
	"sync"

	"github.com/assent-ls/assent/internal/ranking"
	"github.com/assent-ls/assent/tools/userstate"
)

const (
	vectorsFile = "vectors.json"
	maxKept     = 8 << 20 // bytes of vectors
)

// vectors are those of texts, in a file that processes share. It has no text: a vector is kept by a hash of what it was
// made of. A broken file counts as empty.
type vectors struct {
	state *userstate.State
	most  int // bytes

	mu   sync.Mutex
	read map[string]ranking.Vector // guarded by mu, replaced and never changed; nil: the file was not read yet
}

// key names the vector of a text by a version of a model.
func key(version, text string) string {
	sum := sha256.Sum256([]byte(version + "\x00" + text))
	return base64.RawStdEncoding.EncodeToString(sum[:16])
}

// known are the vectors by their keys. The caller does not change them.
func (v *vectors) known() map[string]ranking.Vector {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.read == nil {
		v.read, _ = userstate.Load[map[string]ranking.Vector](v.state, vectorsFile) // what cannot be read is made again
	}
	if v.read == nil {
		v.read = map[string]ranking.Vector{}
	}
	return v.read
}

// add keeps new vectors, and of the others those that are in use and as many more as there is room for. It returns them
// all, also if they could not be kept.
func (v *vectors) add(fresh map[string]ranking.Vector, used []string) (map[string]ranking.Vector, error) {
	before := v.known()
	var all map[string]ranking.Vector
	err := userstate.Update(v.state, vectorsFile, func(kept *map[string]ranking.Vector) error {
		all = v.merged(fresh, used, before, *kept)
		*kept = all
		return nil
	})
	if all == nil {
		all = v.merged(fresh, used, before)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.read = all
	return all, err
}

// merged are vectors within the bound: first fresh, then those that are in use, then others.
func (v *vectors) merged(
	fresh map[string]ranking.Vector, used []string, others ...map[string]ranking.Vector,
) map[string]ranking.Vector {
	all, size := map[string]ranking.Vector{}, 0
	add := func(from map[string]ranking.Vector, keys []string) {
		for _, key := range keys {
			vector, has := from[key]
			if _, again := all[key]; has && !again && size+len(vector) <= v.most {
				all[key] = vector
				size += len(vector)
			}
		}
	}
	add(fresh, used)
	for _, from := range others {
		add(from, used)
	}
	for _, from := range others {
		add(from, slices.Sorted(maps.Keys(from)))
	}
	return all
}
