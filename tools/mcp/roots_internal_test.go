package mcp

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A server that was just told its roots gets a moment before its first call, and later calls wait for nothing.
func TestAServerTakesInItsRoots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r roots
		pings := 0
		settle := func() time.Duration {
			begun := time.Now()
			r.settle(t.Context(), func(context.Context) error { pings++; return nil })
			return time.Since(begun)
		}
		if took := settle(); took != 0 || pings != 0 {
			t.Errorf("a server that did not ask is waited for: %v, %d pings", took, pings)
		}
		serve := r.watch(func(context.Context, string, sdk.Request) (sdk.Result, error) { return &sdk.ListRootsResult{}, nil })
		for _, method := range []string{"ping", "roots/list"} {
			if _, err := serve(t.Context(), method, nil); err != nil {
				t.Fatal(err)
			}
			if took, asked := settle(), method == "roots/list"; (took == rootsRest) != asked || (pings == 1) != asked {
				t.Errorf("after %s: %v, %d pings", method, took, pings)
			}
		}
		if took := settle(); took != 0 || pings != 1 {
			t.Errorf("a later call waits: %v, %d pings", took, pings)
		}
	})
}
