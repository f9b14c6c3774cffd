package mcp

import (
	"context"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	rootsRest  = 250 * time.Millisecond // what a server gets to take in the roots that it asked for
	rootsLimit = 2 * time.Second        // to answer a ping after that
)

// roots knows when a server was told which folder is the workspace. Servers that ask for their roots read them after
// the answer, and refuse paths of the workspace until then; nothing in the protocol says when they are done.
type roots struct {
	told atomic.Int64 // in nanoseconds since 1970; 0: it never asked
}

// watch is middleware for what a server asks.
func (r *roots) watch(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		result, err := next(ctx, method, request)
		if method == "roots/list" && err == nil {
			r.told.Store(time.Now().UnixNano())
		}
		return result, err
	}
}

// settle waits, before a call, until a server that was told its roots a moment ago had time to use them and answers
// again.
func (r *roots) settle(ctx context.Context, ping func(context.Context) error) {
	told := r.told.Load()
	if told == 0 {
		return
	}
	rest := time.Until(time.Unix(0, told).Add(rootsRest))
	if rest <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, rest+rootsLimit)
	defer cancel()
	select {
	case <-time.After(rest):
		_ = ping(ctx) // the call says what is wrong with the server
	case <-ctx.Done():
	}
}
