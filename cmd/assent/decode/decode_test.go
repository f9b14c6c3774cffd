package decode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/toolcall/formats"
)

const decodeTools = `[{"type":"function","function":{"name":"ping","description":"Ping.","parameters":{"type":"object","properties":{"host":{"type":"string"}},"required":["host"]}}}]`

func runDecode(t *testing.T, in string, args ...string) (string, error) {
	t.Helper()
	cmd := New(func(model string) (string, error) {
		if model == "qwen2.5-coder" {
			return "hermes", nil
		}
		return "", errors.New("there is no profile for " + model)
	}, formats.ByName)
	var out bytes.Buffer
	cmd.SetIn(strings.NewReader(in))
	cmd.SetOut(&out)
	cmd.SetErr(&out)
	cmd.SilenceUsage = true
	cmd.SetArgs(args)
	err := cmd.Execute()
	return out.String(), err
}

func TestDecodeJSON(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tools.json")
	if err := os.WriteFile(file, []byte(decodeTools), 0o600); err != nil {
		t.Fatal(err)
	}
	reply := "<think>Hm.</think>Look:\n<tool_call>{\"name\": \"ping\", \"arguments\": {\"host\": \"a<b\"}}</tool_call><tool_call>{\"name\": \"pong\"}</tool_call>"
	want := `{"thinking":"Hm."}
{"text":"Look:"}
{"call":{"name":"ping","arguments":{"host":"a<b"}}}
{"error":"There is no tool \"pong\". Nearest: ping."}
`
	for _, chunk := range []string{"whole", "rune", "byte", "3"} {
		for _, by := range [][]string{{"--format", "qwen25"}, {"--model", "qwen2.5-coder"}} {
			got, err := runDecode(t, reply, append(by, "--tools", file, "--json", "--chunk", chunk)...)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v chunk %s: %v %s", by, chunk, err, diff)
			}
		}
	}
}

func TestDecodeBatch(t *testing.T) {
	in := `{"id": 1, "format": "hermes", "tools": ` + decodeTools + `, "text": "Hi <tool_call>{\"name\": \"ping\", \"arguments\": {\"host\": \"x\"}}</tool_call>", "chunk": 2}
{"id": "b", "model": "qwen2.5-coder", "text": "<think>a</think>b"}

not JSON
{"id": 3, "format": "nonsense", "text": "x"}
{"id": 4, "format": "hermes", "tools": ` + decodeTools + `, "text": "<tool_call>{\"name\": \"ping\", \"arguments\": {}}</tool_call>", "chunk": "byte"}
{"id": 5, "model": "unheard-of", "text": "x"}
`
	out, err := runDecode(t, in, "--batch")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(out) {
		var r struct {
			ID             any
			Text, Thinking string
			Calls          []any
			Error          *string
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Calls == nil {
			t.Fatalf("%q: %v", line, err)
		}
		got = append(got, fmt.Sprintf("%v %q %q %v %t", r.ID, r.Text, r.Thinking, r.Calls, r.Error != nil))
	}
	want := []string{
		`1 "Hi" "" [map[arguments:map[host:x] name:ping]] false`,
		`b "b" "a" [] false`,
		`<nil> "" "" [] true`,
		`3 "" "" [] true`,
		`4 "" "" [] true`,
		`5 "" "" [] true`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeForPeople(t *testing.T) {
	got, err := runDecode(t, "```json\n{\"name\": \"anything\", \"arguments\": {\"a\": 1}}\n```", "--format", "text")
	if want := "call anything:\n  {\"a\":1}\n"; err != nil || got != want {
		t.Errorf("got %q, %v", got, err)
	}
	list, err := runDecode(t, "", "--list")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range formats.Names() {
		if !strings.Contains(list, name+" ") {
			t.Errorf("the list lacks %s", name)
		}
	}
	for _, args := range [][]string{{}, {"--format", "x"}, {"--format", "text", "--chunk", "0"}, {"--format", "text", "--tools", "/nonexistent"}} {
		if out, err := runDecode(t, "x", args...); err == nil {
			t.Errorf("%v gives no error but %q", args, out)
		}
	}
}

// TestDecodeUnclosed has a reply that never leaves its thought: that is an error in every output.
func TestDecodeUnclosed(t *testing.T) {
	const reply, sentence = "<think>So it is 4.", "ended inside a thought"
	for _, c := range []struct {
		in, want string
		args     []string
	}{
		{reply, "thinking:\n  So it is 4.\nerror:\n", nil},
		{reply, "{\"thinking\":\"So it is 4.\"}\n{\"error\":", []string{"--json"}},
		{`{"id": 1, "text": "` + reply + `"}`, `{"id":1,"text":"","thinking":"So it is 4.","calls":[],"error":`, []string{"--batch"}},
	} {
		got, err := runDecode(t, c.in, append(c.args, "--format", "hermes")...)
		if err != nil || !strings.HasPrefix(got, c.want) || !strings.Contains(got, sentence) {
			t.Errorf("%v gives %q, %v", c.args, got, err)
		}
	}
}

// TestDecodeShown has a reply that quotes a call: every output but the batch, where it is text, says that it was not
// made.
func TestDecodeShown(t *testing.T) {
	const reply, sentence = "Like `<tool_call>{\"name\": \"a\", \"arguments\": {}}</tool_call>`.", "The call of a in this reply was shown and not made, because it stands in a code span"
	for want, args := range map[string][]string{"notice:\n  " + sentence: nil, `{"notice":"` + sentence: {"--json"}} {
		got, err := runDecode(t, reply, append(args, "--format", "hermes")...)
		if err != nil || !strings.Contains(got, want) {
			t.Errorf("%v gives %q, %v", args, got, err)
		}
	}
}
