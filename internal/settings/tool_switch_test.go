package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/internal/settings"
)

// A tool is switched in the user's file alone, and nothing else in it changes.
func TestSwitchTool(t *testing.T) {
	for name, tt := range map[string]struct {
		file string // empty: there is none
		on   bool
		want string // of the file
	}{
		"off, no file":      {"", false, "{\n  \"toolsOff\": [\"a\"]\n}\n"},
		"off":               {"{\"toolsOff\": [\"b\"]} // mine\n", false, "{\"toolsOff\": [\"b\", \"a\"]} // mine\n"},
		"off again":         {`{"toolsOff": ["a"]}`, false, `{"toolsOff": ["a"]}`},
		"on":                {`{"toolsOff": ["a", "b"], "model": "m"}`, true, `{"toolsOff": ["b"], "model": "m"}`},
		"on already":        {`{"model": "m"}`, true, `{"model": "m"}`},
		"on, of a list":     {`{"tools": ["b"]}`, true, `{"tools": ["b", "a"]}`},
		"on, of both lists": {`{"tools": [], "toolsOff": ["a"]}`, true, `{"tools": ["a"], "toolsOff": []}`},
		"on, no list":       {`{"tools": null, "toolsOff": ["a"]}`, true, `{"tools": null, "toolsOff": []}`},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "assent", "settings.json")
			var s settings.Store
			if tt.file != "" {
				writeFile(t, path, tt.file)
				s.Set(settings.UserFile, []byte(tt.file))
			}
			err := s.SwitchTool(path, "a", tt.on)
			got, readErr := os.ReadFile(path)
			if err != nil || readErr != nil || string(got) != tt.want {
				t.Errorf("%v, %v: %q", err, readErr, got)
			}
			if now := s.Tool("", "a"); now.Off == tt.on || now.Against(tt.on) != "" {
				t.Errorf("now it is %v", now)
			}
		})
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A file that cannot be changed stays as it is, and the error says what is wrong.
func TestSwitchToolRefuses(t *testing.T) {
	for file, want := range map[string]string{
		`{"toolsOff": "a"}`: `"toolsOff" is no list`,
		`{"tools": true}`:   `"tools" is no list`,
		`{"toolsOff": [`:    "not JSON",
		`[]`:                "not a JSON object",
	} {
		path := filepath.Join(t.TempDir(), "settings.json")
		writeFile(t, path, file)
		var s settings.Store
		err := s.SwitchTool(path, "a", true)
		if got, _ := os.ReadFile(path); err == nil || !strings.Contains(err.Error(), want) || string(got) != file {
			t.Errorf("%q: %v, and the file is %q", file, err, got)
		}
	}
	var s settings.Store
	if err := s.SwitchTool(t.TempDir(), "a", false); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
	if err := s.SwitchTool(filepath.Join(t.TempDir(), "x"), "a b", false); err == nil || !strings.Contains(err.Error(), "is no name") {
		t.Errorf("a name with a blank: %v", err)
	}
}

// Whoever switches a tool is told which source decides instead of their file.
func TestTool(t *testing.T) {
	for name, tt := range map[string]struct {
		source settings.Source
		text   string
		want   string // of a
		on     string // why it is not on
		off    string // why it is not off
	}{
		"nobody":              {settings.UserFile, `{}`, "on", "", "it stays on: the list toolsOff in built in comes before yours"},
		"the file":            {settings.UserFile, `{"toolsOff":["a"]}`, "off", "it stays off, by toolsOff in your settings file", ""},
		"the file's list":     {settings.UserFile, `{"tools":["b"]}`, "off", "it stays off, by tools in your settings file", ""},
		"the editor":          {settings.Editor, `{"toolsOff":["a"]}`, "off (toolsOff in the editor's settings)", "it stays off, by toolsOff in the editor's settings", ""},
		"the editor's others": {settings.Editor, `{"toolsOff":["b"]}`, "on", "", "it stays on: the list toolsOff in the editor's settings comes before yours"},
		"the workspace":       {settings.Workspace, `{"toolsOff":["a"]}`, "off (toolsOff in the workspace's settings file)", "it stays off, by toolsOff in the workspace's settings file", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var s settings.Store
			if tt.source == settings.Workspace {
				s.SetWorkspace("/w", []byte(tt.text))
			} else {
				s.Set(tt.source, []byte(tt.text))
			}
			got := s.Tool("/w", "a")
			if got.String() != tt.want || got.Against(true) != tt.on || got.Against(false) != tt.off {
				t.Errorf("%v; on: %q; off: %q", got, got.Against(true), got.Against(false))
			}
		})
	}
}
