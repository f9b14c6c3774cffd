package formats

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/toolcall"
)

// conversation has every kind of turn.
func conversation() []toolcall.Turn {
	ping := toolcall.Call{ID: "c1", Name: "ping", Arguments: json.RawMessage(`{"host":"db1"}`)}
	return []toolcall.Turn{
		{Role: model.RoleUser, Text: "Is db1 up?", Images: [][]byte{{1}}},
		{Role: model.RoleAssistant, Text: "Let me see.", Calls: []toolcall.Call{ping}},
		{Role: model.RoleTool, Text: "timeout", CallID: "c1", Name: "ping", Failed: true},
		{Role: model.RoleAssistant, Text: "No."},
		{Role: model.RoleUser, Text: "Again."},
	}
}

// TestPrefix checks that a longer conversation only adds messages (invariant 5), in every format.
// Invariant 5.
func TestPrefix(t *testing.T) {
	t.Parallel()
	turns := conversation()
	for _, name := range everyName() {
		f, err := byEveryName(name)
		if err != nil {
			t.Fatal(err)
		}
		full := f.Request("Be brief.", turns, testTools(), toolcall.Hints{})
		for n := 1; n < len(turns); n++ {
			part := f.Request("Be brief.", turns[:n], testTools(), toolcall.Hints{}).Messages
			if diff := cmp.Diff(full.Messages[:len(part)], part); diff != "" {
				t.Errorf("%s: the first %d turns give another prefix: %s", name, n, diff)
			}
		}
		if again := f.Request("Be brief.", turns, testTools(), toolcall.Hints{}); !cmp.Equal(full, again) {
			t.Errorf("%s: two requests differ", name)
		}
	}
}

