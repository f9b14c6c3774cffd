package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Invariant 17.
func TestGeneratedFilesAreUpToDate(t *testing.T) {
	if err := doMain("../..", false); err != nil {
		t.Error(err)
	}
}

// restricted is the part of a manifest that says what a folder that is not trusted may not set.
const restricted = `"capabilities": {"untrustedWorkspaces": {"supported": "limited", "restrictedConfigurations": []}},`

func TestManifestKeepsTheRest(t *testing.T) {
	old := "{\n  \"b\": 1,\n" + restricted + "  \"contributes\": {\n    \"configuration\": {},\n    \"menus\": { \"x\": [1] },\n    \"commands\": [{\"command\": \"assent.send\", \"title\": \"Old\", \"icon\": \"$(send)\"}, " +
		"{\"command\": \"assent.gone\"}, {\"command\": \"assent.vscode.menu\", \"title\": \"Menu\"}]\n  },\n  \"a\": 2\n}\n"
	got, err := vscodeManifest([]byte(old))
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(got) || !strings.HasPrefix(string(got), "{\n  \"b\": 1,\n"+strings.TrimSuffix(restricted, "]}},")) ||
		!strings.HasSuffix(string(got), "]\n  },\n  \"a\": 2\n}\n") || !strings.Contains(string(got), "\"menus\": { \"x\": [1] }") {
		t.Errorf("got\n%s", got)
	}
	for part, want := range map[string]bool{`"title": "Send",\n        "category": "Assent",\n        "icon": "$(send)"`: true, `"title": "Menu"`: true, `"Old"`: false, `assent.gone`: false, `"assent.seed",\n`: true} {
		if part = strings.ReplaceAll(part, `\n`, "\n"); strings.Contains(string(got), part) != want {
			t.Errorf("%s: %v, want %v, in\n%s", part, !want, want, got)
		}
	}
	again, err := vscodeManifest(got)
	if diff := cmp.Diff(string(got), string(again)); err != nil || diff != "" {
		t.Errorf("the second time it differs: %v\n%s", err, diff)
	}
	for _, bad := range []string{"", "[]", "{}", `{"contributes":7}`, `{"contributes":{"commands":[]}}`, `{"contributes":{"commands":[],"configuration":{}}}`} {
		if _, err := vscodeManifest([]byte(bad)); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestWriteThenNoDrift(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"docs", "editors/vscode"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(root, "editors/nvim"), os.DirFS("../../editors/nvim")); err != nil {
		t.Fatal(err)
	}
	manifest := []byte("{" + restricted + `"contributes":{"commands":[],"configuration":{}}}`)
	if err := os.WriteFile(filepath.Join(root, "editors/vscode/package.json"), manifest, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := doMain(root, false); err == nil {
		t.Error("drift was not seen")
	}
	if err := doMain(root, true); err != nil {
		t.Fatal(err)
	}
	if err := doMain(root, false); err != nil {
		t.Error(err)
	}
}
