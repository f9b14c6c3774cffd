package agent

import (
	"crypto/sha256"

	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/tools"
)

// repeats counts how often the same call gave the same result: a model that makes no progress is stopped.
type repeats map[[sha256.Size]byte]int

func (r repeats) count(call toolcall.Call, result string) int {
	key := sha256.Sum256([]byte(call.Name + "\x00" + tools.Canonical(call.Arguments) + "\x00" + result))
	r[key]++
	return r[key]
}