// TestANoteAboutNoCallHasNoHeader sends what is wrong with a call that cannot be read, or was only shown. It answers no
// call, so it is a message in plain words, not the result of a tool without a name.
func TestANoteAboutNoCallHasNoHeader(t *testing.T) {
	t.Parallel()
	const note = "The call could not be read: its JSON is broken."
	for _, name := range everyName() {
		f, err := byEveryName(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, failed := range []bool{false, true} {
			wrong := toolcall.Turn{Role: model.RoleTool, Text: note, Failed: failed}
			alone := f.Request("", []toolcall.Turn{{Role: model.RoleUser, Text: "Is db1 up?"}, {Role: model.RoleAssistant, Text: "{"}, wrong}, nil, toolcall.Hints{}).Messages
			if last := alone[len(alone)-1]; last.Text != note || name != "native" && last.Role != model.RoleUser {
				t.Errorf("%s: the note is sent as %+v", name, last)
			}
			beside := f.Request("", append(conversation()[:3:3], wrong), nil, toolcall.Hints{}).Messages
			if last := beside[len(beside)-1]; !strings.HasSuffix(last.Text, note) || last.Role == model.RoleTool && name != "native" {
				t.Errorf("%s: the note behind a result is sent as %+v", name, last)
			}
		}
	}
}

func TestNativeRequest(t *testing.T) {
	got := Native().Request("S", conversation(), testTools(), toolcall.Hints{})
	want := []model.Message{
		{Role: "system", Text: "S"},
		{Role: "user", Text: "Is db1 up?", Images: [][]byte{{1}}},
		{Role: "assistant", Text: "Let me see.", Calls: []model.Call{{ID: "c1", Name: "ping", Arguments: json.RawMessage(`{"host":"db1"}`)}}},
		{Role: "tool", Text: "timeout", CallID: "c1", ToolName: "ping"},
		{Role: "assistant", Text: "No."},
		{Role: "user", Text: "Again."},
	}
	if diff := cmp.Diff(want, got.Messages); diff != "" {
		t.Error(diff)
	}
	if len(got.Tools) != len(testTools()) {
		t.Error("the tools are not sent")
	}
	printed := []toolcall.Turn{{Role: model.RoleAssistant, Raw: "```json\n" + pingCall + "\n```", Calls: conversation()[1].Calls}}
	if m := Native().Request("", printed, testTools(), toolcall.Hints{}).Messages[0]; m.Text != printed[0].Raw || m.Calls != nil {
		t.Errorf("a printed call is sent as %+v", m)
	}
}

func TestDescribedRequest(t *testing.T) {
	got := Described().Request("S", conversation(), testTools(), toolcall.Hints{})
	if got.Tools != nil || got.Format != nil {
		t.Error("native tools or a schema are sent")
	}
	system := got.Messages[0].Text
	for _, want := range []string{"S\n\n", "- ping(host: string, count?: integer): Send a packet to a host.", "- uptime():", "{\"name\": \"uptime\", \"arguments\": {}}"} {
		if !strings.Contains(system, want) {
			t.Errorf("the system prompt lacks %q:\n%s", want, system)
		}
	}
	if want := "Let me see.\n\n```json\n{\"name\": \"ping\", \"arguments\": {\"host\": \"db1\"}}\n```"; got.Messages[2].Text != want {
		t.Errorf("the call is rendered %q", got.Messages[2].Text)
	}
	if m := got.Messages[3]; m.Role != model.RoleUser || m.Text != "Error from ping:\ntimeout" {
		t.Errorf("the result is rendered %+v", m)
	}
}

// TestRenderedCallsDecode checks that what a format renders for an earlier turn is what it decodes.
func TestRenderedCallsDecode(t *testing.T) {
	for _, f := range []toolcall.Format{Described(), Guided()} {
		turn := toolcall.Turn{Role: model.RoleAssistant, Calls: []toolcall.Call{{Name: "write_note", Arguments: json.RawMessage(`{"title":"a\"b","text":"x: {, }\n` + "```" + `"}`)}}}
		text := f.Request("", []toolcall.Turn{turn}, testTools(), toolcall.Hints{})
		last := text.Messages[len(text.Messages)-1].Text
		got := decodeEveryWay(t, f, testTools(), true, last)
		if diff := cmp.Diff([]string{"write_note " + string(turn.Calls[0].Arguments)}, got.Calls); diff != "" {
			t.Errorf("%s: %q: %s %v", f.Name(), last, diff, got.Errors)
		}
	}
}

func TestRawIsSentAsItIs(t *testing.T) {
	turn := toolcall.Turn{Role: model.RoleAssistant, Raw: "<tool_call> {\"name\":\"uptime\"} </tool_call>", Calls: []toolcall.Call{{Name: "uptime"}}}
	for _, f := range []toolcall.Format{Described(), Guided()} {
		if m := f.Request("", []toolcall.Turn{turn}, nil, toolcall.Hints{}).Messages; m[0].Text != turn.Raw {
			t.Errorf("%s: %+v", f.Name(), m)
		}
	}
}

func TestByName(t *testing.T) {
	for alias, want := range map[string]string{"native": "native", "fenced-json": "text", "D13": "text", "d13": "text", "guided": "guided"} {
		f, err := ByName(alias)
		if err != nil || f.Name() != want {
			t.Errorf("ByName(%q) = %v, %v", alias, f, err)
		}
	}
	if _, err := ByName("Guidd"); err == nil || !strings.Contains(err.Error(), `no tool-call format "Guidd", perhaps you mean guided, `) {
		t.Errorf("error: %v", err)
	}
	seen := map[string]string{}
	for _, info := range List() {
		for _, name := range append([]string{info.Name}, info.Aliases...) {
			key := strings.ToLower(name)
			if other, taken := seen[key]; taken {
				t.Errorf("%q names both %s and %s", name, other, info.Name)
			}
			seen[key] = info.Name
		}
	}
}

func TestPromptedThought(t *testing.T) {
	f, err := ByName("GLM47+thinking")
	if err != nil {
		t.Fatal(err)
	}
	for reply, want := range map[string]outcome{
		"Hm.</think>Hello.":                        {Thinking: "Hm.", Text: "Hello.", Order: "RT"},
		"<think>Hm.</think>Hello.":                 {Thinking: "Hm.", Text: "Hello.", Order: "RT"},
		"</think>Hello.":                           {Text: "Hello.", Order: "T"},
		"Hm.</think><tool_call>uptime</tool_call>": {Thinking: "Hm.", Calls: []string{"uptime {}"}, Order: "RC"},
	} {
		if diff := cmp.Diff(want, decodeEveryWay(t, f, testTools(), true, reply)); diff != "" {
			t.Errorf("%q: %s", reply, diff)
		}
	}
	if _, err := ByName("guided+thinking"); err == nil {
		t.Error("guided has a thought")
	}
}

// TestRequireCall checks that what the hints force a model to write is decoded, in every format.
func TestRequireCall(t *testing.T) {
	t.Parallel()
	eachFormat(t, func(t *testing.T, f toolcall.Format) {
		t.Helper()
		schema := string(f.Request("", nil, testTools(), toolcall.Hints{RequireCall: true, Only: []string{"ping"}}).Format)
		if !strings.Contains(schema, `{"const":"ping"}`) || strings.Contains(schema, "anyOf") {
			t.Fatalf("the schema is %s", schema)
		}
		key := "name"
		if f.Name() == "guided" {
			key = "tool"
		}
		got := decodeEveryWay(t, f, testTools(), true, `{"`+key+`": "ping", "arguments": {"host": "db1"}}`)
		if diff := cmp.Diff([]string{pinged}, got.Calls); diff != "" || got.Text != "" {
			t.Errorf("%s %+v", diff, got)
		}
	})
}

// TestDefinitionsInUserMessage checks the families whose template ignores the system turn.
func TestDefinitionsInUserMessage(t *testing.T) {
	for _, name := range []string{"gemma3", "llama3-json"} {
		f, err := ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		m := f.Request("Be brief.", conversation(), testTools(), toolcall.Hints{}).Messages
		first, last := m[0], m[len(m)-1]
		if first.Role != model.RoleUser || !strings.HasPrefix(first.Text, "Be brief.\n\n") || !strings.Contains(first.Text, `"ping"`) ||
			!strings.HasSuffix(first.Text, "\n\nIs db1 up?") || !cmp.Equal(first.Images, [][]byte{{1}}) {
			t.Errorf("%s: the first message is %+v", name, first)
		}
		if last.Text != "Again." {
			t.Errorf("%s: the last message is %+v", name, last)
		}
	}
}
