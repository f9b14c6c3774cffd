package configfiles_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/internal/settings"
	"github.com/assent-ls/assent/lsp/configfiles"
)

// at cuts the mark of the cursor out of a text.
func at(t *testing.T, marked string) (text string, offset int) {
	t.Helper()
	before, after, ok := strings.Cut(marked, "‸")
	if !ok {
		t.Fatalf("no cursor in %q", marked)
	}
	return before + after, len(before)
}

// completed is a text after a completion with some label was chosen at the cursor.
func completed(t *testing.T, kind configfiles.Kind, marked, label string) string {
	t.Helper()
	text, offset := at(t, marked)
	got := "nothing"
	for _, c := range configfiles.Complete(kind.Schema(), text, offset) {
		if c.Label == label {
			got = text[:c.Replace.Start] + c.Text + text[c.Replace.End:]
		}
	}
	return got
}

func TestComplete(t *testing.T) {
	schema := configfiles.UserSettings.Schema()
	tests := []struct{ marked, choose, want string }{
		{`{‸}`, "maxSteps", `{"maxSteps": 25}`},
		{"{\n  ‸\n  \"model\": \"m\"\n}", "maxSteps", "{\n  \"maxSteps\": 25,\n  \"model\": \"m\"\n}"},
		{`{"model": "m", "max‸`, "maxSteps", `{"model": "m", "maxSteps": 25`},
		{`{"model": "m", "max‸"}`, "maxSteps", `{"model": "m", "maxSteps": 25}`},
		{`{"max‸": 7}`, "maxSteps", `{"maxSteps": 7}`},
		{`{max‸}`, "maxSteps", `{"maxSteps": 25}`},
		{`{"logLevel":‸}`, `"warn"`, `{"logLevel": "warn"}`},
		{`{"logLevel": ‸, "model": "m"}`, `"warn"`, `{"logLevel": "warn", "model": "m"}`},
		{"{\"logLevel\": ‸\n\"model\": \"m\"}", `"warn"`, "{\"logLevel\": \"warn\"\n\"model\": \"m\"}"},
		{`{"logLevel": "w‸"}`, `"warn"`, `{"logLevel": "warn"}`},
		{`{"saveAfterEdit": ‸}`, "false", `{"saveAfterEdit": false}`},
		{`{"saveAfterEdit": t‸`, "true", `{"saveAfterEdit": true`},
		{`{"keepAlive": ‸}`, `"5m"`, `{"keepAlive": "5m"}`},
		{"{ // a comment\n‸}", "model", "{ // a comment\n\"model\": \"\"}"},
	}
	for _, test := range tests {
		if got := completed(t, configfiles.UserSettings, test.marked, test.choose); got != test.want {
			t.Errorf("%s at %s:\ngot  %s\nwant %s", test.choose, test.marked, got, test.want)
		}
	}
	for _, marked := range []string{"‸", "{}‸", `{"model": {‸}}`, "{ // ‸", "{ /* ‸ */ }", `{"unknown": ‸}`, `{"model": "m" // x‸` + "\n}"} {
		text, offset := at(t, marked)
		for _, c := range configfiles.Complete(schema, text, offset) {
			if c.Key {
				t.Errorf("%s: offered %s", marked, c.Label)
			}
		}
	}
	text, offset := at(t, `{"maxSteps": 7, ‸}`)
	for _, c := range configfiles.Complete(schema, text, offset) {
		if c.Label == "maxSteps" || c.Label == "path" {
			t.Errorf("%s is offered, which is there already or is for an extension", c.Label)
		}
	}
}

func TestHover(t *testing.T) {
	schema := configfiles.UserSettings.Schema()
	for marked, want := range map[string]string{
		`{"max‸Steps": 7}`:        "**maxSteps**\n\nHow many replies",
		`{"maxSteps": ‸7}`:        "From 1 to 1000.\n\nDefault: `25`.",
		`{"logLevel": "warn‸`:     "One of `debug`, `info`, `warn`, `error`.",
		`{"maxSteps": 7, "xyz‸"}`: "",
		`{"maxSteps": 7}‸  `:      "",
		`‸`:                       "",
	} {
		text, offset := at(t, marked)
		got, span, ok := configfiles.Hover(schema, text, offset)
		if ok != (want != "") || !strings.Contains(got, want) || ok && (span.Start > offset || span.End < offset) {
			t.Errorf("%s: %q, %v, %v", marked, got, span, ok)
		}
	}
}

