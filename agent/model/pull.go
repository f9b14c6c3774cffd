package model

import (
	"context"
	"fmt"
)

// Puller is a Backend whose server can fetch models that it does not have.
type Puller interface {
	// Source says what a Pull of a model would do. It asks nobody.
	Source(name string) Source
	// Pull has the server fetch a model, and calls each, from one goroutine, whenever something changed. It returns
	// when the model is installed; cancelling ctx ends the fetching, and the server keeps what it has so far.
	Pull(ctx context.Context, name string, each func(Pulled)) error
}

// Source says where a model would be fetched from, and by whom. The zero value: nothing can be fetched by its name.
type Source struct {
	Name   string // what Pull is to be called with, so that this server is asked and no other one
	Host   string // the model is fetched from
	Server string // what people call the server that fetches and keeps it, and where that is
}

// Pulled says how far the fetching of a model is.
type Pulled struct {
	Status      string // what the server does now, in its words
	Done, Total int64  // bytes; Total grows while the server learns of parts, and is 0 until it knows of one
}

// Percent is how far it is, from 0 to 100.
func (p Pulled) Percent() int {
	if p.Total <= 0 {
		return 0
	}
	return int(min(max(p.Done, 0), p.Total) * 100 / p.Total)
}

// String says how far it is.
func (p Pulled) String() string {
	if p.Total <= 0 {
		return p.Status
	}
	said := fmt.Sprintf("%d %% of %s", p.Percent(), size(p.Total))
	if p.Done >= p.Total && p.Status != "" {
		said += ", " + p.Status
	}
	return said
}

// size is a number of bytes as people say it.
func size(bytes int64) string {
	if bytes < 1<<30 {
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	}
	return gibibytes(bytes)
}
