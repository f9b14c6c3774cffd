package agenttest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/assent-ls/assent/agent/model"
)

// Scripted is a [model.Backend] without a server, for unit tests of the loop: it answers chats with Replies, in order.
// Set its fields before use; the zero value has one model and no replies.
type Scripted struct {
	Replies   []Reply
	Then      func(model.Request) Reply // answers what no reply is left for; nil: that is refused
	Installed []model.Info              // default: one model, "scripted", that can call tools
	Bytes     int64                     // what Memory says
	// Counts makes it count prompts, four bytes to a token, as OverflowRefuse or OverflowCut; empty: it says 1.
	Counts Overflow
	// VRAM is the memory of its GPU, in bytes; 0: there is none.
	VRAM int64
	// Window is the context that it really has; 0: what the request asks for.
	Window int

	mu       sync.Mutex // guards what follows
	requests []model.Request
	loads    []string
	loaded   int // with which context
}

// Overflow is what a server does with a prompt that is longer than the context.
type Overflow string

// What servers do: new ones refuse it, as they are told; old ones leave out the oldest messages and say nothing.
const (
	OverflowRefuse Overflow = "refuse"
	OverflowCut    Overflow = "cut"
)

// Reply is the answer to one chat.
type Reply struct {
	// Chunks are sent one after the other. A last chunk with Done is added, unless there is one or Err is set.
	Chunks []model.Chunk
	// Pause is waited before each chunk.
	Pause time.Duration
	// Hang waits after the chunks until the request is cancelled.
	Hang bool
	// Err ends the reply after its chunks.
	Err error
}

// Say is a reply of text.
func Say(text string) Reply { return Reply{Chunks: []model.Chunk{{Text: text}}} }

// CallTool is a reply that is one native call.
func CallTool(name, arguments string) Reply {
	return Reply{Chunks: []model.Chunk{{Calls: []model.Call{{Name: name, Arguments: []byte(arguments)}}}}}
}

// Tokens is how many tokens a request takes by the rule of [Scripted.Counts].
func Tokens(req model.Request) int {
	total := 0
	for _, m := range req.Messages {
		total += messageTokens(m)
	}
	for _, t := range req.Tools {
		total += (len(t.Name) + len(t.Description) + len(t.Parameters)) / 4
	}
	return total
}

func messageTokens(m model.Message) int {
	bytes := len(m.Text)
	for _, c := range m.Calls {
		bytes += len(c.Name) + len(c.Arguments)
	}
	return bytes/4 + 4
}

// count is what the server says about a prompt.
func (s *Scripted) count(req model.Request) (int, error) {
	if s.Counts == "" {
		return 1, nil
	}
	window := req.ContextSize
	if s.Window > 0 {
		window = min(window, s.Window)
	}
	total := Tokens(req)
	if total > window && s.Counts == OverflowRefuse {
		return 0, &model.Error{
			Kind: model.ContextTooLong, Needed: total, Limit: window, Sentence: "The conversation does not fit.",
		}
	}
	// as Ollama does: the system prompt and the last message stay
	for i := 0; total > window && i < len(req.Messages)-1; i++ {
		if req.Messages[i].Role != model.RoleSystem {
			total -= messageTokens(req.Messages[i])
		}
	}
	return min(total, window), nil
}

// Requests lists what was asked so far.
func (s *Scripted) Requests() []model.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Loads lists which models were preloaded, as "name context", and unloaded, as "unload name".
func (s *Scripted) Loads() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.loads)
}

// Name implements [model.Backend].
func (s *Scripted) Name() string { return "the scripted model" }

// Memory implements [model.Backend].
func (s *Scripted) Memory() int64 { return s.Bytes }

// Version implements [model.Backend].
func (s *Scripted) Version(ctx context.Context) (string, error) { return "0", ctx.Err() }

// Models implements [model.Backend].
func (s *Scripted) Models(ctx context.Context) ([]model.Info, error) {
	list := slices.Clone(s.Installed)
	if list == nil {
		list = []model.Info{{Name: "scripted", Capabilities: []string{"completion", "tools"}, ContextLimit: 8192}}
	}
	if size := s.loadedWith(); size > 0 {
		for i := range list {
			list[i].LoadedContext, list[i].LoadedBytes = size, list[i].Bytes+int64(size)*list[i].TokenBytes
			list[i].VRAMBytes = min(s.VRAM, list[i].LoadedBytes)
		}
	}
	if s.Window > 0 && len(s.Requests()) > 0 {
		for i := range list {
			list[i].LoadedContext = s.Window
		}
	}
	return list, ctx.Err()
}

// loadedWith is the context of the last preload; 0: there was none.
func (s *Scripted) loadedWith() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loaded
}

// Describe implements [model.Backend].
func (s *Scripted) Describe(ctx context.Context, name string) (model.Info, error) {
	models, err := s.Models(ctx)
	if err != nil {
		return model.Info{}, err
	}
	for _, m := range models {
		if m.Name == name {
			return m, nil
		}
	}
	return model.Info{}, &model.Error{
		Kind: model.NotInstalled, Sentence: fmt.Sprintf("The model %q is not installed.", name),
	}
}

// Preload implements [model.Backend].
func (s *Scripted) Preload(ctx context.Context, name string, contextSize int, _ time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loads, s.loaded = append(s.loads, fmt.Sprintf("%s %d", name, contextSize)), contextSize
	return ctx.Err()
}

// Unload implements [model.Backend].
func (s *Scripted) Unload(ctx context.Context, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loads, s.loaded = append(s.loads, "unload "+name), 0
	return ctx.Err()
}

// Chat implements [model.Backend]. A chat that no reply is left for is refused.
func (s *Scripted) Chat(ctx context.Context, req model.Request, each func(model.Chunk) error) error {
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	if n >= len(s.Replies) && s.Then == nil {
		return &model.Error{
			Kind: model.Refused, Sentence: fmt.Sprintf("The script has only %d replies.", len(s.Replies)),
		}
	}
	count, err := s.count(req)
	if err != nil {
		return err
	}
	var reply Reply
	if n < len(s.Replies) {
		reply = s.Replies[n]
	} else {
		reply = s.Then(req)
	}
	chunks := reply.Chunks
	if reply.Err == nil && !reply.Hang && (len(chunks) == 0 || chunks[len(chunks)-1].Done == nil) {
		done := &model.Done{Reason: "stop", PromptTokens: count, OutputTokens: len(chunks)}
		chunks = append(slices.Clone(chunks), model.Chunk{Done: done})
	}
	for _, c := range chunks {
		if !pause(ctx, reply.Pause) {
			return ctx.Err()
		}
		if err := each(c); err != nil {
			return err
		}
	}
	if reply.Hang {
		<-ctx.Done()
		return ctx.Err()
	}
	return reply.Err
}