func TestDiagnoseSettings(t *testing.T) {
	text := "{\n  \"maxSteps\": \"x\", // wrong\n  \"colour\": 1,\n  \"ollamaHost\": \"h\"\n}"
	for folder, want := range map[string]string{
		"":   `"x"=maxSteps: "x" is not a whole number. "colour"=colour: there is no such setting.`,
		"/w": `"x"=maxSteps: "x" is not a whole number. "colour"=colour: there is no such setting. "ollamaHost"=ollamaHost: a workspace may not set it; put it into your own settings.`,
	} {
		var got []string
		for _, d := range configfiles.DiagnoseSettings(&settings.Store{}, folder, text) {
			got = append(got, fmt.Sprintf("%s=%s", text[d.Span.Start:d.Span.End], d.Message))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q:\n got %s\nwant %s", folder, strings.Join(got, " "), want)
		}
	}
}

func TestKindOf(t *testing.T) {
	places := configfiles.Places{Config: "/home/u/.config/assent", Workspace: "/w"}
	for path, want := range map[string]configfiles.Kind{
		"/home/u/.config/assent/settings.json":   configfiles.UserSettings,
		"/w/.assent/settings.json":               configfiles.WorkspaceSettings,
		"/w/.assent/tools/a.json":                configfiles.WorkspaceTool,
		"/w/.assent/tools/deep/a.json":           configfiles.None,
		"/w/.assent/tools/a.txt":                 configfiles.None,
		"/w/sub/.assent/settings.json":           configfiles.None,
		"/w/settings.json":                       configfiles.None,
		"/w2/.assent/settings.json":              configfiles.None,
		"/home/u/.config/assent2/settings.json":  configfiles.None,
		"/home/u/.config/assent/x/settings.json": configfiles.None,
		"/home/u/.config/assent/mcp.json":        configfiles.UserServers,
		"/home/u/.config/assent/databases.json":  configfiles.UserDatabases,
		"/w/.assent/databases.json":              configfiles.None,
		"/home/u/.config/assent/servers.json":    configfiles.UserModelServers,
		"/w/.assent/servers.json":                configfiles.None,
		"/w/.assent/mcp.json":                    configfiles.WorkspaceServers,
		"/w/sub/.assent/mcp.json":                configfiles.None,
		"/w/.mcp.json":                           configfiles.None,
		"/w/.vscode/mcp.json":                    configfiles.None,
	} {
		if got := places.KindOf(path); got != want {
			t.Errorf("%s is %v, want %v", path, got, want)
		}
	}
}

// FuzzComplete: whatever is written, places lie in the text, and no key is offered twice.
func FuzzComplete(f *testing.F) {
	for _, seed := range []string{`{"maxSteps": 7, "logLevel": "warn"}`, "{\n // x\n}", `{"a": [1, {"b": `, `{"a": "b" "c"`, "{]", `{"x`, "/*", "//", `{:}`} {
		f.Add(seed, len(seed)/2)
	}
	schema := configfiles.UserSettings.Schema()
	f.Fuzz(func(t *testing.T, text string, offset int) {
		if offset < 0 || offset > len(text) {
			return
		}
		_, err := jsonc.Parse([]byte(text))
		for _, c := range configfiles.Complete(schema, text, offset) {
			if c.Replace.Start < 0 || c.Replace.End < c.Replace.Start || c.Replace.End > len(text) {
				t.Fatalf("%q at %d: %+v", text, offset, c)
			}
			after := text[:c.Replace.Start] + c.Text + text[c.Replace.End:]
			if _, broken := jsonc.Parse([]byte(after)); err == nil && broken != nil && strings.Contains(broken.Error(), "twice") {
				t.Fatalf("%q at %d: %q: %v", text, offset, after, broken)
			}
		}
		configfiles.Hover(schema, text, offset)
	})
}
