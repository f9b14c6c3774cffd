//go:build amd64 || arm64

package sandbox

import (
	"syscall"

	"github.com/assent-ls/assent/tools/sandbox/bounds"
)

// memory is how many bytes the processes of a command may have together; 0: nothing bounds it.
func (o Options) memory() uint64 {
	if o.Memory > 0 {
		return o.Memory
	}
	return bounds.Memory()
}

// group has a command start in a control group of its own, if there can be one: looking at its memory is too slow for
// some.
func (k kind) group(memory uint64, how *syscall.SysProcAttr) (exceeded func() string, remove func()) {
	exceeded, remove = func() string { return "" }, func() {}
	if !k.grouped || memory == 0 {
		return exceeded, remove
	}
	g, err := bounds.NewGroup(memory)
	if err != nil {
		return exceeded, remove
	}
	g.Join(how)
	return func() string {
		if g.Exceeded() {
			return bounds.TooMuch(memory)
		}
		return ""
	}, g.Close
}
