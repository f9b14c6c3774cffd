package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// config is what the tests look at in .goreleaser.yaml. GoReleaser's own check of the whole is in .ci/release.
type config struct {
	Builds []struct {
		Goos, Goarch, Flags, Env []string
		Modified                 string `yaml:"mod_timestamp"`
	}
	Archives []struct {
		Builds info `yaml:"builds_info"`
		Files  []struct {
			Src  string
			Info info
		}
	}
	NFPMs []struct {
		Formats  []string
		MTime    string
		RPM      struct{ BuildHost string }
		Contents []struct {
			Src  string
			Info info `yaml:"file_info"`
		}
	} `yaml:"nfpms"`
}

type info struct {
	Mode  int
	MTime string
}

func readConfig(t *testing.T) (c config) {
	t.Helper()
	text, err := os.ReadFile("../../.goreleaser.yaml")
	if err == nil {
		err = yaml.Unmarshal(text, &c)
	}
	if err != nil || len(c.Builds) != 1 || len(c.Archives) != 1 || len(c.NFPMs) != 1 {
		t.Fatalf("%v, %+v", err, c)
	}
	return c
}

func TestAReleaseIsForSixTargets(t *testing.T) {
	build := readConfig(t).Builds[0]
	if !slices.Equal(build.Goos, systems()) || !slices.Equal(build.Goarch, []string{"amd64", "arm64"}) {
		t.Errorf("it is built for %q on %q", build.Goos, build.Goarch)
	}
	if formats := readConfig(t).NFPMs[0].Formats; !slices.Equal(formats, []string{"deb", "rpm", "apk"}) {
		t.Errorf("it has packages in %q", formats)
	}
}

// What a checkout or a machine decides, times, modes and names of hosts, is in no file.
func TestNothingOfTheMachineIsInARelease(t *testing.T) {
	c := readConfig(t)
	const date = "{{ .CommitDate }}"
	build, archive, packages := c.Builds[0], c.Archives[0], c.NFPMs[0]
	if !slices.Contains(build.Flags, "-trimpath") || !slices.Contains(build.Env, "CGO_ENABLED=0") || build.Modified != "{{ .CommitTimestamp }}" {
		t.Errorf("the program depends on the machine: %+v", build)
	}
	if archive.Builds != (info{0o755, date}) || packages.MTime != date || packages.RPM.BuildHost == "" {
		t.Errorf("an archive depends on the machine: %+v, %+v", archive.Builds, packages)
	}
	for _, f := range archive.Files {
		if f.Info != (info{0o644, date}) {
			t.Errorf("%s depends on the machine: %+v", f.Src, f.Info)
		}
	}
	for _, f := range packages.Contents {
		if f.Info.Mode != 0o644 {
			t.Errorf("%s depends on the machine: %+v", f.Src, f.Info)
		}
	}
}

// A new folder of the plugin is in the archives and packages, too.
func TestTheWholePluginIsInARelease(t *testing.T) {
	c := readConfig(t)
	var archived, packaged []string
	for _, f := range c.Archives[0].Files {
		archived = append(archived, f.Src)
	}
	for _, f := range c.NFPMs[0].Contents {
		packaged = append(packaged, f.Src)
	}
	found := 0
	err := filepath.WalkDir("../../editors/nvim", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		found++
		glob := path.Dir(strings.TrimPrefix(filepath.ToSlash(name), "../../")) + "/*"
		if !slices.Contains(archived, glob) || !slices.Contains(packaged, glob) {
			t.Errorf("%s is not in every archive and package: there must be a row %s", name, glob)
		}
		return nil
	})
	if err != nil || found < 10 {
		t.Fatalf("%d files, %v", found, err)
	}
}
