package ollama_test

import (
	"testing"

	"github.com/assent-ls/assent/agent/agenttest"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/model/ollama"
)

// BenchmarkChat streams 1000 one-token pieces over TCP as fast as they go.
func BenchmarkChat(b *testing.B) {
	_, base := agenttest.Start(b, "turn repeat\nrate 1000000000 count 1000")
	backend := ollama.New(base, agenttest.Way())
	for b.Loop() {
		err := backend.Chat(b.Context(), model.Request{Model: coder}, func(model.Chunk) error { return nil })
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
}

// BenchmarkVersion is the cost of a connection.
func BenchmarkVersion(b *testing.B) {
	_, base := agenttest.Start(b, "")
	backend := ollama.New(base, agenttest.Way())
	for b.Loop() {
		if _, err := backend.Version(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
