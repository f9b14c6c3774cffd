package ollama_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"
	"github.com/ollama/ollama/model/renderers"
	"github.com/ollama/ollama/template"

	"github.com/assent-ls/assent/agent/model"
)

// opening is how many bytes a template may put behind a prompt for the reply to begin with, such as an empty thought.
// They are not in the next prompt.
const opening = 64

// unstable are the families whose template changes what is further up, and a model of each. Their profiles say so.
var unstable = map[string]string{
	"renderer qwen3.5": "qwen3.5:4b", // it leaves the empty thoughts of an answer out once a new question follows
}

// conversation is a chat with calls in its stages, each as a model is asked.
func conversation(t *testing.T) [][]api.Message {
	t.Helper()
	call := func(id, path string) []api.ToolCall {
		c := api.ToolCall{ID: id, Function: api.ToolCallFunction{Name: "read_file"}}
		if err := json.Unmarshal(fmt.Appendf(nil, `{"path":%q,"start_line":1}`, path), &c.Function.Arguments); err != nil {
			t.Fatal(err)
		}
		return []api.ToolCall{c}
	}
	all := []api.Message{
		{Role: "system", Content: "Be brief."},
		{Role: "user", Content: "What does README.md say?"},
		{Role: "assistant", Content: "I look.", ToolCalls: call("c1", "README.md")},
		{Role: "tool", Content: "Helo", ToolName: "read_file", ToolCallID: "c1"},
		{Role: "assistant", ToolCalls: call("c2", "b.txt")},
		{Role: "tool", Content: "Helo again", ToolName: "read_file", ToolCallID: "c2"},
		{Role: "assistant", Content: "It says Helo."},
		{Role: "user", Content: "And now?"},
		{Role: "assistant", Content: "The same."},
		{Role: "user", Content: "Thanks."},
	}
	var stages [][]api.Message
	for n := 2; n <= len(all); n += 2 {
		stages = append(stages, all[:n])
	}
	return stages
}

// render writes the prompt of messages for a model.
type render func([]api.Message) (string, error)

// families are the renderers of Ollama, the templates that come with it, and those of the models that the tests of this
// project use.
func families(t *testing.T) map[string]render {
	t.Helper()
	tools := api.Tools{{Type: "function", Function: api.ToolFunction{Name: "read_file", Description: "Read a file."}}}
	all := map[string]render{}
	for name := range strings.FieldsSeq("qwen3-coder qwen3-vl-instruct qwen3-vl-thinking qwen3.5 qwen3.8 ornith cogito deepseek3.1 olmo3 olmo3.1 olmo3-think olmo3-32b-think " +
		"nemotron-3-nano nemotron-3.5-nano gemma4 gemma4-large functiongemma glm-4.7 glm-ocr lfm2 lfm2-thinking laguna poolside-v1 cohere glimmer") {
		all["renderer "+name] = func(m []api.Message) (string, error) { return renderers.RenderWithRenderer(name, m, tools, nil) }
	}
	module, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/ollama/ollama").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(module)), "template", "*.gotmpl"))
	own, _ := filepath.Glob("../../../editors/e2e/install/*.Modelfile") // the pattern is good
	if err != nil || len(files) < 10 || len(own) < 2 {
		t.Fatalf("%v: %d templates and %d model files", err, len(files), len(own))
	}
	for _, file := range append(files, own...) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(raw)
		if _, rest, ok := strings.Cut(text, `TEMPLATE """`); ok {
			text, _, _ = strings.Cut(rest, `"""`)
		}
		parsed, err := template.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all["template "+filepath.Base(file)] = func(m []api.Message) (string, error) {
			var b bytes.Buffer
			err := parsed.Execute(&b, template.Values{Messages: append([]api.Message(nil), m...), Tools: tools})
			return b.String(), err
		}
	}
	return all
}

// reread is how many bytes of a prompt the next one does not begin with, at most.
func reread(t *testing.T, name string, write render) (lost int, what string) {
	t.Helper()
	before := ""
	for _, messages := range conversation(t) {
		now, err := write(messages)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		same := 0
		for same < min(len(before), len(now)) && before[same] == now[same] {
			same++
		}
		if n := len(before) - same; n > lost {
			lost, what = n, before[same:]
		}
		before = now
	}
	return lost, what
}

// TestRenderedPromptsGrow renders a chat as it grows by the renderers and templates at hand: each prompt begins with
// the one before, but for what opens the reply (invariant 5, behind the wire). Where a family's template cannot do
// that, its profile says so, and the inspector shows it.
// Invariant 5.
func TestRenderedPromptsGrow(t *testing.T) {
	profiles, err := model.LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	all := families(t)
	for name, write := range all {
		lost, what := reread(t, name, write)
		if _, known := unstable[name]; known != (lost > opening) {
			t.Errorf("%s: %d bytes of a prompt are read again: %q", name, lost, what)
		}
	}
	for name, of := range unstable {
		if profile, _ := profiles.For(model.Info{Name: of}); all[name] == nil || !profile.Rereads {
			t.Errorf("the profile %s of %s does not say that its template makes a server read again", profile.Name, of)
		}
	}
}
