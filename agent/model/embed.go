package model

import (
	"context"
	"time"
)

// CanEmbed is the capability of models that say as numbers what a text means.
const CanEmbed = "embedding"

// Embedder is a Backend whose models may have [CanEmbed].
type Embedder interface {
	// Embed returns the vectors of texts, as the server gave them: nothing of them is checked. A text that is longer
	// than the context is cut.
	Embed(ctx context.Context, req Embedding) ([][]float32, error)
}

// Embedding is a request for the vectors of texts.
type Embedding struct {
	Model       string
	Texts       []string
	ContextSize int
	KeepAlive   time.Duration
	MainMemory  bool // a model that has to be loaded is loaded there, and not into the memory of a GPU
}
