package intent

import "testing"

func TestAsks(t *testing.T) {
	for message, want := range map[string]bool{
		"Where is the port set?":                            true,
		"Until when is the shop open?":                      true,
		"On which days do we bake?":                         true,
		"Tell me what main.go does.":                        true,
		"notes.txt: how many minutes is that altogether?":   true,
		"Is the port wrong? And where is it set?":           true,
		"Can the port come from the environment?":           false, // a request in disguise
		"Why not log the error?":                            false,
		"In main.go the port is wrong, can you correct it?": false,
		"With what we have, write the report.":              false,
		"Explain the flag -v in README.md.":                 false, // perhaps there
		"Where is the port set? Set it to 80.":              false,
		"Wo steht der Port?":                                false, // judged in English alone
		"":                                                  false,
	} {
		if got := Asks(message); got != want {
			t.Errorf("%q: %t", message, got)
		}
	}
}
