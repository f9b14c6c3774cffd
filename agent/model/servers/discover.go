package servers

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/sourcegraph/conc"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/openai"
)

// lookTime is how long a port may take to say what listens there.
const lookTime = 2 * time.Second

// foundNames are what servers that were found are called, by kind.
var foundNames = map[Kind]string{LlamaCpp: "llamacpp", LMStudio: "lmstudio", VLLM: "vllm", SGLang: "sglang"}

// Approval is a server on this machine that the user approved: an address, and whose process it may be.
type Approval struct {
	Address string `json:"address"` // 127.0.0.1:8080
	UID     int    `json:"uid"`     // of who listens there; -1: not known on this system
	Kind    Kind   `json:"kind"`
}

// Approvals remember what the user approved, for all processes.
type Approvals interface {
	// Approved lists what is approved now. It is called for each request to a server that was found.
	Approved() []Approval
	Approve(a Approval) error
}

// found is where a server is that nobody declared.
type found struct {
	address string
	finder  *finder
}

// finder finds servers on this machine, and knows which of them the user approved.
type finder struct {
	approvals Approvals // nil: nothing is looked for
	ports     []string
	way       way

	mu       sync.Mutex
	declared []Declaration // guarded by mu
	servers  []*server     // guarded by mu: found by this process, or approved
}

func newFinder(approvals Approvals, ports []string, w way) *finder {
	return &finder{approvals: approvals, ports: ports, way: w}
}

// declare says which servers are declared by now: those are no longer looked for, nor known as found.
func (f *finder) declare(list []Declaration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.declared = list
	f.servers = slices.DeleteFunc(f.servers, func(s *server) bool { return f.isDeclared(s.found.address) })
}

// given is what the user has approved by now, in this process or another one, each with its server among servers; mu is
// held. It is read each time: an approval that was removed must not count once more.
func (f *finder) given() (list []Approval) {
	if f.approvals == nil {
		return nil
	}
	for _, a := range f.approvals.Approved() {
		_, port, err := net.SplitHostPort(a.Address)
		if err == nil && slices.Contains(f.ports, port) && foundNames[a.Kind] != "" && !f.isDeclared(a.Address) {
			list = append(list, a)
			f.add(a.Address, a.Kind)
		}
	}
	return list
}

// isDeclared reports whether the user declared the server at an address; mu is held.
func (f *finder) isDeclared(address string) bool {
	place := Declaration{URL: "http://" + address}.queue()
	return slices.ContainsFunc(f.declared, func(d Declaration) bool { return d.queue() == place })
}

// add makes a server of an address; mu is held.
func (f *finder) add(address string, kind Kind) *server {
	for _, s := range f.servers {
		if s.found.address == address {
			return s
		}
	}
	_, port, _ := net.SplitHostPort(address)
	name := foundNames[kind]
	taken := func(name string) bool {
		return slices.ContainsFunc(f.declared, func(d Declaration) bool { return d.Name == name }) ||
			slices.ContainsFunc(f.servers, func(s *server) bool { return s.Name == name })
	}
	if port == "8080" || taken(name) { // the same name whatever else is found
		name += "-" + port
	}
	s := newServer(Declaration{Name: name, URL: "http://" + address, Kind: kind}, f.way)
	s.found = &found{address, f}
	f.servers = append(f.servers, s)
	return s
}

// approved are the servers that the user approved, whoever listens there now.
func (f *finder) approved() []*server {
	f.mu.Lock()
	defer f.mu.Unlock()
	given := f.given()
	return slices.DeleteFunc(slices.Clone(f.servers), func(s *server) bool {
		return !slices.ContainsFunc(given, func(a Approval) bool { return a.Address == s.found.address })
	})
}

// known are all servers that were found or approved.
func (f *finder) known() []*server {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.given()
	return slices.Clone(f.servers)
}

// look asks the ports where nobody declared a server what listens there. Nothing but that is asked.
func (f *finder) look(ctx context.Context) []*server {
	if f.approvals == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	kinds := make([]Kind, len(f.ports))
	var beside conc.WaitGroup
	f.mu.Lock()
	for i, port := range f.ports {
		address := net.JoinHostPort("127.0.0.1", port)
		if f.isDeclared(address) {
			continue
		}
		beside.Go(func() { kinds[i] = f.kindAt(ctx, address) })
	}
	f.mu.Unlock()
	beside.Wait()
	var all []*server
	f.mu.Lock()
	defer f.mu.Unlock()
	f.given() // these have the first choice of names
	for i, port := range f.ports {
		if foundNames[kinds[i]] != "" {
			all = append(all, f.add(net.JoinHostPort("127.0.0.1", port), kinds[i]))
		}
	}
	return all
}

// kindAt asks what a server is; empty: none, or nothing that is known.
func (f *finder) kindAt(ctx context.Context, address string) Kind {
	d := Declaration{Name: address, URL: "http://" + address}
	client, err := d.client(f.way)
	if err != nil {
		return ""
	}
	b, err := openai.New(openai.Config{Name: d.Name, URL: d.URL, Client: client})
	if err != nil {
		return ""
	}
	kind, err := b.Kind(ctx)
	if err != nil {
		return ""
	}
	return Kind(kind)
}

// unapproved says who listens where a server was found that the user did not approve; nil: they approved or declared
// it. An approval ends when the process is that of another user.
func (s *server) unapproved() *model.Listener {
	if s.found == nil {
		return nil
	}
	now := listening("/proc", s.found.address)
	f := s.found.finder
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.ContainsFunc(f.given(), func(a Approval) bool {
		return a.Address == s.found.address && a.UID == now.uid
	}) {
		return nil
	}
	return &model.Listener{Address: s.found.address, Process: now.String()}
}

// Discover implements [model.Discoverer].
func (s *Set) Discover(ctx context.Context) (all []model.Info) {
	for _, of := range s.finder.look(ctx) {
		limited, cancel := context.WithTimeout(ctx, lookTime)
		list, err := of.models(limited)
		cancel()
		for _, listed := range list {
			if info, wrong := s.info(of, listed); err == nil && wrong == nil {
				all = append(all, info)
			}
		}
	}
	return all
}

// Approve implements [model.Discoverer].
func (s *Set) Approve(info model.Info) error {
	of, _, ok := s.named(info.Name)
	if !ok || of.found == nil || info.Found == nil {
		return fmt.Errorf("%s is on no server that was found", info.Name)
	}
	now := listening("/proc", of.found.address)
	if now.String() != info.Found.Process {
		return fmt.Errorf("another process listens at %s by now: send again", of.found.address)
	}
	return s.finder.approvals.Approve(Approval{of.found.address, now.uid, of.Kind})
}
