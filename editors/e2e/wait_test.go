//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// silence is how long nothing may happen before a test gives up. Nothing here limits how long something takes: beside
// other work an editor is many times slower, and still does all that it is asked for.
const silence = time.Minute

// quiet measures silence. The zero value begins with the first sign.
type quiet struct {
	sign  string
	since time.Time
}

// tooLong takes what can be seen now, and reports whether that has not changed for the limit.
func (q *quiet) tooLong(sign string, limit time.Duration) bool {
	if q.since.IsZero() || sign != q.sign {
		q.sign, q.since = sign, time.Now()
	}
	return time.Since(q.since) > limit
}

// An hour in which something new is seen every 50 seconds is no silence; a minute without anything new is.
func TestOnlySilenceEndsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q quiet
		for i := range 72 {
			if q.tooLong(fmt.Sprint(i), silence) {
				t.Fatalf("given up after %d new signs", i)
			}
			<-time.After(50 * time.Second)
		}
		if q.tooLong("72", silence) {
			t.Error("given up with a new sign")
		}
		<-time.After(silence + 1)
		if !q.tooLong("72", silence) {
			t.Error("not given up after a minute of silence")
		}
	})
}

// errGone says that the editor is gone or answers no more: there is nothing to wait for.
var errGone = errors.New("the editor is gone")

// eventually waits until check has no complaint. A complaint tells what can be seen; one that does not change any more
// fails the test. What check does is repeated, so that it may ask, and do what is done once it worked.
func eventually(t testing.TB, what string, check func() error) {
	t.Helper()
	var q quiet
	for {
		started := time.Now()
		err := check()
		if err == nil {
			return
		}
		switch {
		case errors.Is(err, errGone):
			t.Fatalf("%s: %v", what, err)
		case q.tooLong(err.Error(), silence):
			t.Fatalf("%s: nothing new for %v: %v", what, silence, err)
		}
		<-time.After(max(15*time.Millisecond, time.Since(started))) // asking takes half of the time at most
	}
}

// contains is a check for eventually.
func contains(text, part string) error {
	if strings.Contains(text, part) {
		return nil
	}
	return fmt.Errorf("%q is not in:\n%s", part, text)
}
