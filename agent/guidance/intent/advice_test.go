package intent

import "testing"

func TestAdvice(t *testing.T) {
	for message, want := range map[string]string{
		"Explain the flag -v.":                 "This seems to be a question: look and answer. Change files only if it asks for that.",
		"Where is the port set?":               "", // a question by its form
		"Rename total to sum in report.py.":    "",
		"Das README stimmt nicht mehr, bitte.": "",
	} {
		if got := Advice(message); got != want {
			t.Errorf("%q: %q", message, got)
		}
	}
}
