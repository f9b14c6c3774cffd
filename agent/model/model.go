// Package model says what a language model is to Assent: a backend that streams chunks for a request, and what is known
// of each installed model. It knows no vendor; the backends live in the folders below it.
package model

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// Role names who speaks in a [Message].
type Role string

// The roles that every backend understands.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one message of a request, in the order in which the model reads them.
type Message struct {
	Role     Role
	Text     string
	Images   [][]byte // PNG or JPEG, for models that can see, and WAV or MP3, for those that can hear
	Thinking string   // of an assistant message, where the model is to read it again; else empty
	Calls    []Call   // native calls of an assistant message
	CallID   string   // of a RoleTool message: the call that it answers
	ToolName string   // of a RoleTool message
}

// Call is one tool call in the backend's native form. Arguments is a JSON object as the model gave it, not validated.
type Call struct {
	ID        string
	Name      string
	Arguments json.RawMessage
}

// Tool is one tool as it is described to a model. Parameters is a JSON schema of type object.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage
	Returns     string // the type of its value for programs; empty: str
	// the conversation describes it, where it was found: a format that describes tools in text does not do so again
	Found bool
}

// Request is one question to a backend. The zero value of an optional field leaves it to the model server.
type Request struct {
	Model       string
	Server      string // that of the Info by which it was decided that this may be sent
	Messages    []Message
	Tools       []Tool          // native tools; empty when the format describes them in text
	Format      json.RawMessage // a JSON schema that constrains the reply; nil: free text
	ContextSize int             // tokens; the same for every request to one model (invariant 4)
	MaxTokens   int             // of the reply; 0: no limit
	Temperature *float64        // before that of Sampling
	Sampling    Sampling
	Think       Think // before that of Sampling
	KeepAlive   time.Duration
	// Beside says that the request belongs to no chat, as that of another program: a server that keeps the prompts of
	// several chats does not drop that of the last one for it.
	Beside bool
}

// Chunk is one piece of a reply, as it arrives. Any of its fields may be empty.
type Chunk struct {
	Thinking string
	Text     string
	Calls    []Call
	Done     *Done // set on the last chunk only
	// Loading says that the server still loads the model, and Reading how much of the prompt it has read. They come
	// before all else, in chunks of their own, from servers that tell.
	Loading bool
	Reading *Reading
	// RemoteHost says where the reply was written, if that is not the server's own machine.
	RemoteHost string
}

// Done says how a reply ended and what it cost. Tokens are those the model server counted; PromptTokens is the whole
// prompt, its cached part included.
type Done struct {
	Reason       string // "stop", "length", or what the server says
	PromptTokens int
	OutputTokens int
	// CachedTokens is the part of PromptTokens that was not read again, if CacheKnown; else the server does not tell.
	CachedTokens int
	CacheKnown   bool
	LoadTime     time.Duration
	PromptTime   time.Duration
	OutputTime   time.Duration
	// AtOnce says that the reply came all at once although it was to be streamed: something on the way holds it back.
	AtOnce bool
}

// Reading says how much of a prompt a server has read, in tokens. What was in its cache counts as read.
type Reading struct{ Done, Total int }

// Info is what a backend knows of an installed model. Unknown figures are zero.
type Info struct {
	Name          string
	Family        string // as the backend names it ("qwen2")
	Parameters    string // "1.5B"
	Quantization  string
	Template      string   // the chat template, for matching profiles
	Parser        string   // the server's own parser of this family's replies, if it has one
	Capabilities  []string // "completion", "tools", "thinking", "vision", ...; empty: unknown
	Bytes         int64    // on disk
	ContextLimit  int      // tokens that the model was trained for
	LoadedContext int      // tokens it is loaded with now; 0: not loaded
	LoadedBytes   int64    // memory it takes now
	VRAMBytes     int64    // the part of LoadedBytes that is in the GPU's memory
	TokenBytes    int64    // memory that each token of the context takes, about
	Digest        string   // another one when the model was replaced by another version
	RemoteHost    string   // where it runs, if that is not the server's own machine; see Elsewhere
	Unconstrained bool     // the server was seen not to hold its replies to a schema

	Endpoint Endpoint // of the server, for traces

	Server string    // what people call the server, where there are several; empty: there is one
	Found  *Listener // set while nobody approved the server, which gets nothing of a chat
	Send   Sending   // with RemoteHost: what may go there
}

// Endpoint is what a model server is and where, in the words of programs that watch others. It holds no secret.
type Endpoint struct {
	Kind    string // "ollama", "llamacpp", "lmstudio", "vllm", "sglang", or "openai" for others of that protocol
	Address string // the host, or the Unix socket
	Port    int    // 0: none, or not known
}

// NewEndpoint is that of a server at a URL.
func NewEndpoint(kind string, at *url.URL) Endpoint {
	port, err := strconv.Atoi(at.Port())
	if err != nil { // what the scheme means
		port = map[string]int{"http": 80, "https": 443}[at.Scheme]
	}
	return Endpoint{Kind: kind, Address: at.Hostname(), Port: port}
}

// Loaded reports whether the model is in memory now.
func (i Info) Loaded() bool { return i.LoadedContext > 0 || i.LoadedBytes > 0 }

// Can reports whether the model has a capability, e.g. "tools".
func (i Info) Can(capability string) bool {
	return slices.Contains(i.Capabilities, capability)
}

// Backend is a model server. Its methods may be called concurrently. Every error is an [*Error], or the context's own.
type Backend interface {
	// Name is what users call the server ("Ollama at 127.0.0.1:11434").
	Name() string
	// Memory is how many bytes the server's machine has for a model now; 0: unknown.
	Memory() int64
	// Version of the server. It is the cheapest way to ask whether the server is there.
	Version(ctx context.Context) (string, error)
	// Models lists what is installed; each Info may lack Template and Capabilities. The order is the server's.
	Models(ctx context.Context) ([]Info, error)
	// Describe returns all that is known of one installed model.
	Describe(ctx context.Context, name string) (Info, error)
	// Chat streams one reply: it calls each for every chunk, in order, from one goroutine, and returns when the reply
	// is whole (the last chunk had Done), when each returned an error (that error), or when the stream broke (an *Error
	// of kind Incomplete: what was passed to each stays valid). Cancelling ctx closes the connection at once.
	Chat(ctx context.Context, req Request, each func(Chunk) error) error
	// Unload takes a model out of memory; one that is not loaded stays so.
	Unload(ctx context.Context, name string) error
	// Preload loads a model with a context size, without asking it anything.
	Preload(ctx context.Context, name string, contextSize int, keepAlive time.Duration) error
}

// Inspector is a Backend that can show a request instead of having it answered.
type Inspector interface {
	// Body is what Chat would send to the server for a request, byte for byte. Nothing is sent.
	Body(ctx context.Context, req Request) ([]byte, error)
	// PreloadBody is what Preload would send. Nothing is sent.
	PreloadBody(ctx context.Context, name string, contextSize int, keepAlive time.Duration) ([]byte, error)
	// RenderOnly returns the prompt as the server writes it for the model from a request, and runs nothing. The server
	// loads the model for it.
	RenderOnly(ctx context.Context, req Request) (string, error)
}
