package mcp

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/internal/lazyregexp"
	"github.com/assent-ls/assent/internal/visible"
)

// maxServers is how many servers one file may declare.
const maxServers = 64

// Kind is how a server is spoken with.
type Kind string

// The kinds.
const (
	Stdio     Kind = "stdio"
	HTTP      Kind = "http" // Streamable HTTP
	SSE       Kind = "sse"  // what came before it
	WebSocket Kind = "websocket"
)

// kinds are the words for a kind that files use.
var kinds = map[string]Kind{
	"stdio": Stdio, "http": HTTP, "streamable-http": HTTP, "streamableHttp": HTTP, "sse": SSE, "websocket": WebSocket,
	"ws": WebSocket,
}

// Declaration is what a file says about one server. Its texts are as they are written: references in them are not
// resolved.
type Declaration struct {
	Name string `json:"-"`
	File string `json:"-"` // where it is: the path in the workspace, else what people call the place
	// the user wrote it; else the workspace has it, and it does nothing until it is trusted
	Ours     bool              `json:"-"`
	Kind     Kind              `json:"type"`
	Command  string            `json:"command"`
	Args     []string          `json:"args"`
	Env      map[string]string `json:"env"`
	Folder   string            `json:"cwd"`
	URL      string            `json:"url"`
	Headers  map[string]string `json:"headers"`
	OAuth    *OAuth            `json:"oauth"`
	Disabled bool              `json:"disabled"`
}

