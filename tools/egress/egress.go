// Package egress keeps which addresses the program contacted, for the user to read: by whom, why and how often. It
// holds nothing of what was sent or asked.
package egress

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/assent-ls/assent/internal/network"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/userstate"
)

// The log is two files at most: the one that is written, and the one before it.
const (
	file     = "egress.jsonl"
	maxFile  = 256 << 10 // bytes; some 1,500 connections
	maxField = 200       // characters of each text in a line
)

// line is one connection.
type line struct {
	Time    time.Time `json:"time"`
	Who     string    `json:"who"`
	Why     string    `json:"why"`
	Host    string    `json:"host"`              // with its port; or the path of a socket
	Address string    `json:"address,omitempty"` // what a name meant; empty: it is host
}

// Log is the user's log. It may be used concurrently, by several processes too. The zero value keeps nothing.
type Log struct{ state *userstate.State }

// New returns the log in a state folder; nil keeps nothing.
func New(state *userstate.State) Log { return Log{state} }

// Add appends a connection. If it cannot be kept the state reports that; no connection fails for it.
func (l Log) Add(c network.Contact) {
	if l.state == nil {
		return
	}
	entry := line{userstate.Now(), c.Who, c.Why, c.Host, c.Address}
	for _, text := range []*string{&entry.Who, &entry.Why, &entry.Host, &entry.Address} {
		*text = visible.Shorten(visible.Line(*text), maxField)
	}
	data, err := json.Marshal(entry)
	if err == nil {
		err = l.state.Append(file, data, maxFile)
	}
	if err != nil {
		l.state.Report(err.Error())
	}
}

// Place is an address that one user of the network contacted.
type Place struct {
	Who     string    `json:"who"`
	Why     string    `json:"why"`
	Host    string    `json:"host"`
	Address string    `json:"address,omitempty"` // the last that the name meant; empty: it is Host
	Times   int       `json:"times"`
	Last    time.Time `json:"last"`
}

// Places lists what was kept, the place that was contacted last first. since is when the oldest line was written.
// broken counts the lines that cannot be read.
func (l Log) Places() (places []Place, since time.Time, broken int, err error) {
	if l.state == nil {
		return nil, since, 0, nil
	}
	data, err := l.state.Appended(file)
	if err != nil {
		return nil, since, 0, err
	}
	all := map[Place]Place{}
	for text := range bytes.Lines(data) {
		var c line
		if err := json.Unmarshal(text, &c); err != nil || c.Host == "" {
			broken++
			continue
		}
		if since.IsZero() {
			since = c.Time
		}
		key := Place{Who: c.Who, Why: c.Why, Host: c.Host}
		p := all[key]
		p.Times, p.Last, p.Address = p.Times+1, c.Time, c.Address
		all[key] = p
	}
	for key, p := range all {
		key.Times, key.Last, key.Address = p.Times, p.Last, p.Address
		places = append(places, key)
	}
	slices.SortFunc(places, func(a, b Place) int {
		return cmp.Or(b.Last.Compare(a.Last), cmp.Compare(a.Who, b.Who), cmp.Compare(a.Host, b.Host))
	})
	return places, since, broken, nil
}
