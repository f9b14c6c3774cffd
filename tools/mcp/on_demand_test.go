package mcp_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/tools/mcp"
)

// A server that does not answer holds up nobody beyond their own time, and is not asked again at once.
func TestASilentServerHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, silent := 0, true
		get := mcp.OnDemand(func(ctx context.Context) ([]string, error) {
			asked++
			if !silent {
				return []string{"one"}, nil
			}
			<-ctx.Done()
			return nil, errors.New("no answer")
		})
		within := func(limit time.Duration) ([]string, time.Duration) {
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			begun := time.Now()
			return get(ctx), time.Since(begun)
		}
		go within(10 * time.Second)
		synctest.Wait()
		if _, took := within(time.Second); took != time.Second {
			t.Errorf("a second one waits for %v", took)
		}
		time.Sleep(10 * time.Second)
		if _, took := within(time.Second); took != 0 || asked != 1 {
			t.Errorf("it is asked %d times, and takes %v", asked, took)
		}
		silent = false
		time.Sleep(time.Minute)
		if all, _ := within(time.Second); len(all) != 1 || asked != 2 {
			t.Errorf("%v, asked %d times", all, asked)
		}
	})
}
