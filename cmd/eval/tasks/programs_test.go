package tasks

import (
	"strings"
	"testing"
)

// TestAProgramThatStartsItselfEnds: what a model made of a script must not take the machine with it.
func TestAProgramThatStartsItselfEnds(t *testing.T) {
	o := Outcome{
		Before: map[string]string{}, After: map[string]string{"itself.sh": "sh itself.sh &\nsh itself.sh &\nwait\n"},
		programs: programs(),
	}
	err := passes("sh", "itself.sh")(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "too many processes true") {
		t.Errorf("it ended with %v", err)
	}
}
