package formats

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// repeats is a reply that says the same again and again: what a model writes that goes round in circles, or is made to.
type repeats struct{ before, piece, after string }

// text is the reply, about n bytes long.
func (r repeats) text(n int) string {
	return r.before + strings.Repeat(r.piece, n/len(r.piece)) + r.after
}

func (r repeats) String() string {
	return fmt.Sprintf("%q, %q again and again, %q", r.before, r.piece, r.after)
}

// hostilePieces are what replies are made of: a format's own marks, what other formats and Markdown write, and the
// characters that give JSON and tags their structure.
func hostilePieces(f toolcall.Format) []string {
	return append(markers(f), `"`, "'", "{", "}", "[", "]", ",", "\n", `\`, "<", ">", " ", "a", ":", "=", "(", ")", "`", "```", "```json\n", "\"text\":", "\"name\":", `{"name":"ping"}`, `{"name":"ping","arguments":{"host":"a"}},`,
		"<parameter=text>", "\n<parameter=text>", "</parameter>", "<function=ping>", "Action:", ">>>", "&lt;", "0", "-", `\n`, `\u`, "é", "\xff", "is ", "example ", "<think>")
}

// hostileReplies gives n replies: a beginning of a call, one or two pieces again and again, and a piece at the end.
// They are chosen at random, but always the same.
func hostileReplies(f toolcall.Format, n int) []repeats {
	r := rand.New(rand.NewPCG(uint64(len(f.Name())), 21))
	pieces := hostilePieces(f)
	call := written(f, toolcall.Turn{Calls: []toolcall.Call{call("write_note", `{"title":"a","meta":{"b":[1]},"text":"c"}`)}})
	places := tokenPattern.FindAllStringIndex(call, -1)
	any := func() string { return pieces[r.IntN(len(pieces))] }
	var all []repeats
	for range n {
		var one repeats
		if r.IntN(3) > 0 {
			one.before = call[:places[r.IntN(len(places))][r.IntN(2)]]
		}
		if one.piece = any(); r.IntN(2) > 0 {
			one.piece += any()
		}
		if r.IntN(3) > 0 {
			one.after = any()
		}
		all = append(all, one)
	}
	return all
}

// knownReplies took time or memory that grew with the square of their length, or too much of it.
func knownReplies(f toolcall.Format) []repeats {
	open := "<tool_call>"
	if g := grammarOf(f); len(g.Blocks) > 0 {
		open = g.Blocks[0].Open[0]
	}
	return []repeats{
		{"", open, "x"},
		{"", open + "\n", "x"},
		{open, ",", "x"},
		{"<tool_call>\n<function=write_note>\n", "<parameter=text>", ""},
		{"", "<parameter=text>\n", ""},
		{"", "<think>" + open, ""},
		{"a", "\n</s>", ""},
		{open, `{"name":"ping"} `, ""},
		{open, "[", ""},
		{"", "is " + open, ""},
		{open + "ping", "<parameter=a>x</parameter>y", ""},
	}
}

// cost is what decoding took.
type cost struct{ scanned, allocated int }

// measured decodes a reply in pieces. No other test may run meanwhile.
func measured(f toolcall.Format, reply string, step int) cost {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d := f.Decoder(testTools())
	for rest := reply; rest != ""; rest = rest[min(step, len(rest)):] {
		d.Push(model.Chunk{Text: rest[:min(step, len(rest))]})
	}
	d.End(true)
	runtime.ReadMemStats(&after)
	return cost{d.(interface{ Scanned() int }).Scanned(), int(after.TotalAlloc - before.TotalAlloc)}
}

// TestHostileRepliesAreLinear has four times as much of what makes a decoder read again: it scans and allocates not
// much more than four times as many bytes, whole or in pieces. The replies are a sample (see sampleOf);
// BenchmarkWorst has many more of them, and the times.
// Promise 10. Invariant 23.
func TestHostileRepliesAreLinear(t *testing.T) {
	const small, factor = 16 << 10, 4.4
	for _, name := range everyName() {
		f, err := byEveryName(name)
		if err != nil {
			t.Fatal(err)
		}
		all := append(knownReplies(f), hostileReplies(f, 3)...)
		for _, i := range sampleOf(name, len(all)) {
			r, step := all[i], []int{small * 8, 4}[i%2]
			one, four := measured(f, r.text(small), step), measured(f, r.text(4*small), step)
			if float64(four.scanned) > factor*float64(one.scanned)+1000 || float64(four.allocated) > factor*float64(one.allocated)+pooled {
				t.Errorf("%s: %v: scanned %d, then %d; allocated %d, then %d", name, r, one.scanned, four.scanned, one.allocated, four.allocated)
			}
		}
	}
}

// BenchmarkWorst reports, for each format, the longest time and the most memory beside the reply that a megabyte of
// anything took.
func BenchmarkWorst(b *testing.B) {
	for _, name := range everyName() {
		f, err := byEveryName(name)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			var slowest, largest float64
			for range b.N {
				for _, r := range append(knownReplies(f), hostileReplies(f, 20)...) {
					took, peak := worst(f, r.text(1<<20))
					slowest, largest = max(slowest, took), max(largest, peak)
				}
			}
			b.ReportMetric(slowest, "ms/MB")
			b.ReportMetric(largest, "peak-MB")
		})
	}
}

// worst gives the time in ms, and the peak of the heap in MB above what it was.
func worst(f toolcall.Format, reply string) (took, peak float64) {
	runtime.GC()
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	base := heap[0].Value.Uint64()
	most, done := base, make(chan struct{})
	var watched sync.WaitGroup
	watched.Go(func() {
		for tick := time.NewTicker(time.Millisecond); ; {
			metrics.Read(heap)
			most = max(most, heap[0].Value.Uint64())
			select {
			case <-tick.C:
			case <-done:
				tick.Stop()
				return
			}
		}
	})
	start := time.Now()
	d := f.Decoder(testTools())
	events := append(d.Push(model.Chunk{Text: reply}), d.End(true)...)
	took = float64(time.Since(start).Microseconds()) / 1000
	close(done)
	watched.Wait()
	runtime.KeepAlive(events)
	return took, float64(most-base) / (1 << 20)
}
