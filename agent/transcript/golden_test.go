package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// goldens are conversations, and the files in testdata are how a person sees them.
var goldens = map[string]Chat{
	"typo": {
		Front: Front{Model: "qwen2.5-coder:1.5b", Title: "Fix a typo"},
		Turns: []Turn{
			{Role: You, Blocks: []Block{
				Text{Markdown: "In README.md the word Helo is misspelled. Change it to Hello."},
				Context{Name: "outline of the workspace", Text: "README.md\nmain.go\ndocs/\n  guide.md"},
			}},
			{Role: Assistant, Blocks: []Block{
				Thinking{Text: "I have to read the file before I edit it."},
				Text{Markdown: "I'll look at the file first."},
				Call{Tool: "read_file", ID: "call_1", Arguments: []byte(`{"path":"README.md","start_line":1}`)},
				Result{ID: "call_1", Status: OK, Took: 12 * time.Millisecond, Text: "# Demo\n\nHelo, world.\n\n```sh\nmake\n```\n"},
				Call{Tool: "edit_file", ID: "call_2", Arguments: []byte(
					`{"path":"README.md","old_text":"# Demo\n\nHelo, world.\n","new_text":"# Demo\n\nHello, world.\n"}`)},
				Result{ID: "call_2", Status: OK, Took: 1200 * time.Millisecond, Text: "Changed 1 line of README.md."},
				Text{Markdown: "Done: **Helo** is now **Hello**."},
			}},
			{Role: You},
		},
	},
	"denied": {
		Turns: []Turn{
			{Role: You, Blocks: []Block{Text{Markdown: "Clean up the build folder."}}},
			{Role: Assistant, Blocks: []Block{
				Malformed{ID: "call_1", Raw: "{\"name\": \"run_command\",\n \"arguments\": {\"command\": ", Reason: "The call ends before its arguments do."},
				Call{Tool: "run_command", ID: "call_2", Arguments: []byte(`{"command":"rm -rf build"}`)},
				Reason{ID: "call_2", Text: "Use `make clean`."},
				Result{ID: "call_2", Status: Denied, Text: "The user said no: Use `make clean`."},
				Call{Tool: "run_command", ID: "call_3", Arguments: []byte(`{"command":"make clean"}`)},
				Result{ID: "call_3", Status: NotRun},
			}},
			{Role: You},
		},
	},
	"escapes": {
		Front: Front{Tools: []string{"read_file", "search_files"}},
		Turns: []Turn{
			{Role: You, Blocks: []Block{
				Text{Markdown: "How do I write a chat by hand? And why is this left open?\n\n```go\nfunc main() {"},
			}},
			{Role: Assistant, Blocks: []Block{
				Thinking{Text: "A fence of four:\n\n````\ncode\n````"},
				Text{Markdown: "Like this:\n\n## You\n\nA question.\n\n```tool read_file call_1\npath: README.md\n```"},
				Call{Tool: "write_file", ID: "call_1", Arguments: []byte(
					`{"path":"a.txt","content":"a blank at the end \na CR\r\n<U+202E> as text, \u202e as it is\n\n","mode":"0644","tags":["a",{"b":1.50}]}`)},
				Result{ID: "call_1", Status: Failed, Text: "no such\x1b[0m tool"},
			}},
			{Role: You},
		},
	},
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, chat := range goldens {
		path := filepath.Join("testdata", name+".chat.md")
		rendered := Render(chat)
		if os.Getenv("UPDATE_GOLDEN") != "" {
			if err := os.WriteFile(path, []byte(rendered), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(file), rendered); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(normal(chat), *Parse(string(file)), noSpans); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The example in the documentation is the golden file.
func TestDocumentedExample(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile(filepath.FromSlash("../../docs/chat-format.md"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join("testdata", "typo.chat.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), "\n``````markdown\n"+string(file)+"``````\n") {
		t.Error("docs/chat-format.md does not show testdata/typo.chat.md as it is")
	}
}
