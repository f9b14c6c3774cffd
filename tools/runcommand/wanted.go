package runcommand

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/assent-ls/assent/tools/egress/proxy"
	"github.com/assent-ls/assent/tools/web/address"
)

// maxNamed is how many hosts are proposed of those that a command names.
const maxNamed = 10

// named are the hosts that the words of a command name in addresses, but for those that it wanted before. A wrong one
// is harmless: a person reads it.
func (c commands) named(p planned) (places []address.Place) {
	before := c.wanted.get(p)
	divides := func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'=;|&()<>", r) }
	for _, word := range strings.FieldsFunc(p.text, divides) {
		at := strings.Index(word, "://")
		if at < 0 {
			continue
		}
		scheme := word[strings.LastIndexAny(word[:at], "+,")+1 : at]
		u, err := url.Parse(scheme + word[at:])
		if err != nil || u.Scheme != "https" && u.Scheme != "http" {
			continue
		}
		port := cmp.Or(u.Port(), map[string]string{"https": "443", "http": "80"}[u.Scheme])
		host, err := address.Host(u.Hostname())
		place := address.Place{Host: host, Port: port}
		if err == nil && address.IsPort(port) && !place.Inner() && len(places) < maxNamed &&
			!slices.Contains(slices.Concat(before, places), place) {
			places = append(places, place)
		}
	}
	return places
}

// wanted are the places that were refused to commands, by the chat and the command. It may be used concurrently.
type wanted struct {
	mu    sync.Mutex
	of    map[[2]string][]address.Place
	order [][2]string // of the keys, the oldest first
}

const maxWanted = 100 // commands

// put keeps what was refused to a command because nobody allowed it, after what was allowed then. The addresses of this
// machine and its network a person has to write themselves.
func (w *wanted) put(p planned, allowed []address.Place, refused []proxy.Refusal) {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := [2]string{p.call.Chat, p.text}
	var places []address.Place
	for _, r := range refused {
		if r.Why == "" && !r.Inner() {
			places = append(places, r.Place)
		}
	}
	if len(places) == 0 {
		return // a command that got all that it wanted may want it again
	}
	if w.of == nil {
		w.of = map[[2]string][]address.Place{}
	}
	if _, known := w.of[key]; !known {
		w.order = append(w.order, key)
	}
	for _, place := range slices.Concat(allowed, places) {
		if !slices.Contains(w.of[key], place) && len(w.of[key]) < maxNamed {
			w.of[key] = append(w.of[key], place)
		}
	}
	if len(w.order) > maxWanted {
		delete(w.of, w.order[0])
		w.order = w.order[1:]
	}
}

func (w *wanted) get(p planned) []address.Place {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.of[[2]string{p.call.Chat, p.text}])
}

// wantedOf says what a command wanted to reach and was not let to: in a sentence, if a person can allow it, and below
// its result.
func wantedOf(p *proxy.Proxy) (lacks, text string) {
	if p == nil {
		return "", ""
	}
	var open []string
	for _, r := range p.Refused() {
		if r.Why == "" {
			open = append(open, r.String())
			continue
		}
		text += fmt.Sprintf("\n[It was not let to %s: %s.]", r, r.Why)
	}
	if len(open) > 0 {
		lacks = fmt.Sprintf("It wanted %s, which nobody allowed.", strings.Join(open, ", "))
		text += "\n[" + lacks + " Run the same command again, and the user can allow that.]"
	}
	return lacks, text
}
