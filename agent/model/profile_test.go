package model

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func builtin(t *testing.T) *Profiles {
	t.Helper()
	p, err := LoadProfiles()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var chat, chatTools, chatTemplate = []string{"completion"}, []string{"completion", "tools"}, "<tools>{{ .Tools }}</tools><tool_call>"

func TestFor(t *testing.T) {
	profiles := builtin(t)
	for _, test := range []struct {
		name    string
		info    Info
		profile string
		first   string
		why     string // contained
	}{
		{
			"the coder that says it can",
			Info{Name: "qwen2.5-coder:1.5b", Family: "qwen2", Parameters: "1.5B", Template: chatTemplate, Capabilities: chatTools},
			"qwen2.5-coder", "guided", "name qwen2.5-coder* and family qwen2",
		},
		{
			"a large coder is guided, too",
			Info{Name: "qwen2.5-coder:32b", Family: "qwen2", Parameters: "32.8B", Capabilities: chatTools},
			"qwen2.5-coder", "guided", "",
		},
		{
			"its packaging does not matter",
			Info{Name: "hf.co/Qwen/Qwen2.5-Coder-7B-Instruct-GGUF:Q4_K_M", Family: "qwen2", Parameters: "7.6B", Capabilities: chatTools},
			"qwen2.5-coder", "guided", "",
		},
		{
			"large, known, with tools",
			Info{Name: "llama3.1:8b", Family: "llama", Parameters: "8.0B", Capabilities: chatTools},
			"llama3.1", "native", "name llama3.1* and family llama",
		},
		{
			"small, known, with tools",
			Info{Name: "llama3.2:1b", Family: "llama", Parameters: "1.2B", Capabilities: chatTools},
			"llama3.2-small", "guided", "below 4B parameters",
		},
		{
			"small, but it thinks",
			Info{Name: "qwen3:1.7b", Family: "qwen3", Parameters: "2.0B", Capabilities: []string{"completion", "tools", "thinking"}},
			"qwen3", "native", "",
		},
		{
			"known, without tools",
			Info{Name: "gemma3:12b", Family: "gemma3", Parameters: "12B", Capabilities: chat},
			"gemma3", "guided", "offers no tools",
		},
		{
			"without tools, but it must not be guided",
			Info{Name: "phi4-reasoning:14b", Family: "phi3", Parameters: "14B", Capabilities: chat},
			"phi4-reasoning", "fenced-json", "offers no tools",
		},
		{
			"its own tokens, however small",
			Info{Name: "functiongemma:270m", Family: "gemma3", Parameters: "268M", Capabilities: chatTools},
			"functiongemma", "native", "",
		},
		{
			"unknown, with tools",
			Info{Name: "newcomer:70b", Family: "newcomer", Parameters: "70B", Capabilities: chatTools},
			"unknown", "guided", "nothing known",
		},
		{
			"unknown, without tools",
			Info{Name: "newcomer:70b", Parameters: "70B", Capabilities: chat},
			"unknown", "guided", "offers no tools",
		},
		{
			"unknown, thinking, with tools",
			Info{Name: "newcomer:70b", Parameters: "70B", Capabilities: []string{"completion", "tools", "thinking"}},
			"unknown", "native", "",
		},
		{
			"the parser beats a name that lies",
			Info{Name: "llama3.1:mine", Family: "gptoss", Parser: "harmony", Parameters: "20B", Capabilities: chatTools},
			"gpt-oss", "native", "parser harmony alone",
		},
		{
			"the template beats a name that lies",
			Info{Name: "gemma3:mine", Family: "granite", Template: "<|start_of_role|>available_tools", Parameters: "8B", Capabilities: chatTools},
			"granite3", "native", "template",
		},
		{
			"a relative's template confirms the name",
			Info{Name: "kimi-k2-thinking", Template: "<|tool_calls_section_begin|>", Capabilities: []string{"completion", "tools", "thinking"}},
			"kimi-k2.5", "native", "name kimi-k2-thinking*, confirmed by template",
		},
		{
			"a tune with the template of its base",
			Info{Name: "hermes4:70b", Family: "llama", Template: chatTemplate, Parameters: "70B", Capabilities: chatTools},
			"nous-hermes4", "native", "name hermes4*, confirmed by template",
		},
		{
			"granite 4 is not granite 3",
			Info{Name: "granite4:micro-h", Family: "granitehybrid", Template: "<|start_of_role|>available_tools", Parameters: "3.2B", Capabilities: chatTools},
			"granite4", "guided", "below 4B",
		},
		{
			"a name of nothing, a template of something",
			Info{Name: "work:latest", Family: "qwen2", Template: chatTemplate, Parameters: "14B", Capabilities: chatTools},
			"template-qwen", "native", "template",
		},
		{
			"a family alone is taken as its most general row",
			Info{Name: "work:latest", Family: "qwen2", Parameters: "14B", Capabilities: chatTools},
			"qwen", "native", "family qwen2 alone",
		},
		{
			"a distillation is what its name says, not its family",
			Info{Name: "deepseek-r1:7b", Family: "qwen2", Parameters: "7.6B", Capabilities: []string{"completion", "thinking"}},
			"deepseek-r1", "deepseek-r1", "name deepseek-r1* and family qwen2",
		},
		{
			"the longest pattern",
			Info{Name: "qwen3:4b-thinking-2507-q4_K_M", Family: "qwen3", Parameters: "4.0B", Capabilities: []string{"completion", "tools", "thinking"}},
			"qwen3-thinking", "native", "name qwen3:*thinking-2507*",
		},
		{
			"qwen3-coder is not qwen3",
			Info{Name: "qwen3-coder:30b", Family: "qwen3moe", Parser: "qwen3-coder", Parameters: "30.5B", Capabilities: chatTools},
			"qwen3-coder", "native", "parser qwen3-coder",
		},
		{"capabilities unknown", Info{Name: "llama3.1:8b", Parameters: "8B"}, "llama3.1", "native", "name llama3.1* alone"},
		{"nothing at all", Info{}, "unknown", "guided", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, why := profiles.For(test.info)
			if got.Name != test.profile || got.Formats[0] != test.first || !strings.Contains(why, test.why) {
				t.Errorf("profile %s, formats %v, because %s\nwant %s, %s first, because ...%s", got.Name, got.Formats, why, test.profile, test.first, test.why)
			}
			if !test.info.Can("tools") && len(test.info.Capabilities) > 0 && slices.Contains(got.Formats, "native") {
				t.Errorf("native among %v without tools", got.Formats)
			}
		})
	}
}

