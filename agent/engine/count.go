package engine

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/assent-ls/assent/agent/model"
)

// countTime is how long a server may take to count a request: an estimate is there at once.
const countTime = 3 * time.Second

// Count has the server of a model count what a request takes, and tells the meter. off is what [model.Meter.Told] says;
// 0: the server does not count for this model, or not now, and then problem says why the estimate has to do, in words
// that fit behind "the request;".
func (e *Engine) Count(ctx context.Context, req model.Request) (off float64, problem string) {
	counter, ok := e.backend.(model.Counter)
	if !ok {
		return 0, ""
	}
	limited, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	count, err := counter.Count(limited, req)
	switch {
	case limited.Err() != nil:
		problem = fmt.Sprintf("there was no answer within %v", countTime)
	case err != nil:
		problem = strings.TrimSuffix(err.Error(), ".")
	case count > 0:
		return e.Meter.Told(req, count), ""
	default:
		return 0, ""
	}
	return 0, "its size is estimated, since the server did not count it: " + problem
}
