package wire

import (
	"encoding/json"
	"fmt"
	"sync"

	"go.lsp.dev/protocol"
)

// Progress shows what something under way does, where the client can show it; else its methods do nothing. They never
// block and may be called concurrently.
type Progress struct {
	client *Client
	token  any // as sent
	key    string
	title  string
	cancel func()

	mu    sync.Mutex // guards the fields below
	begun bool
	ended bool
	first workDone  // what to begin with, until begun
	next  *workDone // the newest report since, until begun
}

// workDone is the value of $/progress, of all three kinds.
type workDone struct {
	Kind        string `json:"kind"`
	Title       string `json:"title,omitempty"`
	Cancellable bool   `json:"cancellable,omitempty"`
	Message     string `json:"message,omitempty"`
	Percentage  *int   `json:"percentage,omitempty"`
}

// StartProgress shows a new progress and returns at once. If cancel is not nil the user may cancel: it is then called,
// once, and must return at once. End it always.
func (c *Client) StartProgress(title string, cancel func()) *Progress {
	return c.startProgress(title, cancel, workDone{})
}

func (c *Client) startProgress(title string, cancel func(), first workDone) *Progress {
	c.mu.Lock()
	c.tokens++
	token := fmt.Sprintf("assent-%d", c.tokens)
	c.mu.Unlock()
	p := c.newProgress(token, title, cancel, first)
	if !c.Capabilities().Window.WorkDoneProgress || c.base.Err() != nil {
		p.End("")
		return p
	}
	if !c.tasks.Go(func() {
		params := map[string]string{"token": token}
		if err := c.Call(c.base, "window/workDoneProgress/create", params, nil); err != nil {
			c.log.Debug("no progress is shown", "error", err)
			p.End("")
			return
		}
		p.begin()
	}) {
		p.End("") // the connection ends
	}
	return p
}

// StartPercent is StartProgress for what can say how far it is: editors show a percentage only if the first message has
// one. It uses the token that came with a request; nil: a new one.
func (c *Client) StartPercent(token *protocol.ProgressToken, title, message string, cancel func()) *Progress {
	first := workDone{Message: message, Percentage: new(int)}
	if token == nil {
		return c.startProgress(title, cancel, first)
	}
	p := c.newProgress(token, title, cancel, first)
	p.begin()
	return p
}

func (c *Client) newProgress(token any, title string, cancel func(), first workDone) *Progress {
	key, _ := json.Marshal(token) // a token always marshals
	p := &Progress{client: c, token: token, key: string(key), title: title, cancel: cancel, first: first}
	c.mu.Lock()
	c.progress[p.key] = p
	c.mu.Unlock()
	return p
}

// Report replaces the message; percentage may be nil, or goes from 0 to 100.
func (p *Progress) Report(message string, percentage *int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	value := workDone{Kind: "report", Message: message, Percentage: percentage}
	switch {
	case p.ended:
	case !p.begun && p.first.Message == "":
		p.first = value
	case !p.begun:
		p.next = &value
	default:
		p.send("report "+p.key, value)
	}
}

// End takes the progress away, with a last message, and makes all methods do nothing. Only the first End counts.
func (p *Progress) End(message string) {
	p.client.mu.Lock()
	delete(p.client.progress, p.key)
	p.client.mu.Unlock()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begun && !p.ended {
		p.send("", workDone{Kind: "end", Message: message})
	}
	p.ended = true
}

// begin shows it, unless it ended meanwhile.
func (p *Progress) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.begun = true
	value := p.first
	value.Kind, value.Title, value.Cancellable = "begin", p.title, p.cancel != nil
	p.send("", value)
	if p.next != nil {
		p.send("report "+p.key, *p.next)
	}
}

// send queues a value; mu is held, which keeps begin, reports and end in order.
func (p *Progress) send(key string, value workDone) {
	value.Message = inMessage(value.Message)
	params := map[string]any{"token": p.token, "value": value}
	if err := p.client.send(key, "$/progress", params); err != nil {
		p.client.log.Debug("no progress is shown", "error", err)
	}
}

// cancelProgress serves the user's cancel; it returns at once.
func (c *Client) cancelProgress(token json.RawMessage) {
	c.mu.Lock()
	p := c.progress[string(token)]
	if p != nil && p.cancel != nil {
		delete(c.progress, p.key)
	}
	c.mu.Unlock()
	if p != nil && p.cancel != nil {
		p.cancel()
	}
}
