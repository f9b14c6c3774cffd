package agenttest

import (
	"strings"
	"testing"
)

func TestParseScriptErrors(t *testing.T) {
	for _, test := range []struct{ name, script, want string }{
		{"unknown in the header", "say: hello", "line 1: unknown word \"say\" before the first turn"},
		{"unknown in a turn", "turn\n\n# comment\nshout: hello", "line 4: unknown word \"shout\""},
		{"a turn with an argument", "turn twice", "line 1: turn takes"},
		{"duration", "turn\npause soon", "line 2: pause: "},
		{"call without arguments", "turn\ncall ping", "line 2: call needs"},
		{"call with an array", "turn\ncall ping [1]", "line 2: call needs"},
		{"rate", "turn\nrate 0 count 3", "line 2: rate: the rate must be positive"},
		{"status", "turn\nstatus bad", "line 2: status: "},
		{"usage", "turn\nusage tokens=3", "line 2: usage has no \"tokens\""},
		{"model", "model m size=3", "line 1: model has no \"size\""},
		{"model without name", "model", "line 1: model needs a name"},
		{"template without model", "template x", "line 1: template: there is no model"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := ParseScript(test.script); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestParseScriptTexts(t *testing.T) {
	script, err := ParseScript("turn\nsay: plain  \nsay: \" quoted\\n\"\nsay:\n| one\n|  two\nsay: first\n  | second\r\n|\nsay: \"a\": \"b\"\nsay \"open\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"plain  ", " quoted\n", "one\n two", "first\nsecond\n", `"a": "b"`, `"open`}
	for i, s := range script.turns[0].steps {
		if s.text != want[i] {
			t.Errorf("text %d is %q, want %q", i, s.text, want[i])
		}
	}
}

func FuzzParseScript(f *testing.F) {
	f.Add("model m family=a capabilities=completion\ntemplate t\nturn repeat\nexpect: a\nsay: b\ncall c {\"d\": 1}\nrate 5 count 2\nusage prompt=3")
	f.Fuzz(func(t *testing.T, text string) {
		if script, err := ParseScript(text); err == nil && len(script.models) == 0 {
			t.Error("a script without a model")
		}
	})
}
