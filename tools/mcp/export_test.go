package mcp

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/mcp/lines"
	"github.com/assent-ls/assent/tools/mcp/tooldef"
)

// Hurry shortens the times of a source for tests. It is called before the source is used.
func (s *Source) Hurry(start, first, longest time.Duration) {
	s.times = times{start: start, write: 2 * time.Second, call: 2 * time.Minute, first: first, longest: longest}
}

// Kill ends the connection to a server as if it had died.
func (s *Source) Kill(name string) {
	s.mu.Lock()
	server := s.servers[name]
	s.mu.Unlock()
	server.mu.Lock()
	live := server.live
	server.mu.Unlock()
	live.close()
	<-live.ended
}

// Servers counts those that are there, running or not.
func (s *Source) Servers() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.servers)
}

// Dial checks addresses one after the other, as one server dials them.
func Dial(addresses ...string) error {
	var d dialer
	for _, a := range addresses {
		if err := d.check("tcp", a, nil); err != nil {
			return err
		}
	}
	return nil
}

// Messages is what is passed on of a server's output, read through a buffer of some size.
func Messages(output io.Reader, log io.Writer, size int) (string, error) {
	m := &lines.Messages{ReadCloser: io.NopCloser(output), Log: log, Rate: rate.NewLimiter(rate.Inf, lines.Burst)}
	var out []byte
	for p := make([]byte, size); ; {
		n, err := m.Read(p)
		if out = append(out, p[:n]...); err != nil {
			return string(out), err
		}
	}
}

// ConsentIn is what a person trusts with a server of a workspace.
func (d Declaration) ConsentIn(folder string) ([]byte, error) { return d.consent(folder) }

// Define reads the definition of a tool, and returns the schema of its arguments.
func Define(t *sdk.Tool) (string, error) {
	d, err := tooldef.Read(t)
	return string(d.Parameters.Schema), err
}

// Hide takes secrets out of a text.
func Hide(text string, secrets ...string) string { return (&resolver{secrets: secrets}).hide(text) }

// HurryCalls shortens the time of a call.
func (s *Source) HurryCalls(limit time.Duration) { s.times.call = limit }

// WriteToNobody writes to a server that is gone, and says why the connection failed if the SDK tells it in these words,
// with what the write said.
func WriteToNobody(words string) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer w.Close() //nolint:errcheck // nobody reads from it
	c := &connection{hide: func(s string) string { return s }, input: &input{File: w, limit: time.Second, stop: func() {}}}
	_ = r.Close()
	_, err = c.input.Write([]byte("{}"))
	return c.failed(fmt.Errorf(words, err))
}

// Asks is a call of the server notes that somebody else answers for. It puts questions of the server to them.
func Asks(ctx context.Context, report tools.Reporter, secrets ...string) func(*sdk.ElicitParams) (*sdk.ElicitResult, error) {
	ctx, clock, _ := newClock(ctx, time.Hour)
	c := &connection{name: "notes", log: &serverLog{}, hide: (&resolver{secrets: secrets}).hide}
	r := &runningCall{tool: "echo", ctx: ctx, clock: clock, report: report}
	return func(p *sdk.ElicitParams) (*sdk.ElicitResult, error) { return c.elicitFor(ctx, r, p) }
}

// OnDemand is a list that is asked for as those of servers are.
func OnDemand(list func(context.Context) ([]string, error)) func(context.Context) []string {
	var l onDemand[string]
	return func(ctx context.Context) []string { return l.get(ctx, list) }
}

// AwaitChange waits until a server said that its list of tools changed.
func (s *Source) AwaitChange(name string) {
	c := s.running(name)
	for !c.outdated.Load() {
		runtime.Gosched()
	}
}
