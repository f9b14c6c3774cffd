package agenttest

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// player sends one turn to one client.
type player struct {
	w      http.ResponseWriter
	ctx    context.Context //nolint:containedctx // it is the request's, and the player lives as long
	model  string
	host   string // where the model runs, if elsewhere
	turn   turn
	number int
	body   *chatBody
	hold   func(context.Context) bool

	split, chunk int // runes per piece, bytes per write
	pieces       int
	calls        int
	bare         bool // the last line has no newline
}

// play sends the turn, and reports whether the client stayed connected until its end.
func (p *player) play() bool {
	started := time.Now()
	for _, s := range p.turn.steps {
		if !p.step(s) {
			return p.ctx.Err() == nil
		}
	}
	t := p.turn
	if t.promptTokens < 0 {
		t.promptTokens = p.body.tokens()
	}
	if t.outputTokens < 0 {
		t.outputTokens = p.pieces
	}
	p.line(chatLine{Done: true, DoneReason: t.reason, metrics: &metrics{
		TotalDuration: time.Since(started), LoadDuration: t.loadTime,
		PromptEvalCount: t.promptTokens, PromptEvalCached: t.cachedTokens,
		PromptEvalDuration: t.promptTime, EvalCount: t.outputTokens, EvalDuration: max(t.replyTime, 1),
	}})
	return true
}

// step does one step; false ends the turn without the last line.
func (p *player) step(s step) bool {
	switch s.word {
	case "say":
		p.text(s.text, p.split)
	case "json":
		p.text(s.text, 4)
	case "fill":
		p.text(strings.Repeat("x", s.n), 0)
	case "think":
		p.pieces++
		p.line(chatLine{Message: chatMessage{Thinking: s.text}})
	case "call":
		p.line(chatLine{Message: chatMessage{ToolCalls: []toolCall{{
			ID:       fmt.Sprintf("call_%d_%d", p.number, p.calls),
			Function: toolFunction{Index: p.calls, Name: s.name, Arguments: json.RawMessage(s.text)},
		}}}})
		p.calls++
	case "pause", "slow-load":
		return pause(p.ctx, s.delay)
	case "hold":
		p.flush() // what was said must have arrived
		return p.hold(p.ctx)
	case "split":
		p.split = s.n
	case "write":
		p.chunk = s.n
	case "rate":
		return p.rate(s)
	case "raw":
		p.bytes([]byte(s.text + "\n"))
	case "status":
		fail(p.w, s.n, s.text)
		return false
	case "error-line":
		line, _ := json.Marshal(map[string]string{"error": s.text}) // strings always marshal
		p.bytes(append(line, '\n'))
		return false
	case "cut":
		p.cut()
		return false
	case "end-without-done":
		return false
	case "no-newline":
		p.bare = true
	case "hang":
		p.flush() // what was said must have arrived
		<-p.ctx.Done()
		return false
	}
	return p.ctx.Err() == nil
}

// rate sends n one-token pieces at a fixed pace; after a late piece the next ones do not wait.
func (p *player) rate(s step) bool {
	started := time.Now()
	for i := range s.n {
		due := started.Add(time.Duration(i) * time.Second / time.Duration(s.rate))
		if !pause(p.ctx, time.Until(due)) {
			return false
		}
		p.text(fmt.Sprintf("t%d ", i), 0)
	}
	return true
}

func (p *player) text(text string, split int) {
	if split <= 0 {
		p.pieces++
		p.line(chatLine{Message: chatMessage{Content: text}})
		return
	}
	runes := []rune(text)
	for len(runes) > 0 && p.ctx.Err() == nil {
		n := min(split, len(runes))
		p.pieces++
		p.line(chatLine{Message: chatMessage{Content: string(runes[:n])}})
		runes = runes[n:]
	}
}

func (p *player) line(l chatLine) {
	l.RemoteHost = p.host
	l.Model, l.CreatedAt, l.Message.Role = p.model, time.Now().UTC(), "assistant"
	line, err := json.Marshal(l)
	if err != nil {
		panic(err) // only a script that ParseScript accepted gets here
	}
	if !p.bare || !l.Done {
		line = append(line, '\n')
	}
	p.bytes(line)
}

// bytes writes in pieces as the script says. The next step notices a client that disconnected.
func (p *player) bytes(b []byte) {
	p.w.Header().Set("Content-Type", "application/x-ndjson")
	for len(b) > 0 {
		n := len(b)
		if p.chunk > 0 {
			n = min(n, p.chunk)
		}
		if _, err := p.w.Write(b[:n]); err != nil {
			return
		}
		p.flush()
		b = b[n:]
	}
}

func (p *player) flush() {
	if f, ok := p.w.(http.Flusher); ok {
		f.Flush()
	}
}

// cut resets the connection; where there is nothing to reset (in memory), it breaks off.
func (p *player) cut() {
	hijacker, ok := p.w.(http.Hijacker)
	if !ok {
		panic(http.ErrAbortHandler)
	}
	conn, _, err := hijacker.Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // makes Close send a reset
	}
	_ = conn.Close()
}
