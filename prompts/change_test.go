package prompts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/prompts"
)

func TestMakeAndReset(t *testing.T) {
	x := newFixture(t, nil)
	o := prompts.Options{Model: "org/m:1b", Family: "gemma3", Config: x.config, Workspace: x.ws, Trusted: true}
	backups := filepath.Join(t.TempDir(), "state", "prompts")
	for _, scope := range prompts.Scopes() {
		f, err := prompts.FileFor(scope, o)
		if err != nil {
			t.Fatal(err)
		}
		if made, err := prompts.Make(t.Context(), f, x.ws); !made || err != nil {
			t.Errorf("%s: made %v, %v", scope, made, err)
		}
		if made, err := prompts.Make(t.Context(), f, x.ws); made || err != nil {
			t.Errorf("%s again: made %v, %v", scope, made, err)
		}
		// The comment is no prompt, and what is written below it is one.
		if p, err := prompts.Load(t.Context(), o); err != nil || p.Text != builtIn(t) {
			t.Errorf("%s: %v, %q", scope, err, p.Text)
		}
		text, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Path, append(text, "Mine.\n"...), 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := prompts.Load(t.Context(), o); err != nil || p.Text != builtIn(t)+"\n\nMine." {
			t.Errorf("%s: %v, %q", scope, err, p.Text)
		}
		kept, err := prompts.Reset(t.Context(), f, x.ws, backups, time.Unix(0, 0))
		saved, readErr := os.ReadFile(kept)
		if err != nil || readErr != nil || string(saved) != string(text)+"Mine.\n" {
			t.Errorf("%s: kept %q, %v, %v", scope, saved, err, readErr)
		}
		if _, err := os.Lstat(f.Path); err == nil {
			t.Errorf("%s is still there", f.Path)
		}
		if kept, err := prompts.Reset(t.Context(), f, x.ws, backups, time.Unix(0, 0)); kept != "" || err != nil {
			t.Errorf("%s, nothing there: %q, %v", scope, kept, err)
		}
	}
	if all, err := os.ReadDir(backups); err != nil || len(all) != 4 {
		t.Errorf("%v, %v", all, err)
	}
}

func TestScopesThatMeanNothing(t *testing.T) {
	x := newFixture(t, nil)
	for scope, want := range map[prompts.Scope]string{"model": "which model is meant", "family": "which model is meant", "workspace": "no workspace folder", "odd": `no "odd"`} {
		if _, err := prompts.FileFor(scope, prompts.Options{Config: x.config}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", scope, err)
		}
	}
	for model, want := range map[string]string{"a b": "cannot be that of a file", "m": "family of \"m\" is not known"} {
		_, err := prompts.FileFor(prompts.ForModel, prompts.Options{Config: x.config, Model: model})
		if model == "m" {
			_, err = prompts.FileFor(prompts.ForFamily, prompts.Options{Config: x.config, Model: model, Family: "unknown"})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", model, err)
		}
	}
}

// Nothing is removed that is not kept, and a link is not followed.
func TestWhatResetLeavesAlone(t *testing.T) {
	x := newFixture(t, map[string]string{"README.md": "readme", "user/system.md": "mine"})
	o := prompts.Options{Config: x.config, Workspace: x.ws}
	user, _ := prompts.FileFor(prompts.ForUser, o)
	if _, err := prompts.Reset(t.Context(), user, x.ws, filepath.Join(x.root, "README.md"), time.Now()); err == nil || !strings.Contains(err.Error(), "nothing is done") {
		t.Errorf("without a place for the backup: %v", err)
	}
	if data, err := os.ReadFile(user.Path); err != nil || string(data) != "mine" {
		t.Errorf("%q, %v", data, err)
	}
	target := filepath.Join(t.TempDir(), "dotfiles.md")
	if err := os.Rename(user.Path, target); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, user.Path); err != nil {
		t.Fatal(err)
	}
	if kept, err := prompts.Reset(t.Context(), user, x.ws, t.TempDir(), time.Now()); err != nil || kept == "" {
		t.Errorf("%q, %v", kept, err)
	}
	if data, err := os.ReadFile(target); err != nil || string(data) != "mine" {
		t.Errorf("what the link leads to: %q, %v", data, err)
	}
	ours, _ := prompts.FileFor(prompts.ForWorkspace, o)
	if err := os.MkdirAll(filepath.Dir(ours.Path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../README.md", ours.Path); err != nil {
		t.Fatal(err)
	}
	if _, err := prompts.Reset(t.Context(), ours, x.ws, t.TempDir(), time.Now()); err == nil || !strings.Contains(err.Error(), "is a link to") {
		t.Error(err)
	}
	if _, err := prompts.Make(t.Context(), ours, x.ws); err == nil {
		t.Error("a link was taken for a prompt")
	}
	if data, err := os.ReadFile(filepath.Join(x.root, "README.md")); err != nil || string(data) != "readme" {
		t.Errorf("%q, %v", data, err)
	}
}
