package transport

import (
	"runtime"
	"strings"
	"testing"
)

// TestALongNameIsComparedByItsBeginning: a chat may name any model, and nothing stops a comparison once it has begun.
func TestALongNameIsComparedByItsBeginning(t *testing.T) {
	installed := []string{"gemma3:1b", "qwen3:4b", "qwen3:1b", "phi4:14b"}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	near := Nearest("qwen3:"+strings.Repeat("x", 1<<20), installed)
	runtime.ReadMemStats(&after)
	if len(near) != nearModels || near[0] != "qwen3:1b" || near[1] != "qwen3:4b" {
		t.Errorf("near are %q", near)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("it took %d bytes", used)
	}
}
