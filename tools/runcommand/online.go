package runcommand

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/egress/proxy"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/sandbox"
	"github.com/assent-ls/assent/tools/web/address"
)

// reader is a sandbox that can say what commands read.
type reader interface {
	Readable(ctx context.Context) (sandbox.Readable, error)
}

// online runs a command on a copy with a network in which it reaches some hosts: those that rules name, or if they are
// nil, those that a person names now. It sees as little of the workspace as a command that nobody approved.
func (c commands) online(ctx context.Context, report tools.Reporter, p planned, hosts []string) tools.Result {
	p.covers = true
	var places []address.Place
	if hosts != nil {
		p.tried = c.tries != nil && c.tries()
		p.unasked = p.tried
		for _, host := range hosts {
			if place, err := address.ParsePlace(host); err == nil {
				places = append(places, place)
			}
		}
	} else {
		chosen, refused := c.askHosts(ctx, report, p)
		if refused != nil {
			return *refused
		}
		p.tried, places = true, chosen
	}
	denied := p.call.DeniesHost
	p.network = c.out.New(ctx, proxy.Options{
		By: "command " + programs(p.line), Places: places,
		Denied: func(host string) bool { return denied == nil || denied(p.line, host) },
	})
	defer p.network.Close()
	result := c.run(ctx, report, p)
	c.wanted.put(p, places, p.network.Refused())
	return result
}

// programs are the programs of a line, by their names: its arguments may hold a password.
func programs(line *command.Line) string {
	if line == nil {
		return "that is not understood"
	}
	var names []string
	for _, part := range line.Parts {
		if name := path.Base(part.Argv[0]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

const (
	notOnline  = "the user did not let it reach the network"
	runThere   = "Run with these hosts"
	runToSee   = "Run without a host, and see which it wants"
	chooseHost = "Choose the hosts"
	notRun     = "Do not run it"
	hostsField = "hosts"
)

// askHosts asks a person which hosts a command may reach. refused is the result if they let it reach none.
func (c commands) askHosts(
	ctx context.Context, report tools.Reporter, p planned,
) (places []address.Place, refused *tools.Result) {
	asker, ok := report.(tools.Asker)
	if !ok {
		return nil, unasked(nobodyThere)
	}
	before, named := c.wanted.get(p), c.named(p)
	q := tools.Inquiry{
		From: "the command", Target: "Let it reach the network: " + visible.Shorten(visible.Line(p.text), 200),
		Yes: cmp.Or(map[bool]string{true: runToSee}[len(before)+len(named) == 0], runThere), Other: chooseHost,
		No: notRun, Why: true, Text: c.reaching(ctx, p, before, named),
	}
	reply, err := asker.Ask(ctx, q)
	places = slices.Concat(before, named)
	for wrong := ""; err == nil && reply.Other || wrong != ""; {
		form := tools.Inquiry{
			From: q.From, Target: q.Target, Text: wrong + q.Text, No: q.No, Why: true, Form: hostsForm(places),
		}
		if reply, err = asker.Ask(ctx, form); err != nil || !reply.Yes {
			break
		}
		var said struct {
			Hosts string `json:"hosts"`
		}
		_ = json.Unmarshal(reply.Form, &said) // it was checked
		chosen, bad := address.ParsePlaces(said.Hosts)
		if wrong = ""; bad != nil {
			wrong = fmt.Sprintf("Your answer was not taken: %v.\n\n", bad)
			continue
		}
		return chosen, nil
	}
	switch {
	case err != nil:
		return nil, unasked(nobodyThere)
	case !reply.Yes && reply.Why != "":
		return nil, unasked(fmt.Sprintf("%s, and says: %q", notOnline, reply.Why))
	case !reply.Yes:
		return nil, unasked(notOnline)
	}
	return places, nil
}

func unasked(why string) *tools.Result {
	r := tools.Failed("[It did not run: " + why + ".]")
	return &r
}

// hostsForm is the schema of the form in which a person writes hosts.
func hostsForm(places []address.Place) json.RawMessage {
	schema, _ := json.Marshal(map[string]any{
		"type": "object", "required": []string{hostsField}, "properties": map[string]any{hostsField: map[string]any{
			"type": "string", "default": joined(places),
			"description": "such as example.org or example.org:8443, divided by commas; none: the network is empty",
		}},
	})
	return schema
}

func joined(places []address.Place) string {
	var all []string
	for _, p := range places {
		all = append(all, p.String())
	}
	return strings.Join(all, ", ")
}

// reaching is what a person should read before a command reaches hosts.
func (c commands) reaching(ctx context.Context, p planned, before, named []address.Place) string {
	text := "It would run on a copy of the workspace; what it changes there waits for another answer.\n\n"
	switch {
	case len(before)+len(named) == 0:
		text += "Its words name no host. Without one it reaches nothing, and its result says what it wanted.\n"
	default:
		text += "It could reach these hosts, and no others:\n"
	}
	for _, list := range []struct {
		places []address.Place
		why    string
	}{{before, "which it wanted before"}, {named, "which its words name"}} {
		for _, place := range list.places {
			text += fmt.Sprintf("- %s, %s\n", place, list.why)
		}
	}
	text += "\n" + c.sent(ctx, p)
	if rule := ruleFor(p.line, slices.Concat(before, named)); rule != "" {
		text += "\nWithout a question it runs by this rule in your permissions.json, in \"allow\":\n" + rule + "\n"
	}
	return text
}

// sent says which files a command could send.
func (c commands) sent(ctx context.Context, p planned) string {
	s, ok := p.place.sandbox.(reader)
	if !ok {
		return "It could send each file of the workspace that it sees.\n"
	}
	r, err := s.Readable(ctx)
	if err != nil {
		return fmt.Sprintf("It could send each file of the workspace that it sees; they cannot be counted: %v.\n", err)
	}
	count := excerpt.Counted(r.Files, "file")
	if r.More {
		count = "more than " + count
	}
	text := fmt.Sprintf("It could send there what it can read: %s of this workspace", count)
	if r.Git {
		text += ", and all that git keeps of it"
	}
	text += ".\n"
	if len(r.Hidden) > 0 {
		text += fmt.Sprintf("It does not see, as they may hold secrets or a rule denies them: %s.\n", someOf(r.Hidden))
	}
	if len(r.Covered) > 0 {
		text += fmt.Sprintf("It sees nothing of what these hold, which is asked about: %s.\n", someOf(r.Covered))
	}
	return text
}

// ruleFor is a rule by which a line of one program reaches hosts; empty: there is none.
func ruleFor(line *command.Line, places []address.Place) string {
	if line == nil || len(line.Parts) != 1 || len(places) == 0 {
		return ""
	}
	rule := policy.Rule{Tool: "run_command", Command: command.Quote(line.Parts[0].Argv...)}
	for _, p := range places {
		rule.Hosts = append(rule.Hosts, p.String())
	}
	text, err := json.Marshal(rule)
	if err != nil {
		return ""
	}
	return string(text)
}

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
