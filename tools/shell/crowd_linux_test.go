package shell_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/shell"
)

// TestACommandThatCrowdsTheMachine: a command with too many processes is killed with all of them, one with many is not.
// Promise 4.
func TestACommandThatCrowdsTheMachine(t *testing.T) {
	const many = "i=0; while [ $i -lt %d ]; do sleep 300 & i=$((i+1)); done; echo all run; kill $(jobs -p)"
	for _, tt := range []struct {
		name, line string
		crowded    bool
	}{
		{"one that starts itself twice", "sh itself.sh", true},
		{"many in the background", fmt.Sprintf(many, shell.MaxProcesses/4), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "itself.sh"), []byte("sh itself.sh &\nsh itself.sh &\nwait\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			o := run(t, tt.line, within(5*time.Minute), func(c *shell.Command) { c.Dir = dir })
			if o.Crowded != tt.crowded || o.Alive != 0 || o.TimedOut || (o.Status == -1) != tt.crowded {
				t.Errorf("%+v", o)
			}
		})
	}
}

var fewStops = regexp.MustCompile(`stopped [0-3] times\n$`)

// TestOthersDoNotStopACommand: it is stopped once to be counted, not again and again, while others crowd the machine.
func TestOthersDoNotStopACommand(t *testing.T) {
	dir := t.TempDir()
	over := make(chan struct{})
	var crowd, ended sync.WaitGroup
	crowded := sync.OnceFunc(func() {
		for range shell.MaxProcesses + 50 {
			crowd.Add(1)
			ended.Go(func() {
				runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
				crowd.Done()
				<-over
			})
		}
		crowd.Wait()
		if err := os.WriteFile(filepath.Join(dir, "crowded"), nil, 0o600); err != nil {
			t.Error(err)
		}
	})
	const line = `n=0; trap 'n=$((n+1))' CONT; echo ready; until [ -e crowded ]; do sleep 0.01; done; for i in {1..60}; do sleep 0.05; done; echo stopped $n times`
	o := run(t, line, within(5*time.Minute), func(c *shell.Command) {
		c.Dir, c.Live = dir, func(string) { crowded() }
	})
	close(over)
	ended.Wait()
	// Others may begin more threads meanwhile, and then it is counted again. Without the rule it is stopped at each look.
	if out := o.Output.Head; !fewStops.MatchString(out) {
		t.Errorf("%q, %+v", out, o)
	}
}
