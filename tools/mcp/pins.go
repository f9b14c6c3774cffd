package mcp

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/mcp/tooldef"
	"github.com/assent-ls/assent/tools/userstate"
)

// The bounds of what is kept of definitions.
const (
	pinsFile    = "mcp-tools.json"
	maxPinTexts = 2 << 20 // bytes
)

// pin is the definition of a tool for which rules that a person wrote hold: the one that ran first, or that they
// allowed for good later.
type pin struct {
	Since   time.Time `json:"since"`
	Hash    string    `json:"sha256"`           // empty: it was forgotten
	Text    string    `json:"text,omitempty"`   // to show what changed since; empty: not kept any more
	Once    string    `json:"once,omitempty"`   // the hash of another one that ran because a person approved it once
	Revoked time.Time `json:"revoked,omitzero"` // since when what was allowed before does not count
}

// end is since when what was allowed before does not count; zero: it does.
func (k pin) end(found bool) time.Time {
	if k.Revoked.IsZero() && (!found || k.Hash == "") {
		return k.Since // the list was lost, or an older Assent forgot the tool
	}
	return k.Revoked
}

// pins are the definitions of all tools that were ever allowed to run, in the user's state folder. They may be used
// concurrently.
type pins struct {
	state *userstate.State

	mu    sync.Mutex // guards what follows
	watch *diskfile.Watch
	kept  map[string]pin // never changed
	err   error
}

func newPins(state *userstate.State) *pins {
	return &pins{state: state, watch: diskfile.NewWatch(filepath.Join(state.Dir(), pinsFile))}
}

// lost is where it is kept that the file was broken once, and since when: it is where no tool has its pin.
const lost = ""

// of is the pin of a tool; found is false if it never ran. Then kept says since when it might only be that it was lost.
// After an error nothing is known.
func (p *pins) of(tool string) (kept pin, found bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.watch.Changed() || p.err != nil {
		p.kept, p.err = p.load()
	}
	if kept, found = p.kept[tool]; !found {
		kept = p.kept[lost]
	}
	return kept, found, p.err
}

// load reads the file. One that is broken was moved aside by that, and the next process must know of it, too.
func (p *pins) load() (all map[string]pin, err error) {
	path := filepath.Join(p.state.Dir(), pinsFile)
	_, before := os.Lstat(path)
	all, err = userstate.Load[map[string]pin](p.state, pinsFile)
	if _, after := os.Lstat(path); err != nil || before != nil || after == nil {
		return all, err
	}
	err = userstate.UpdateMap(p.state, pinsFile, func(now map[string]pin) error {
		now[lost] = pin{Since: userstate.Now()}
		all = now
		return nil
	})
	return all, err
}

// forget forgets the definitions of the tools whose names begin so. That they were forgotten is kept: another process
// may still know that one was allowed.
func (p *pins) forget(prefix string) error {
	return userstate.UpdateMap(p.state, pinsFile, func(all map[string]pin) error {
		for tool := range all {
			if strings.HasPrefix(tool, prefix) {
				now := time.Now().UTC()
				all[tool] = pin{Since: now.Truncate(time.Second), Revoked: now}
			}
		}
		return nil
	})
}

// allow makes the definition of a tool the one for which rules hold.
func (p *pins) allow(tool string, d *tooldef.Definition) error {
	return p.change(tool, func(kept pin, found bool) pin {
		if found && kept.Hash == d.Hash {
			return kept
		}
		return pin{
			Since: userstate.Now(), Hash: d.Hash, Text: string(d.Text), Revoked: kept.end(found),
		}
	})
}

// ran takes note of a definition that is about to run. The first one of a tool is the one for which rules hold; that
// another one ran changes nothing for them.
func (p *pins) ran(tool string, d *tooldef.Definition) error {
	return p.change(tool, func(kept pin, found bool) pin {
		if !found && kept.Since.IsZero() {
			return pin{Since: userstate.Now(), Hash: d.Hash, Text: string(d.Text)}
		}
		if found && kept.Hash != d.Hash {
			kept.Once = d.Hash
		}
		return kept
	})
}

// change changes the pin of a tool. What stays the same is not written; nor is what was lost.
func (p *pins) change(tool string, to func(kept pin, found bool) pin) error {
	if kept, found, err := p.of(tool); err == nil && to(kept, found) == kept {
		return nil
	}
	return userstate.UpdateMap(p.state, pinsFile, func(all map[string]pin) error {
		kept, found := all[tool]
		if !found {
			kept = all[lost]
		}
		if now := to(kept, found); now != kept {
			all[tool] = now
		}
		boundPins(all)
		return nil
	})
}

// boundPins keeps the file small: the oldest texts go first, which only costs the diff of a later change. No hash is
// forgotten, or a change would pass unseen.
func boundPins(all map[string]pin) {
	size := 0
	for _, p := range all {
		size += len(p.Text)
	}
	oldestFirst := func(a, b string) int { return cmp.Or(all[a].Since.Compare(all[b].Since), cmp.Compare(a, b)) }
	for _, name := range slices.SortedFunc(maps.Keys(all), oldestFirst) {
		if size <= maxPinTexts {
			return
		}
		p := all[name]
		size -= len(p.Text)
		p.Text = ""
		all[name] = p
	}
}
