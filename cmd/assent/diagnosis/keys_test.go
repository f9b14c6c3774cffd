package diagnosis

import (
	"fmt"
	"testing"
)

func TestMisspeltKeys(t *testing.T) {
	for text, want := range map[string]string{
		`{"max-steps": 3, /* kept */ "Mode": "plan"}`: `[max-steps is probably maxSteps Mode is probably mode] {"maxSteps": 3, /* kept */ "mode": "plan"}`,
		`{"temprature": 0.5}`:                         `[temprature is probably temperature] {"temperature": 0.5}`,
		`{"max_steps": "many"}`:                       `[] {"max_steps": "many"}`,
		`{"maxsteps": 3, "maxSteps": 4}`:              `[] {"maxsteps": 3, "maxSteps": 4}`,
		`{"maxsteps": 3, "max-steps": 4}`:             `[maxsteps is probably maxSteps] {"maxSteps": 3, "max-steps": 4}`,
		`{"colour": 1, "maxSteps": 4}`:                `[] {"colour": 1, "maxSteps": 4}`,
		`{"x": {"max-steps": 3}}`:                     `[] {"x": {"max-steps": 3}}`,
		`{"mod": "full", "modelName": "x"}`:           `[] {"mod": "full", "modelName": "x"}`,
		`[]`:                                          `[] []`,
	} {
		list := MisspeltKeys([]byte(text))
		mended, err := MendKeys([]byte(text), list)
		if got := fmt.Sprintf("%v %s", list, mended); err != nil || got != want {
			t.Errorf("%s: %s, want %s (%v)", text, got, want, err)
		}
	}
	if list := MisspeltKeys([]byte(`{`)); list != nil {
		t.Error(list)
	}
}
