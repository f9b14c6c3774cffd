package model

import (
	"context"
	"time"
)

// CanInsert is the capability of models that write what is between two texts.
const CanInsert = "insert"

// Inserter is a Backend whose models may have [CanInsert].
type Inserter interface {
	// Insert returns what a model writes between two texts. Cancelling ctx ends the writing at once.
	Insert(ctx context.Context, req Insertion) (string, error)
}

// Insertion is a request for what is between two texts.
type Insertion struct {
	Model         string
	Before, After string
	ContextSize   int
	MaxTokens     int
	KeepAlive     time.Duration
}
