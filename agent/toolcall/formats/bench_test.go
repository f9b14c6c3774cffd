package formats

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/values"
)

// longReply is a call with one long string argument, as a format writes it.
func longReply(f toolcall.Format, size int) string {
	text := strings.Repeat("if a<b { x = \"y\" } // \\n \n", size/26)
	c := call("write_note", string(values.WriteObject([]values.Member{{Key: "title", Text: "t"}, {Key: "text", Text: text}})))
	return written(f, toolcall.Turn{Calls: []toolcall.Call{c}})
}

func feed(f toolcall.Format, reply string, step int) outcome {
	d := f.Decoder(testTools())
	var events []toolcall.Event
	for ; len(reply) > step; reply = reply[step:] {
		events = append(events, d.Push(model.Chunk{Text: reply[:step]})...)
	}
	events = append(events, d.Push(model.Chunk{Text: reply})...)
	return fold(append(events, d.End(true)...))
}

func BenchmarkDecode(b *testing.B) {
	for _, name := range []string{"hermes", "qwen3-coder", "deepseek-v3.1", "lfm2", "glm-4.7", "harmony", "gemma4", "guided"} {
		for _, size := range []int{4300, 1 << 20} {
			b.Run(name+"/"+json.Number(sizeName(size)).String(), func(b *testing.B) {
				f, err := byEveryName(name)
				if err != nil {
					b.Fatal(err)
				}
				reply := longReply(f, size)
				b.SetBytes(int64(len(reply)))
				b.ReportAllocs()
				for b.Loop() {
					feed(f, reply, 4)
				}
			})
		}
	}
}

func sizeName(size int) string {
	if size < 1<<20 {
		return "4kB"
	}
	return "1MB"
}

// BenchmarkLinear reports how much longer sixteen times the text takes, in every format: 16 is linear.
func BenchmarkLinear(b *testing.B) {
	const small, factor = 1 << 14, 16
	for _, info := range List() {
		b.Run(info.Name, func(b *testing.B) {
			f, err := byEveryName(info.Name)
			if err != nil {
				b.Fatal(err)
			}
			short, long := longReply(f, small), longReply(f, small*factor)
			var one, many time.Duration
			for b.Loop() {
				start := time.Now()
				feed(f, short, 4)
				middle := time.Now()
				feed(f, long, 4)
				one, many = one+middle.Sub(start), many+time.Since(middle)
			}
			b.ReportMetric(float64(many)/float64(one), "ratio")
		})
	}
}

// TestLongArguments decodes a long argument in every format; how long that takes is BenchmarkLinear's.
func TestLongArguments(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, f toolcall.Format) {
		t.Helper()
		if got := feed(f, longReply(f, 1<<16), 4); len(got.Calls) != 1 {
			t.Errorf("%d calls, errors %.300v", len(got.Calls), got.Errors)
		}
	})
}

// TestHostileRepeats feeds what is likely to be scanned again and again: a decoder that is not linear does not end.
func TestHostileRepeats(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, f toolcall.Format) {
		t.Helper()
		opener := written(f, toolcall.Turn{Calls: []toolcall.Call{call("ping", `{"host":"x"}`)}})
		for _, piece := range sample(f.Name(), []string{"{\"name\":\n", "   \n", "<think>", "<parameter=host>", opener[:len(opener)/2], opener[:len(opener)*3/4]}) {
			if got := decode(f, testTools(), true, strings.Repeat(piece, 20_000/len(piece))); len(got.Calls) > 20_000 {
				t.Errorf("%q repeated gave %d calls", piece, len(got.Calls))
			}
		}
	})
}

func BenchmarkByName(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := byEveryName("hermes"); err != nil {
			b.Fatal(err)
		}
	}
}
