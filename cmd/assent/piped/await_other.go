//go:build !unix && !windows

package piped

import (
	"context"
	"os"
	"time"
)

// await cannot wait here without reading.
func await(ctx context.Context, _ *os.File, _ time.Duration) (ready bool, err error) {
	return true, ctx.Err()
}
