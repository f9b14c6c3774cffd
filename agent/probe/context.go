package probe

import (
	"context"
	"fmt"
	"time"
)

// Context says how much a model can keep in mind on this machine. Zero: unknown.
type Context struct {
	Limit         int   // tokens that the model was trained for
	BytesPerToken int64 // memory that one more token of context takes
	Fits          int   // tokens that fit into the memory, at most Limit
}

// smallContext is what the memory is compared with.
const smallContext = 2048

// context loads the model with two context sizes and compares the memory: the rest is arithmetic, so that nothing has to
// be loaded that may not fit. It leaves the model loaded as it was asked for.
func (p *prober) context(ctx context.Context) error {
	p.next("largest context")
	c := Context{Limit: p.info.ContextLimit}
	defer func() { p.report.Context = c }()
	large, ok := p.loaded(ctx, p.o.ContextSize)
	small, okToo := 0, false
	var smallBytes, largeBytes int64
	if ok {
		largeBytes = large
		smallBytes, okToo = p.loaded(ctx, smallContext)
		small = smallContext
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if ok {
		if err := p.backend.Preload(ctx, p.info.Name, p.o.ContextSize, 5*time.Minute); err != nil {
			return err
		}
	}
	if !ok || !okToo || largeBytes <= smallBytes || p.o.ContextSize <= small {
		p.found(Finding{Probe: "largest context", Passed: true, Note: fmt.Sprintf("the server does not tell; the model was trained for %d tokens", c.Limit)})
		return nil
	}
	c.BytesPerToken = (largeBytes - smallBytes) / int64(p.o.ContextSize-small)
	note := fmt.Sprintf("trained for %d tokens; each takes %.0f KiB", c.Limit, float64(c.BytesPerToken)/1024)
	if p.o.Memory > 0 && c.BytesPerToken > 0 {
		room := p.o.Memory - (largeBytes - c.BytesPerToken*int64(p.o.ContextSize))
		c.Fits = int(max(0, room/c.BytesPerToken))
		if c.Limit > 0 {
			c.Fits = min(c.Fits, c.Limit)
		}
		note += fmt.Sprintf("; %d fit into the memory", c.Fits)
	}
	p.found(Finding{Probe: "largest context", Passed: true, Note: note})
	return nil
}

// loaded loads the model with a context size and says how much memory it takes then.
func (p *prober) loaded(ctx context.Context, size int) (int64, bool) {
	if err := p.backend.Preload(ctx, p.info.Name, size, 5*time.Minute); err != nil {
		return 0, false
	}
	info, err := p.backend.Describe(ctx, p.info.Name)
	return info.LoadedBytes, err == nil && info.LoadedContext == size && info.LoadedBytes > 0
}
