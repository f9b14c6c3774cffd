package main

import (
	"strings"
	"testing"
)

// What a step reads beyond what its prompt has more than the one before was read twice.
func TestReadAgain(t *testing.T) {
	steps := []llamaStep{{1000, 1000}, {1100, 101}, {1200, 100}, {1300, 150}}
	if r := readAgain(steps, "it"); r.ok || !strings.HasPrefix(r.got, "1.42 % (51 of 3600 tokens, 50 in a step at most;") {
		t.Errorf("%+v", r)
	}
	if r := readAgain(steps[:3], "it"); !r.ok || !strings.HasPrefix(r.got, "0.04 % (1 of 2300 tokens, 1 in a step at most;") {
		t.Errorf("%+v", r)
	}
}

// Without a server that says so, and is not taken for a result.
func TestLlamaIsNotMeasuredUnasked(t *testing.T) {
	for _, name := range []string{"LLAMA_SERVER", "MODEL_FILE"} {
		t.Setenv("LLAMA_SERVER", "there")
		t.Setenv("MODEL_FILE", "there")
		t.Setenv(name, "")
		rows, err := measureLlama(t.Context(), &setup{})
		if err != nil || len(rows) != 1 || rows[0].target != "" || !strings.Contains(rows[0].got, "not measured: LLAMA_SERVER and MODEL_FILE") {
			t.Errorf("%+v, %v", rows, err)
		}
	}
}