// Every row can be reached by each of its names, and no model gets a profile without a format.
func TestEveryRowIsReachable(t *testing.T) {
	profiles := builtin(t)
	for _, row := range profiles.rows {
		reached := len(row.Names) == 0
		for _, pattern := range row.Names {
			info := Info{Name: strings.ReplaceAll(pattern, "*", ""), Parameters: "30B"}
			if len(row.Families) > 0 {
				info.Family = strings.ReplaceAll(row.Families[0], "*", "")
			}
			got, _ := profiles.For(info)
			reached = reached || got.Name == row.Name
			if len(got.Formats) == 0 {
				t.Errorf("%s: no formats", info.Name)
			}
		}
		if !reached {
			t.Errorf("profile %q is reached by none of its names %v", row.Name, row.Names)
		}
	}
	if n := len(profiles.All()); n < 85 {
		t.Errorf("only %d profiles: rows of the table are missing", n)
	}
}

func TestLoadProfilesOver(t *testing.T) {
	p, err := LoadProfiles([]byte(`
core = ["get_time", "web_fetch"]

[[profile]]
name = "mine"
core = ["read_file"]
names = ["qwen2.5-coder:mine*"]
formats = ["hermes"]
guided = false
keep_thinking = "loop"
max_tools = 9

[[profile]]
name = "qwen2.5-coder"
names = ["qwen2.5-coder*"]
formats = ["native"]
sampling = { temperature = 0.3, think = false }
`))
	if err != nil {
		t.Fatal(err)
	}
	mine, _ := p.For(Info{Name: "qwen2.5-coder:mine", Capabilities: chatTools})
	if diff := cmp.Diff([]string{"hermes"}, mine.Formats); mine.Name != "mine" || diff != "" {
		t.Errorf("got %s %v", mine.Name, mine.Formats)
	}
	replaced, _ := p.For(Info{Name: "qwen2.5-coder:32b", Parameters: "32B", Capabilities: chatTools})
	if diff := cmp.Diff([]string{"native"}, replaced.Formats); diff != "" || *replaced.Temperature != 0.3 || replaced.Think != ThinkOff {
		t.Errorf("got %v, temperature %v", replaced.Formats, replaced.Temperature)
	}
	if core := p.CoreOf(mine); !slices.Equal(core, []string{"read_file"}) {
		t.Errorf("the core of a profile is %q", core)
	}
	if core := p.CoreOf(replaced); !slices.Equal(core, []string{"get_time", "web_fetch"}) {
		t.Errorf("the core of a profile that names none is %q", core)
	}
	if core := builtin(t).CoreOf(replaced); len(core) != 9 {
		t.Errorf("the built-in core is %q", core)
	}
	if built, added := len(builtin(t).All()), len(p.All()); added != built+1 {
		t.Errorf("%d profiles became %d", built, added)
	}
}

