package main

import "testing"

// TestWorstRows reads the output of a benchmark.
func TestWorstRows(t *testing.T) {
	rows, err := worstRows([]byte("goos: linux\nBenchmarkWorst/hermes-2   \t       1\t7828723228 ns/op\t       963.9 ms/MB\t        9.63 peak-MB\nBenchmarkWorst/functionary-v3.1-2 \t 1\t 1 ns/op\t 12.5 ms/MB\t 65.1 peak-MB\nPASS\n"))
	if err != nil || len(rows) != 2 || rows[0].got != "0.96 s (hermes)" || !rows[0].ok || rows[1].got != "65 MB (functionary-v3.1)" || rows[1].ok {
		t.Errorf("got %+v, %v", rows, err)
	}
	if _, err := worstRows([]byte("PASS\n")); err == nil {
		t.Error("nothing was measured, and no error says so")
	}
}
