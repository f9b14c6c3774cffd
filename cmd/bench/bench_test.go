package main

import (
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/documents"
)

// BenchmarkKeystroke is what a change in a document of 10 MB costs: the new text, finding what is new in it, and
// reading that.
func BenchmarkKeystroke(b *testing.B) {
	content := bigChat(bigSize)
	for _, place := range []struct {
		name string
		at   int
	}{{"end", len(content) - 4}, {"middle", len(content) / 2}, {"start", strings.Index(content, "Please")}} {
		text := documents.NewText(content)
		b.Run("text/"+place.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := text.Replace(documents.Span{Start: place.at, End: place.at}, "x"); err != nil {
					b.Fatal(err)
				}
			}
		})
		next, err := text.Replace(documents.Span{Start: place.at, End: place.at}, "x")
		if err != nil {
			b.Fatal(err)
		}
		parsed := transcript.Parse(content)
		b.Run("parse/"+place.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				then, now := next.Since(text)
				transcript.Update(parsed, next, transcript.Change{Start: now.Start, OldEnd: then.End, NewEnd: now.End})
			}
		})
	}
}