func TestLoadProfileErrors(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"syntax", "[[profile]]\nname = \n", ":2: "},
		{"type", "[[profile]]\nname = \"a\"\nnames = 3\n", ":3: "},
		{"unknown key", "[[profile]]\nname = \"a\"\nnames = [\"a\"]\nformats = [\"text\"]\nthinkin = \"none\"\n", `:5: unknown key "thinkin"`},
		{"unknown format", "\n[[profile]]\nname = \"a\"\nnames = [\"a\"]\nformats = [\"xml\"]\n", `:3: profile "a": unknown format "xml"; known are native`},
		{"no evidence", "[[profile]]\nname = \"a\"\nformats = [\"text\"]\n", ":2: "},
		{"no formats", "[[profile]]\nname = \"a\"\nnames = [\"a\"]\n", "it needs formats"},
		{"no name", "[[profile]]\nnames = [\"a\"]\nformats = [\"text\"]\n", "it needs a name"},
		{"twice", "[[profile]]\nname = \"a\"\nnames = [\"a\"]\nformats = [\"text\"]\n[[profile]]\nname = \"a\"\n", `:6: two profiles are called "a"`},
		{"contradiction", "[[profile]]\nname = \"a\"\nnames = [\"a\"]\nformats = [\"guided\"]\nguided = false\n", `constraint is "never"`},
		{"another contradiction", "[[profile]]\nname = \"a\"\nnames = [\"a\"]\nformats = [\"guided\"]\nconstraint = \"never\"\n", `constraint is "never"`},
		{"an unknown constraint", "[[profile]]\nname = \"a\"\nnames = [\"a\"]\nformats = [\"text\"]\nconstraint = \"no\"\n", "constraint may only be"},
		{"upper case", "[[profile]]\nname = \"a\"\nnames = [\"Qwen*\"]\nformats = [\"text\"]\n", "lower case"},
		{"a core of ten", "\ncore = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\", \"i\", \"j\"]\n", ":2: core names 10 tools; 9 are the most, tool_search finds the others"},
		{"a row's core of ten", "[[profile]]\nname = \"a\"\nnames = [\"a\"]\nformats = [\"text\"]\ncore = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\", \"i\", \"j\"]\n", "core names 10 tools"},
		{"a fence", "[[profile]]\nname = \"a\"\nnames = [\"a\"]\nformats = [\"text\"]\nfence = \"sh\"\n", `fence may only be one of tool_code, python, not "sh"`},
		{"a system role", "[[profile]]\nname = \"a\"\nnames = [\"a\"]\nformats = [\"text\"]\nsystem = \"developer\"\n", `system may only be "user", not "developer"`},
		{"bad pattern", "[[profile]]\nname = \"a\"\nnames = [\"[\"]\nformats = [\"text\"]\n", "not a pattern"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "models.toml")
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := LoadProfileFiles(file)
			if err == nil || !strings.HasPrefix(err.Error(), file+":") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s...%s", err, file, test.want)
			}
		})
	}
	if _, err := LoadProfileFiles(filepath.Join(t.TempDir(), "absent.toml")); err != nil {
		t.Errorf("an absent file: %v", err)
	}
	if _, err := LoadProfiles([]byte("x")); err == nil || !strings.HasPrefix(err.Error(), "profiles 1:1: ") {
		t.Errorf("got %v", err)
	}
}

func FuzzLoadProfiles(f *testing.F) {
	f.Add([]byte("[[profile]]\nname = \"a\"\nnames = [\"a*\"]\nformats = [\"text\"]\n"), "a:1b", "qwen2")
	f.Add(builtinProfiles, "hf.co/x/Y-GGUF:Q4", "")
	f.Fuzz(func(t *testing.T, data []byte, name, family string) {
		p, err := LoadProfiles(data)
		if err != nil {
			return
		}
		if got, why := p.For(Info{Name: name, Family: family}); len(got.Formats) == 0 || why == "" {
			t.Errorf("%+v because %q", got, why)
		}
	})
}

// A server that was seen not to hold replies to a schema is never asked to.
func TestAServerThatHoldsNoReplyToASchema(t *testing.T) {
	for _, name := range []string{"qwen2.5-coder:1.5b", "newcomer:1b"} {
		for _, tools := range [][]string{chatTools, chat} {
			info := Info{Name: name, Parameters: "1.5B", Capabilities: tools}
			if held, _ := builtin(t).For(info); held.Formats[0] != "guided" {
				t.Errorf("%s is not guided by %q", name, held.Formats)
			}
			info.Unconstrained = true
			profile, why := builtin(t).For(info)
			if slices.Contains(profile.Formats, "guided") || len(profile.Formats) == 0 || profile.Constraint != Unconstrained || !strings.Contains(why, "holds no reply") {
				t.Errorf("%s: %q, %s, since %s", name, profile.Formats, profile.Constraint, why)
			}
		}
	}
}

func TestThinkOfAProfile(t *testing.T) {
	const row = "[[profile]]\nname = \"mine\"\nnames = [\"mine\"]\nformats = [\"native\"]\nsampling = { think = %s }\n"
	for written, want := range map[string]Think{"true": ThinkOn, "false": ThinkOff, `"low"`: ThinkLow, `"medium"`: ThinkMedium, `"high"`: ThinkHigh, `"off"`: ThinkOff, `"on"`: ThinkOn} {
		p, err := LoadProfiles(fmt.Appendf(nil, row, written))
		if err != nil {
			t.Fatal(err)
		}
		if mine, _ := p.For(Info{Name: "mine", Capabilities: chatTools}); mine.Think != want {
			t.Errorf("%s is %q", written, mine.Think)
		}
	}
	for _, written := range []string{"1", `""`, `"very"`, "[true]", `"High"`} {
		if _, err := LoadProfiles(fmt.Appendf(nil, row, written)); err == nil || !strings.Contains(err.Error(), "think may be true, false") {
			t.Errorf("%s: %v", written, err)
		} else {
			t.Log(err)
		}
	}
}
