package model

import "context"

// Counter is a Backend that can count the tokens of a request exactly, without having it answered. What it counted goes
// to [Meter.Told].
type Counter interface {
	// Count is how many tokens the prompt of a request takes; 0: the server cannot count for this model.
	Count(ctx context.Context, req Request) (int, error)
}
