package background

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools"
)

// courier takes what the process of a command shows and asks, which may come when no call is there that could show it.
type courier struct{ c *command }

// Output implements tools.Reporter.
func (r courier) Output(text string) {
	r.c.change(func() {
		r.c.all.add(text)
		r.c.fresh.add(text)
	})
}

// Progress implements tools.Reporter: commands report none.
func (courier) Progress(float64, float64, string) {}

// Halting implements tools.Halter.
func (r courier) Halting(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	r.c.mu.Lock()
	defer r.c.mu.Unlock()
	r.c.halt = cancel
	if r.c.ending {
		cancel()
	}
	return ctx, func() {
		cancel()
		r.c.change(func() { r.c.state = Settles })
	}
}

// question is what the process of a command asks a person.
type question struct {
	what  tools.Inquiry
	reply chan<- answer // takes one
}

type answer struct {
	reply tools.Reply
	err   error
}

// Ask implements tools.Asker: it waits for a call that attends, whose person answers.
func (r courier) Ask(ctx context.Context, what tools.Inquiry) (tools.Reply, error) {
	reply := make(chan answer, 1)
	r.c.change(func() { r.c.state = Settles })
	select {
	case r.c.asked <- question{what, reply}:
	case <-ctx.Done():
		return tools.Reply{}, ctx.Err()
	}
	select {
	case a := <-reply:
		return a.reply, a.err
	case <-ctx.Done():
		return tools.Reply{}, ctx.Err()
	}
}

// attend puts what the command asks to the person of a call until enough says so, or for a while, but never gives up in
// the middle of what is asked about a command that has ended. It returns what the model reads then.
func (e *entry) attend(
	ctx context.Context, report tools.Reporter, patience time.Duration, enough func(*command) bool,
) tools.Result {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	late := false
	for {
		e.mu.Lock()
		news, over := e.news, e.state == Ended || e.state == Runs && (late || !e.due && enough(e.command))
		e.mu.Unlock()
		if over {
			return e.read()
		}
		select {
		case <-news:
		case q := <-e.asked:
			a := answer{err: tools.ErrNobody}
			if asker, ok := report.(tools.Asker); ok {
				a.reply, a.err = asker.Ask(ctx, q.what)
			}
			q.reply <- a
		case <-timer.C:
			late = true
		case <-ctx.Done():
			return e.read()
		}
	}
}

// never is enough for those who wait for the end.
func never(*command) bool { return false }

// printed is enough for those who wait for output.
func printed(c *command) bool { return !c.fresh.empty() }

// read is what the model reads now; the same is not read twice.
func (e *entry) read() tools.Result {
	e.mu.Lock()
	defer e.mu.Unlock()
	var said []string
	if e.restarts > 0 {
		said = append(said, "["+restarted+"]")
	}
	out := strings.TrimRight(e.fresh.String(), "\n")
	if out == "" {
		out = "[No new output.]"
	}
	said = append(said, out)
	e.restarts = 0
	e.fresh.clear()
	var result tools.Result
	switch e.state {
	case Ended:
		result = e.result
		said = append(said, strings.TrimSpace(result.Text()))
		e.result.Changes, e.result.Undo = nil, nil // they are kept once
	case Settles:
		said = append(said, "[It has ended, and what it changed on its copy waits for an answer.]")
	case Runs:
		said = append(said, e.runs())
	}
	result.Parts = tools.Text(strings.Join(said, "\n")).Parts
	return result
}

// RunsAs begins what the model reads of a command that runs, before its ID.
const RunsAs = "[Runs in the background as "

// runs says that it runs, and where; mu is held.
func (e *entry) runs() string {
	where := "on a copy of the workspace, without network; after files change it is started again on a fresh copy"
	if e.outside {
		where = "outside the sandbox, on the files themselves"
	}
	return fmt.Sprintf(
		RunsAs+"%s for %v, %s.]", e.id, time.Since(e.started).Round(time.Second), where,
	)
}
