package modules_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/assent-ls/assent/cmd/modules"
)

func TestTheProgramsModulesHaveLicenses(t *testing.T) {
	all, err := modules.Of("windows")
	if err != nil || len(all) < 20 {
		t.Fatalf("%d modules, %v", len(all), err)
	}
	for _, m := range all {
		if files, err := modules.LicenseFiles(m.Dir); err != nil || len(files) == 0 {
			t.Errorf("%s has no file with a license: %v", m.Path, err)
		}
	}
	has := func(m modules.Module) bool { return m.Path == "github.com/spf13/cobra" && m.Version != "" }
	if !slices.ContainsFunc(all, has) {
		t.Errorf("cobra is not among %v", all)
	}
}

func TestFilesAreKnownByTheirNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"COPYING", "License.txt", "NOTICE", "PATENTS", "README.md", "my-license"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "licenses"), 0o700); err != nil {
		t.Fatal(err)
	}
	licenses, err := modules.LicenseFiles(dir)
	if err != nil || !slices.Equal(licenses, []string{"COPYING", "License.txt"}) {
		t.Errorf("%q, %v", licenses, err)
	}
	notices, err := modules.NoticeFiles(dir)
	if err != nil || !slices.Equal(notices, []string{"NOTICE", "PATENTS"}) {
		t.Errorf("%q, %v", notices, err)
	}
}
