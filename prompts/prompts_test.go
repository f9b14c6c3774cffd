package prompts_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools/workspace"
)

// fixture is a user with a configuration folder and a workspace.
type fixture struct {
	config, root string
	ws           *workspace.Workspace
}

// newFixture writes files: names that begin with "user/" go below the configuration folder, others below the workspace.
func newFixture(t *testing.T, files map[string]string) fixture {
	t.Helper()
	base := t.TempDir()
	x := fixture{config: filepath.Join(base, "config"), root: filepath.Join(base, "ws")}
	if err := os.MkdirAll(x.root, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		file := filepath.Join(x.root, name)
		if rest, ok := strings.CutPrefix(name, "user/"); ok {
			file = filepath.Join(x.config, "prompts", rest)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x.ws = openWorkspace(t, x.root)
	return x
}

func openWorkspace(t *testing.T, root string) *workspace.Workspace {
	t.Helper()
	ws, err := workspace.Open(root, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	return ws
}

func (x fixture) load(ctx context.Context, model string, trusted bool) (prompts.Prompt, error) {
	return prompts.Load(ctx, prompts.Options{Model: model, Config: x.config, Workspace: x.ws, Trusted: trusted})
}

func builtIn(t *testing.T) string {
	t.Helper()
	p, err := prompts.Load(t.Context(), prompts.Options{Config: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return p.Text
}

func TestBuiltIn(t *testing.T) {
	text := builtIn(t)
	// Some 150 tokens: a token is at least four bytes of such prose.
	if len(text) > 800 || text != strings.TrimSpace(text) || !utf8.ValidString(text) {
		t.Errorf("%d bytes: %q", len(text), text)
	}
	// A path in an example leaks into the calls of small models.
	for _, leak := range []string{"src", ".txt", ".go", ".py", ".md", "/"} {
		if strings.Contains(text, leak) {
			t.Errorf("the prompt holds %q", leak)
		}
	}
}

// summary is one line per layer.
func summary(x fixture, p prompts.Prompt) string {
	var b strings.Builder
	for _, l := range p.Layers {
		path := strings.NewReplacer(x.config, "CONFIG", x.root, "WS").Replace(l.Path)
		fmt.Fprintf(&b, "%s|%s|%v|%s\n", l.Name, path, l.Used, l.Why)
	}
	return b.String()
}

// Promise 6. Invariant 1.
func TestLayers(t *testing.T) {
	all := map[string]string{
		"user/system.md": "user\n", "user/system.m-1b.md": "user m\n", "user/system.other.md": "never\n",
		".assent/prompts/system.md": "\nworkspace\r\nline\n\n", ".assent/prompts/system.m-1b.md": "workspace m",
	}
	with := func(name, text string) map[string]string {
		changed := map[string]string{}
		maps.Copy(changed, all)
		changed[name] = text
		return changed
	}
	const userLayers = "user|CONFIG/prompts/system.md|true|\nuser, m:1b|CONFIG/prompts/system.m-1b.md|true|\n"
	for name, tt := range map[string]struct {
		files        map[string]string
		model        string
		trusted      bool
		want, layers string
	}{
		"nothing": {nil, "m:1b", true, "BUILTIN", "built-in||true|\n"},
		"trusted": {
			all, "m:1b", true, "BUILTIN\n\nuser\n\nuser m\n\nworkspace\nline\n\nworkspace m",
			"built-in||true|\n" + userLayers + "workspace|WS/.assent/prompts/system.md|true|\nworkspace, m:1b|WS/.assent/prompts/system.m-1b.md|true|\n",
		},
		"not trusted": {
			all, "m:1b", false, "BUILTIN\n\nuser\n\nuser m",
			"built-in||true|\n" + userLayers + "workspace|WS/.assent/prompts/system.md|false|The workspace is not trusted, so its prompts are not used.\n" +
				"workspace, m:1b|WS/.assent/prompts/system.m-1b.md|false|The workspace is not trusted, so its prompts are not used.\n",
		},
		"another model": {
			all, "x", true, "BUILTIN\n\nuser\n\nworkspace\nline",
			"built-in||true|\nuser|CONFIG/prompts/system.md|true|\nworkspace|WS/.assent/prompts/system.md|true|\n",
		},
		"replaced": {
			with("user/system.m-1b.md", "---\nreplace: true\n---\nmine\n"), "m:1b", true, "mine\n\nworkspace\nline\n\nworkspace m",
			"built-in||false|The layer \"user, m:1b\" replaces it.\nuser|CONFIG/prompts/system.md|false|The layer \"user, m:1b\" replaces it.\nuser, m:1b|CONFIG/prompts/system.m-1b.md|true|\n" +
				"workspace|WS/.assent/prompts/system.md|true|\nworkspace, m:1b|WS/.assent/prompts/system.m-1b.md|true|\n",
		},
		"replaced by nothing":  {map[string]string{"user/system.md": "---\r\nreplace: true\r\n---"}, "", true, "", "built-in||false|The layer \"user\" replaces it.\nuser|CONFIG/prompts/system.md|true|\n"},
		"not replaced":         {map[string]string{"user/system.md": "---\nreplace: false\n---\nmine"}, "", true, "BUILTIN\n\nmine", "built-in||true|\nuser|CONFIG/prompts/system.md|true|\n"},
		"empty front matter":   {map[string]string{"user/system.md": "---\n---\nmine"}, "", true, "BUILTIN\n\nmine", "built-in||true|\nuser|CONFIG/prompts/system.md|true|\n"},
		"empty":                {map[string]string{"user/system.md": " \n"}, "", true, "BUILTIN", "built-in||true|\nuser|CONFIG/prompts/system.md|false|It is empty.\n"},
		"a rule is no front":   {map[string]string{"user/system.md": "mine\n---\nreplace: true\n---\n"}, "", true, "BUILTIN\n\nmine\n---\nreplace: true\n---", "built-in||true|\nuser|CONFIG/prompts/system.md|true|\n"},
		"an untrusted replace": {map[string]string{".assent/prompts/system.md": "---\nreplace: true\n---\nobey me"}, "", false, "BUILTIN", "built-in||true|\nworkspace|WS/.assent/prompts/system.md|false|The workspace is not trusted, so its prompts are not used.\n"},
		"invisible": {
			map[string]string{"user/system.md": "a\u202eb\nc\U000E0041\x1b[2K\n\u200bd ⚠️ 👩\u200d💻 नमस्\u200dते\n"},
			"", true,
			"BUILTIN\n\na<U+202E>b\nc<U+E0041><U+001B>[2K\n<U+200B>d ⚠️ 👩\u200d💻 नमस्\u200dते",
			"built-in||true|\nuser|CONFIG/prompts/system.md|true|It holds invisible characters, which are written out: U+202E on line 1, U+E0041 on line 2, U+001B on line 2 and 1 more.\n",
		},
		"a hidden message": {
			map[string]string{"user/system.md": "😀\ufe00\ufe01\ufe02 ä\u200d\u200d\u200d"},
			"", true,
			"BUILTIN\n\n😀\ufe00<U+FE01><U+FE02> ä\u200d<U+200D><U+200D>",
			"built-in||true|\nuser|CONFIG/prompts/system.md|true|It holds invisible characters, which are written out: U+FE01 on line 1, U+FE02 on line 1, U+200D on line 1.\n",
		},
	} {
		x := newFixture(t, tt.files)
		for range 2 { // equal files, equal bytes
			p, err := x.load(t.Context(), tt.model, tt.trusted)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if diff := cmp.Diff(strings.Replace(tt.want, "BUILTIN", builtIn(t), 1), p.Text); diff != "" {
				t.Errorf("%s: text: %s", name, diff)
			}
			if diff := cmp.Diff(tt.layers, summary(x, p)); diff != "" {
				t.Errorf("%s: layers: %s", name, diff)
			}
		}
	}
}

func TestPromptsThatCannotBeUsed(t *testing.T) {
	for want, text := range map[string]string{
		"has more than 32 KB":                  strings.Repeat("x", 32<<10+1),
		"is not a text file":                   "caf\xe9",
		"has no end":                           "---\nreplace: true\nmine\n",
		`may only say "replace: true"`:         "---\nmodel: other\n---\nmine\n",
		`"replace: false"`:                     "---\nreplace: maybe\n---\nmine\n",
		"front matter may only say":            "---\n[1, 2\n---\nmine\n",
		`is not used: it is not a text file`:   "a\x00b",
		`is not used: its front matter has no`: "---\n",
	} {
		for _, place := range []string{"user/system.md", ".assent/prompts/system.md"} {
			x := newFixture(t, map[string]string{place: text, "user/system.m.md": "still here"})
			p, err := x.load(t.Context(), "m", true)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s with %.20q: error %v; want %q", place, text, err, want)
			}
			if p.Text != builtIn(t)+"\n\nstill here" || !strings.Contains(summary(x, p), "|false|The prompt ") {
				t.Errorf("%s with %.20q: %q\n%s", place, text, p.Text, summary(x, p))
			}
			// What is not used is no error.
			if _, err := x.load(t.Context(), "m", false); (err != nil) != strings.HasPrefix(place, "user/") {
				t.Errorf("%s, not trusted: %v", place, err)
			}
		}
	}
}

// Promise 6.
func TestAWorkspacePromptIsNoLink(t *testing.T) {
	x := newFixture(t, map[string]string{"README.md": "obey\n", "conf/prompts/system.md": "obey\n"})
	for _, link := range [][2]string{{"../../README.md", ".assent/prompts/system.md"}, {"conf", ".assent"}, {"/etc/hostname", ".assent/prompts/system.md"}} {
		if err := os.RemoveAll(filepath.Join(x.root, ".assent")); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(x.root, link[1])
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(link[0], name); err != nil {
			t.Fatal(err)
		}
		p, err := x.load(t.Context(), "", true)
		if err == nil || !strings.Contains(err.Error(), "link") || p.Text != builtIn(t) {
			t.Errorf("%s → %s: %v, %q", link[1], link[0], err, p.Text)
		}
	}
}

func TestProse(t *testing.T) {
	for got, want := range map[string]string{
		prompts.Denied(""):            "The user denied this call. Do not make it again. Ask what the user wants instead.",
		prompts.Denied(" use tabs\n"): "The user denied this call. Do not make it again. The user says: use tabs",
		prompts.NotRun():              "This call was not run. Make it again if it is still needed.",
	} {
		if got != want {
			t.Errorf("%q; want %q", got, want)
		}
	}
}

func TestFileName(t *testing.T) {
	for model, want := range map[string]string{
		"qwen2.5-coder:1.5b": "system.qwen2.5-coder-1.5b.md", "llama3:latest": "system.llama3.md", "llama3": "system.llama3.md",
		"hf.co/org/name:Q4_K_M": "system.hf.co_org_name-Q4_K_M.md", "../../etc/passwd": "system..._.._etc_passwd.md",
		"": "", "a b": "", "a\\b": "", "a\x00": "", "a\nb": "", "a\u202eb": "", "a\xff": "", strings.Repeat("x", 300): "",
	} {
		if got := prompts.FileName(model); got != want {
			t.Errorf("FileName(%q) = %q; want %q", model, got, want)
		}
		if got := prompts.FileName(model); strings.ContainsAny(got, `/\`) {
			t.Errorf("FileName(%q) = %q leaves its folder", model, got)
		}
	}
}

func TestTheUsersConfigurationFolder(t *testing.T) {
	base := t.TempDir()
	for dir, text := range map[string]string{"xdg/assent": "from xdg", "home/.config/assent": "from home"} {
		if err := os.MkdirAll(filepath.Join(base, dir, "prompts"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(base, dir, "prompts", "system.md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", filepath.Join(base, "home"))
	for xdg, want := range map[string]string{"": "from home", "relative": "from home", filepath.Join(base, "xdg"): "from xdg"} {
		t.Setenv("XDG_CONFIG_HOME", xdg)
		p, err := prompts.Load(t.Context(), prompts.Options{})
		if err != nil || !strings.HasSuffix(p.Text, "\n\n"+want) {
			t.Errorf("XDG_CONFIG_HOME=%q: %v, %q", xdg, err, p.Text)
		}
	}
	t.Setenv("HOME", "")
	t.Setenv("XDG_CONFIG_HOME", "")
	if p, err := prompts.Load(t.Context(), prompts.Options{}); err != nil || len(p.Layers) != 1 {
		t.Errorf("without a home: %v, %+v", err, p.Layers)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("---\nreplace: true\n---\nmine")
	f.Add("a\u202e\ufe0f")
	f.Add("---\r\n---\r")
	config := f.TempDir()
	if err := os.Mkdir(filepath.Join(config, "prompts"), 0o755); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(filepath.Join(config, "prompts", "system.md"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := prompts.Load(t.Context(), prompts.Options{Config: config})
		if len(p.Layers) != 2 || (err != nil) != strings.HasPrefix(p.Layers[1].Why, "The prompt ") || !utf8.ValidString(p.Text) || strings.ContainsAny(p.Text, "\x00\x1b\r\u202e") {
			t.Errorf("Load with %q = %+v, %v", text, p, err)
		}
	})
}
