package lsp

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestDiagnosticsFollowInThePauses drives the clock: what is published when.
func TestDiagnosticsFollowInThePauses(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	type event struct {
		after time.Duration
		typed bool // else marked
	}
	typing := slices.Repeat([]event{{20 * ms, true}}, 30) // until 600 ms
	for name, test := range map[string]struct {
		events []event
		want   []time.Duration
	}{
		"a mark":                {[]event{{10 * ms, false}}, []time.Duration{10 * ms}},
		"one letter":            {[]event{{10 * ms, true}}, []time.Duration{60 * ms}},
		"three letters":         {[]event{{10 * ms, true}, {40 * ms, true}, {40 * ms, true}}, []time.Duration{140 * ms}},
		"two words":             {[]event{{10 * ms, true}, {60 * ms, true}}, []time.Duration{60 * ms, 120 * ms}},
		"no pause":              {typing, []time.Duration{270 * ms, 530 * ms, 650 * ms}},
		"a mark while typing":   {[]event{{10 * ms, true}, {10 * ms, false}}, []time.Duration{20 * ms}},
		"typing after a mark":   {[]event{{10 * ms, false}, {10 * ms, true}}, []time.Duration{10 * ms, 70 * ms}},
		"letters after a pause": {[]event{{10 * ms, true}, {time.Second, true}}, []time.Duration{60 * ms, 1060 * ms}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var got []time.Duration
				d := newDiagnostics(func(string) { got = append(got, time.Since(began)) })
				ctx, cancel := context.WithCancel(t.Context())
				go d.run(ctx)
				for _, e := range test.events {
					<-time.After(e.after)
					if e.typed {
						d.typed("file:///a.chat.md")
					} else {
						d.mark("file:///a.chat.md")
					}
					synctest.Wait()
				}
				<-time.After(time.Second)
				cancel()
				synctest.Wait()
				if !slices.Equal(got, test.want) {
					t.Errorf("published after %v, want %v", got, test.want)
				}
			})
		})
	}
}
