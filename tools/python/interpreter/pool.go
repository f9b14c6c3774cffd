package interpreter

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// pool holds at most one helper that waits for a program.
type pool struct {
	mu       sync.Mutex
	idle     *helper
	expiry   *time.Timer
	starting bool
	closed   bool

	starts    sync.WaitGroup
	compiling sync.Mutex // the cache of compiled code is filled by one at a time
}

// preloaded are modules that programs import most; a waiting helper has them already.
var preloaded = []string{"json", "re", "collections", "math", "itertools", "functools", "datetime"}

// take returns the waiting helper, else a new one.
func (i *Interpreter) take(ctx context.Context) (*helper, error) {
	p := &i.pool
	p.mu.Lock()
	h := p.idle
	p.idle = nil
	if h != nil {
		p.expiry.Stop()
	}
	p.mu.Unlock()
	if h != nil {
		select {
		case <-h.done: // it was killed
			h.end()
		default:
			return h, nil
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return i.start()
}

// put lets a helper wait for a program.
func (i *Interpreter) put(h *helper) {
	p := &i.pool
	p.mu.Lock()
	kept := !p.closed && p.idle == nil
	if kept {
		h.waited = true
		p.idle = h
		p.expiry = time.AfterFunc(i.options.Idle, func() { i.expire(h) })
	}
	p.mu.Unlock()
	if !kept {
		h.end()
	}
}

func (i *Interpreter) expire(h *helper) {
	p := &i.pool
	p.mu.Lock()
	mine := p.idle == h
	if mine {
		p.idle = nil
	}
	p.mu.Unlock()
	if mine {
		h.end()
	}
}

// refill starts a helper for the next program, unless one waits already.
func (i *Interpreter) refill() {
	p := &i.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.starting || p.idle != nil {
		return
	}
	p.starting = true
	p.starts.Go(func() {
		h, err := i.start()
		if err == nil {
			err = h.pass(map[string][]string{"prepare": preloaded})
		}
		p.mu.Lock()
		p.starting = false
		p.mu.Unlock()
		switch {
		case err == nil:
			i.put(h)
		case h != nil:
			h.end()
		}
	})
}

func (p *pool) close() {
	p.mu.Lock()
	h := p.idle
	p.idle, p.closed = nil, true
	p.mu.Unlock()
	if h != nil {
		p.expiry.Stop()
		h.end()
	}
	p.starts.Wait()
}

// start starts a helper, after it has filled the cache of compiled code where that is empty. Code of another version lies
// beside that of this one; only what is broken is removed, since other processes use the cache at the same time.
func (i *Interpreter) start() (*helper, error) {
	o := order{Wasm: i.options.Files.wasm, Lib: i.options.Files.lib, Memory: maxMemory}
	o.Cache = filepath.Join(i.options.Cache, o.Wasm.SHA256[:16])
	var h *helper
	err := i.compile(o, false)
	if err == nil {
		h, err = launch(i.options.Helper, o)
	}
	if err != nil && strings.Contains(err.Error(), errCache.Error()) { // there is no code for this version
		if err = i.compile(o, true); err == nil {
			h, err = launch(i.options.Helper, o)
		}
	}
	if err != nil && strings.Contains(err.Error(), errCache.Error()) { // it is broken
		if err = os.RemoveAll(o.Cache); err == nil {
			err = i.compile(o, true)
		}
		if err == nil {
			h, err = launch(i.options.Helper, o)
		}
	}
	return h, err
}

// compile fills the cache of compiled code, in a helper of its own that runs no program. Unless again, it does so only
// where no code lies there at all.
func (i *Interpreter) compile(o order, again bool) error {
	i.pool.compiling.Lock()
	defer i.pool.compiling.Unlock()
	done := filepath.Join(o.Cache, "done-"+driverVersion())
	if _, err := os.Stat(done); err == nil && !again {
		return nil
	}
	if err := os.MkdirAll(o.Cache, 0o700); err != nil {
		return err
	}
	o.Compile = true
	h, err := launch(i.options.Helper, o)
	if err != nil {
		return err
	}
	h.end()
	return os.WriteFile(done, nil, 0o600)
}