// serverName is how a server may be called.
var serverName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$`)

// ParseError is something that is wrong in a file of servers, at its place.
type ParseError struct {
	jsonc.Range

	Reason string // a sentence without its end
	place  string // the line and the column
}

// Error implements error.
func (p *ParseError) Error() string { return p.place + ": " + p.Reason }

// Parse reads a file of servers. What is wrong in it does not hide the other servers.
func Parse(data []byte) (servers []Declaration, problems []*ParseError) {
	servers, wrong := parse(data)
	for _, w := range wrong {
		at := jsonc.Range{Offset: w.Offset, Length: w.Length}
		problems = append(problems, &ParseError{at, w.Reason, jsonc.Place(data, w.Offset)})
	}
	return servers, problems
}

func parse(data []byte) (servers []Declaration, problems []*jsonc.Error) {
	root, err := jsonc.ParseObject(data, `{"mcpServers": {}}`)
	if wrong, ok := errors.AsType[*jsonc.Error](err); ok {
		return nil, []*jsonc.Error{wrong}
	}
	all := root.Members
	bare := len(all) > 0 &&
		!slices.ContainsFunc(all, func(m jsonc.Member) bool { return m.Value.Kind != jsonc.Object || isList(m.Key) })
	if !bare {
		var wrong *jsonc.Error
		if all, wrong = listed(root); wrong != nil {
			return nil, []*jsonc.Error{wrong}
		}
	}
	for _, m := range all {
		d, wrong := declared(m)
		switch {
		case wrong != nil:
			wrong.Reason = fmt.Sprintf("the server %q is left out: %s", visible.Line(m.Key), wrong.Reason)
			problems = append(problems, wrong)
		case len(servers) == maxServers:
			return servers, append(
				problems, m.Wrong("it declares more than %d servers: the others are left out", maxServers),
			)
		default:
			servers = append(servers, d)
		}
	}
	for _, m := range root.Members {
		if !bare && !isList(m.Key) {
			problems = append(
				problems, m.Wrong("there is no key %q here; the servers are in mcpServers", visible.Line(m.Key)),
			)
		}
	}
	return servers, problems
}

func isList(key string) bool { return key == "mcpServers" || key == "servers" }

// listed are the servers of a file.
func listed(root jsonc.Value) (servers []jsonc.Member, wrong *jsonc.Error) {
	found := false
	for _, m := range root.Members {
		switch {
		case !isList(m.Key):
		case found:
			return nil, m.Wrong("it has both mcpServers and servers: write all servers into one of them")
		case m.Value.Kind != jsonc.Object:
			return nil, m.Wrong("%s must be an object of servers by their names", m.Key)
		default:
			found, servers = true, m.Value.Members
		}
	}
	return servers, nil
}

// declared reads one server. A key that is not known may mean that it shall not start: then it is left out.
func declared(m jsonc.Member) (Declaration, *jsonc.Error) {
	d := Declaration{Name: m.Key}
	if !serverName().MatchString(m.Key) {
		return d, m.Wrong("its name must be up to 40 letters, digits, _, - and full stops")
	}
	if m.Value.Kind != jsonc.Object {
		return d, m.Wrong("it must be an object")
	}
	for _, key := range m.Value.Members {
		if known := keyNames(); !slices.Contains(known, key.Key) {
			return d, key.Wrong(
				"there is no key %q; the keys are %s", visible.Line(key.Key), strings.Join(known, ", "),
			)
		}
	}
	if wrong := m.Decode(&d); wrong != nil {
		return d, wrong
	}
	if err := d.check(); err != nil {
		return d, m.Wrong("%v", err)
	}
	return d, d.checkOAuth(m.Value)
}

func (d *Declaration) check() error {
	kind, known := kinds[string(d.Kind)]
	switch {
	case d.Kind == "" && d.Command != "":
		kind = Stdio
	case d.Kind == "" && (strings.HasPrefix(d.URL, "ws://") || strings.HasPrefix(d.URL, "wss://")):
		kind = WebSocket
	case d.Kind == "":
		kind = HTTP
	case !known:
		return fmt.Errorf(
			"the type %q is not known; there are stdio, http, sse and websocket", visible.Line(string(d.Kind)),
		)
	}
	d.Kind = kind
	if hasHidden(d) {
		return errors.New("it holds characters that cannot be seen")
	}
	switch {
	case kind == Stdio && (d.URL != "" || len(d.Headers) > 0):
		return errors.New("a server that is started by a command has no url and no headers")
	case kind == Stdio && d.Command == "":
		return errors.New(`command must name a program, such as "npx", and args its arguments`)
	case kind == Stdio:
		return d.checkEnvironment()
	case d.Command != "" || len(d.Args) > 0 || len(d.Env) > 0 || d.Folder != "":
		return errors.New("a server with a url has no command, args, env and cwd")
	}
	return d.checkAddress()
}

func (d *Declaration) checkEnvironment() error {
	for name := range d.Env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return fmt.Errorf("env: %q is no name of a variable", name)
		}
		if name == served {
			return fmt.Errorf("env: %s is set by Assent alone", name)
		}
	}
	return nil
}

func (d *Declaration) checkAddress() error {
	u, err := url.Parse(d.URL)
	schemes := []string{"http", "https"}
	if d.Kind == WebSocket {
		schemes = []string{"ws", "wss"}
	}
	switch {
	case d.URL == "":
		return errors.New("it has neither a command nor a url")
	case reference().MatchString(d.URL):
		return errors.New("url is sent as it is written, with no reference in it: write a secret into headers")
	case err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme):
		return fmt.Errorf("url must be an address that begins with %s://", strings.Join(schemes, ":// or "))
	case u.User != nil:
		return errors.New("url must hold no user name and no password: write them into headers, as a reference")
	}
	return nil
}

// hasHidden reports whether a person who reads the declaration would not see all of it.
func hasHidden(d *Declaration) bool {
	texts := slices.Concat([]string{d.Command, d.Folder, d.URL}, d.Args, d.OAuth.texts())
	for _, values := range []map[string]string{d.Env, d.Headers} {
		for name, value := range values {
			texts = append(texts, name, value)
		}
	}
	return slices.ContainsFunc(
		texts, func(text string) bool { return visible.Text(text) != text || strings.ContainsAny(text, "\r\x00") },
	)
}
