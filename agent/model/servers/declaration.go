// Package servers is all model servers of a user as one backend: those that they declare in servers.json, Ollama, and
// those that were found on this machine and that they approved. It says which server answers for which model; how one
// is spoken with is in the packages beside it.
package servers

import (
	"net/url"
	"strings"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/transport"
	"github.com/assent-ls/assent/tools/diskfile"
)

// File is the name of the file in the user's configuration folder that declares model servers.
const File = "servers.json"

// Kind is what a server is.
type Kind string

// The kinds. Those but Auto and Ollama speak the OpenAI protocol, each in its own way.
const (
	Auto     Kind = "auto" // the server's own answers say it
	Ollama   Kind = "ollama"
	LlamaCpp Kind = "llamacpp"
	LMStudio Kind = "lmstudio"
	VLLM     Kind = "vllm"
	SGLang   Kind = "sglang"
	Other    Kind = "openai" // a gateway such as LiteLLM, or anything else
)

var kinds = []Kind{Auto, Ollama, LlamaCpp, LMStudio, VLLM, SGLang, Other}

// Words for what may be sent to a server that is not this machine.
const (
	SendAsk      = "ask"      // each chat is asked about, unless the user named the model
	SendAnything = "anything" // no chat is asked about
)

// Declaration is a server as the file describes it. Its texts are as they are written: no reference is resolved.
type Declaration struct {
	Name   string `json:"name"`
	URL    string `json:"url"`
	Socket string `json:"socket"` // a Unix socket, in the place of URL
	Kind   Kind   `json:"kind"`

	Key        string            `json:"key"`
	KeyCommand []string          `json:"keyCommand"` // a program and its arguments, which prints the key
	Headers    map[string]string `json:"headers"`

	CA             string `json:"ca"`             // a file of certificates that are trusted for this server alone
	Certificate    string `json:"certificate"`    // a file of the certificate that the server is shown
	CertificateKey string `json:"certificateKey"` // the file of its key

	Context int  `json:"context"` // tokens, where the server does not tell
	Slots   int  `json:"slots"`   // how many requests it answers at once, where it does not tell
	Send    Send `json:"send"`
}

// Send says what may be sent to a server that is not this machine.
type Send struct {
	Word    string   // SendAsk or SendAnything
	Folders []string // only chats in these folders, each of which is asked about; as they are written
}

// host is the machine of a server, as it is dialled; empty for a Unix socket.
func (d Declaration) host() string {
	u, err := url.Parse(d.URL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// isLocal reports whether a server is on this machine.
func (d Declaration) isLocal() bool { return d.Socket != "" || transport.OnThisMachine(d.host()) }

// Place says to people where a server is.
func (d Declaration) Place() string {
	if d.Socket != "" {
		return d.Socket
	}
	return strings.TrimSuffix(d.URL, "/")
}

// queue is one name for all ways to write the address of a server.
func (d Declaration) queue() string {
	u, err := url.Parse(d.URL)
	switch {
	case d.Socket != "":
		return "socket " + d.Socket
	case err != nil:
		return d.URL
	}
	host := strings.ToLower(u.Hostname())
	if transport.OnThisMachine(host) {
		host = "this machine"
	}
	return host + " port " + portOf(u)
}

// sending is what may be sent there, with folders resolved. A server on this machine takes everything.
func (d Declaration) sending() (model.Sending, error) {
	var out model.Sending
	if d.isLocal() {
		return out, nil
	}
	out.Unasked = d.Send.Word == SendAnything
	for _, folder := range d.Send.Folders {
		path, err := diskfile.FromHome(folder)
		if err != nil {
			return out, err
		}
		out.Folders = append(out.Folders, path)
	}
	return out, nil
}

// unencrypted reports whether what is sent can be read on the way.
func (d Declaration) unencrypted() bool { return !d.isLocal() && strings.HasPrefix(d.URL, "http://") }

func portOf(u *url.URL) string {
	if u.Port() == "" {
		return map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Port()
}

func kindNames() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, string(k))
	}
	return names
}
