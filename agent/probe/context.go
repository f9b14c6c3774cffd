package probe

import (
	"context"
	"fmt"
	"time"
)

// Context says how many tokens a model can use on this machine. Zero: unknown.
type Context struct {
	Limit         int   // tokens that the model was trained for
	BytesPerToken int64 // memory that one more token of context takes
	Fits          int   // tokens that fit into the memory, at most Limit
}

const (
	smallContext = 2048             // what the memory is compared with
	reloadLimit  = 30 * time.Second // for loading the model once more
)

// context loads the model with two context sizes and compares the memory: the rest is arithmetic, so that nothing has
// to be loaded that may not fit. It leaves the model loaded as it was asked for. Nobody else asks it anything
// meanwhile: that would load it again.
func (p *prober) context(ctx context.Context, probe string) (Finding, error) {
	p.report.Context.Limit = p.info.ContextLimit
	switch {
	case p.isLate():
		return skipped(noTime), nil
	case p.report.Load > reloadLimit:
		return skipped("loading the model again takes too long"), nil
	}
	p.announce(probe)
	give, err := p.turn(ctx)
	if err != nil {
		return Finding{}, err
	}
	defer give()
	began := time.Now()
	note, err := p.measure(ctx)
	return Finding{Passed: true, Note: note, Took: time.Since(began)}, err
}

func (p *prober) measure(ctx context.Context) (note string, err error) {
	c := &p.report.Context
	large, ok := p.loaded(ctx, p.o.ContextSize)
	var small int64
	if ok && p.o.ContextSize > smallContext {
		small, ok = p.loaded(ctx, smallContext)
		back, cancel := context.WithTimeout(ctx, loadLimit)
		err := p.backend.Preload(back, p.info.Name, p.o.ContextSize, p.o.KeepAlive)
		cancel()
		if err != nil {
			return "", err
		}
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if !ok || small == 0 || large <= small {
		return fmt.Sprintf("the server does not tell; the model was trained for %d tokens", c.Limit), nil
	}
	c.BytesPerToken = (large - small) / int64(p.o.ContextSize-smallContext)
	note = fmt.Sprintf("trained for %d tokens; each takes %.0f KiB", c.Limit, float64(c.BytesPerToken)/1024)
	if p.o.Memory > 0 && c.BytesPerToken > 0 {
		room := p.o.Memory - (large - c.BytesPerToken*int64(p.o.ContextSize))
		c.Fits = int(max(0, room/c.BytesPerToken))
		if c.Limit > 0 {
			c.Fits = min(c.Fits, c.Limit)
		}
		note += fmt.Sprintf("; %d fit into the memory", c.Fits)
	}
	return note, nil
}

// loaded loads the model with a context size and says how much memory it takes then.
func (p *prober) loaded(ctx context.Context, size int) (int64, bool) {
	short, cancel := context.WithTimeout(ctx, reloadLimit)
	defer cancel()
	if err := p.backend.Preload(short, p.info.Name, size, p.o.KeepAlive); err != nil {
		return 0, false
	}
	info, err := p.backend.Describe(short, p.info.Name)
	return info.LoadedBytes, err == nil && info.LoadedContext == size && info.LoadedBytes > 0
}
