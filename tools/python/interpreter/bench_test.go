package interpreter_test

import (
	"testing"
	"time"

	"github.com/assent-ls/assent/tools/python/interpreter"
	"github.com/assent-ls/assent/tools/python/interpreter/interpretertest"
)

var one = interpreter.Program{Source: "1"}

func do(b *testing.B, i *interpreter.Interpreter, p interpreter.Program) {
	b.Helper()
	if result, err := i.Run(b.Context(), p, &scripted{}); err != nil || result.Error != "" {
		b.Fatalf("%+v, %v", result, err)
	}
}

// BenchmarkWarmStart: a program without a waiting helper; the code is compiled already.
func BenchmarkWarmStart(b *testing.B) {
	i := interpretertest.New(b)
	i.Close() // nothing waits from now on
	do(b, i, one)
	for b.Loop() {
		do(b, i, one)
	}
}

// BenchmarkPooledStart: a program for which a helper waits.
func BenchmarkPooledStart(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		i := interpretertest.New(b)
		if _, err := i.Check(b.Context(), "1"); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		do(b, i, one)
		b.StopTimer()
		i.Close()
		b.StartTimer()
	}
}

// BenchmarkInnerCall: one call of a program, answered at once.
func BenchmarkInnerCall(b *testing.B) {
	i := interpretertest.New(b)
	p := interpreter.Program{
		Source: "for n in range(1000): read_file('a')", Functions: functions,
		Limits: interpreter.Limits{Calls: 1000, Time: time.Hour},
	}
	for b.Loop() {
		do(b, i, p)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "µs/call")
}
