package model

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// tokens are control tokens as tokenizers know them, by the name of a model that has them.
var tokens = map[string][]string{
	"qwen2.5-coder:1.5b": {"<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|fim_prefix|>", "<|repo_name|>"},
	"llama3.1:8b":        {"<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|eom_id|>", "<|python_tag|>", "<|reserved_special_token_7|>"},
	"gpt-oss:20b":        {"<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|call|>", "<|return|>"},
	"mistral:7b":         {"[INST]", "[/INST]", "[TOOL_CALLS]", "[AVAILABLE_TOOLS]", "[TOOL_RESULTS]", "</s>", "<s>"},
	"devstral:24b":       {"[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[ARGS]", "[INST]"},
	"codellama:7b":       {"[INST]", "<<SYS>>", "<</SYS>>", "</s>"},
	"gemma3:4b":          {"<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>"},
	"functiongemma":      {"<start_of_turn>", "<start_function_response>", "<end_function_call>", "<escape>"},
	"gemma4:4b":          {"<|turn>", "<turn|>", "<|tool_response>", "<tool_response|>", `<|"|>`},
	"deepseek-r1:7b":     {"<｜User｜>", "<｜Assistant｜>", "<｜begin▁of▁sentence｜>", "<｜tool▁outputs▁end｜>"},
	"deepseek-v3.2":      {"｜DSML｜", "<｜end▁of▁sentence｜>"},
	"phi4:14b":           {"<|im_sep|>", "<|user|>", "<|end|>"},
	"glm4:9b":            {"[gMASK]", "<sop>", "<|user|>", "<|observation|>"},
	"kimi-k2":            {"<|im_user|>", "<|im_middle|>", "<|tool_calls_section_begin|>"},
	"command-r:35b":      {"<BOS_TOKEN>", "<|START_OF_TURN_TOKEN|>", "<|SYSTEM_TOKEN|>"},
	"minimax-m2":         {"]~b]", "]~!b[", "[e~["},
	"seed-oss:36b":       {"<seed:bos>", "<seed:eos>"},
	"exaone4:32b":        {"[|user|]", "[|endofturn|]"},
	"granite3.3:8b":      {"<|start_of_role|>", "<|end_of_role|>", "<|end_of_text|>"},
	"nemotron-mini:4b":   {"<extra_id_0>", "<extra_id_1>"},
	"nobody-knows-it":    {"<|im_start|>", "<|user|>", "<｜User｜>"},
}

func controlOf(t testing.TB, info Info) Control {
	t.Helper()
	profiles, err := LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	profile, _ := profiles.For(info)
	return NewControl(profiles.Marks(profile, info))
}

func TestEveryFamilysMarksAreEscaped(t *testing.T) {
	for name, marks := range tokens {
		c := controlOf(t, Info{Name: name})
		for _, m := range marks {
			for _, text := range []string{m, m + m, "a" + m + "b", m[:1] + m, m + m[:1], strings.Repeat(m, 3) + "\nsystem"} {
				got := c.Escape(text)
				for _, any := range marks {
					if strings.Contains(got, any) {
						t.Errorf("%s: %q became %q, which holds %s", name, text, got, any)
					}
				}
				if got == text || strings.ReplaceAll(got, "·", "") != text || c.Unescape(got) != text {
					t.Errorf("%s: %q became %q, and that %q", name, text, got, c.Unescape(got))
				}
				if c.Unescape(text) != text {
					t.Errorf("%s: a mark that the model wrote, %q, became %q", name, text, c.Unescape(text))
				}
			}
			if got := c.Defuse(m+" "+c.Escape(m), nil); got != c.Escape(m)+" "+c.Escape(m) {
				t.Errorf("%s: defused to %q", name, got)
			}
			if got := c.Defuse(m, []string{m}); got != m {
				t.Errorf("%s: its own mark was defused to %q", name, got)
			}
		}
	}
}

func TestATemplatesMarksAreEscaped(t *testing.T) {
	c := controlOf(t, Info{Name: "mine", Template: "{{ if .System }}<<SYS>>{{ .System }}<</SYS>>{{ end }}[INST] {{ .Prompt }} [/INST]<start_of_turn>user</s><tools>"})
	for text, want := range map[string]string{
		"[INST]": "[·INST]", "<<SYS>>": "<·<SYS>>", "<start_of_turn>": "<·start_of_turn>", "</s>": "<·/s>",
		"<tools>": "<tools>", "[TOOL]": "[TOOL]", "x[0]": "x[0]",
	} {
		if got := c.Escape(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

// What is no mark of the model stays as it is, byte for byte.
func TestOtherTextIsLeftAlone(t *testing.T) {
	c := controlOf(t, Info{Name: "qwen2.5-coder:1.5b"})
	for _, text := range []string{"", "a <| b |> c", "<|", "|>", "<|a b|>", "f <| g <| h", "if a<b||c>d {}", "[INST]", "</s>", "·", "a·b", "<·|x", "<|>", "\xc2\xb7\xb7", "\xff<"} {
		if got := c.Escape(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
		if got := c.Unescape(text); got != text {
			t.Errorf("%q was taken back to %q", text, got)
		}
	}
}

// Promise 3. Invariant 22.
func FuzzEscape(f *testing.F) {
	profiles, err := LoadProfiles()
	if err != nil {
		f.Fatal(err)
	}
	for _, marks := range tokens {
		f.Add(strings.Join(marks, "·"))
	}
	for _, text := range []string{"<··|im_start|>", "<|im·_start|>·", "\xc2<|a|>\xb7", "<\xc2\xc2\xb7\xb7|a|>", "<|<|a|>|>", "[|[|a|]", "]<]minimax[>[", "<<|a|>", "｜·DSML｜DSML｜"} {
		f.Add(text)
	}
	var families []Control
	for _, profile := range profiles.All() {
		families = append(families, NewControl(profiles.Marks(profile, Info{})))
	}
	literals := slices.Concat(slices.Collect(maps.Values(tokens))...)
	everything := NewControl(literals)
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range append(families, everything) {
			escaped := c.Escape(text)
			if got := c.Unescape(escaped); got != text {
				t.Errorf("%q became %q and that %q", text, escaped, got)
			}
			if c.Defuse(escaped, nil) != escaped {
				t.Errorf("%q became %q, where a mark is left", text, escaped)
			}
		}
		escaped := everything.Escape(text)
		for _, m := range literals {
			if strings.Contains(escaped, m) {
				t.Errorf("%q became %q, which holds %s", text, escaped, m)
			}
		}
	})
}
