package intent

import "testing"

func TestAdvice(t *testing.T) {
	for message, want := range map[string]string{
		"Where is the port set?":               "This seems to be a question: look and answer. Change files only if it asks for that.",
		"Rename total to sum in report.py.":    "",
		"Das README stimmt nicht mehr, bitte.": "",
	} {
		if got := Advice(message); got != want {
			t.Errorf("%q: %q", message, got)
		}
	}
}
