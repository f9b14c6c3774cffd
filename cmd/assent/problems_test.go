package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestProblemsAreToldOnce(t *testing.T) {
	broken := func(s *user) {
		theFile(s, filepath.Join(os.Getenv("XDG_STATE_HOME"), "assent", "grants.json"), "{")
	}
	in := func(text string) func(*user) {
		return func(s *user) { theFile(s, filepath.Join(s.root, ".assent", "settings.json"), text) }
	}
	command := []string{"run", "--approve", "edit_file", "Mend README.md."}
	for name, test := range map[string]struct {
		prepare func(*user)
		args    []string
		says    []string
	}{
		"run, settings of the workspace": {in(`{"ollamaHost":"evil:1","maxSteps":999,"colour":1}`), command, []string{
			"In the workspace's settings file, ollamaHost: a workspace may not set it",
			"In the workspace's settings file, maxSteps: a workspace may only lower it",
			"In the workspace's settings file, colour: there is no such setting",
		}},
		"run, no settings": {in(`]`), command, []string{"In the workspace's settings file: line 1, column 1: this is not JSON"}},
		"run, no file": {func(s *user) { theFile(s, filepath.Join(s.root, ".assent", "settings.json", "x"), "") }, command, []string{
			"settings.json is not a regular file",
		}},
		"run, grants": {broken, command, []string{"grants.json\" was broken: nothing in it counts"}},
		"grants":      {broken, []string{"grants"}, []string{"grants.json\" was broken: nothing in it counts"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newUser(t, oneEdit)
			t.Chdir(s.root)
			test.prepare(s)
			_, notes, status := s.run(test.args...)
			for _, sentence := range test.says {
				if status != 0 || strings.Count(notes, sentence) != 1 {
					t.Errorf("status %d, not once %q:\n%s", status, sentence, notes)
				}
			}
		})
	}
}
