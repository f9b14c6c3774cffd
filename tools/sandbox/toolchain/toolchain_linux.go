//go:build amd64 || arm64

// Package toolchain says what commands see of toolchains: programs, libraries and sources that were downloaded, without
// what is beside them.
package toolchain

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/changes"
	"github.com/assent-ls/assent/tools/workspace"
)

// homeToolchains are the folders and files below home that a command can read: programs, and sources that were
// downloaded. What is beside them may hold passwords. Each "*" is a folder of its own, whose top is looked through,
// see show.
var homeToolchains = map[string]string{
	"": "sdk .rustup .m2/repository .nuget/packages .ghcup .elan .zvm .swiftly .linuxbrew " +
		".nix-profile .juliaup .julia/juliaup",
	"go":                       "pkg/mod bin",
	".cargo":                   "bin registry git env",
	".nvm":                     "versions/*/* alias nvm.sh nvm-exec",
	".fnm":                     "node-versions/* aliases",
	".local/share/fnm":         "node-versions/* aliases",
	".volta":                   "bin tools",
	".nodenv":                  "versions/* shims bin libexec version",
	".n":                       "bin lib include share n",
	".deno":                    "bin",
	".bun":                     "bin install/global",
	".local/share/pnpm":        "pnpm nodejs global store",
	".npm-global":              "bin lib",
	".pyenv":                   "versions/* shims bin libexec plugins pyenv.d version",
	".local/share/uv":          "python tools/*",
	".local/pipx":              "venvs/* shared",
	".local/share/pipx":        "venvs/* shared",
	".local":                   "lib bin",
	".virtualenvs":             "*",
	".local/share/virtualenvs": "*",
	"miniconda3":               "bin lib include share envs/* pkgs condabin conda-meta",
	"anaconda3":                "bin lib include share envs/* pkgs condabin conda-meta",
	"miniforge3":               "bin lib include share envs/* pkgs condabin conda-meta",
	".rbenv":                   "versions/* shims bin libexec version",
	".rvm":                     "rubies gems bin scripts",
	".gem":                     "ruby",
	".local/share/gem":         "ruby",
	".sdkman":                  "candidates/*/* bin",
	".jenv":                    "versions/* shims bin libexec version",
	".m2":                      "wrapper",
	".gradle":                  "wrapper",
	".asdf":                    "installs/*/* shims plugins bin lib libexec",
	".local/share/mise":        "installs/*/* shims plugins",
	".cabal":                   "bin packages store",
	".stack":                   "programs",
	".opam":                    "*/bin */lib */share */.opam-switch/sources",
	".dotnet":                  "dotnet sdk shared host packs templates sdk-manifests tools",
	".pub-cache":               "bin hosted git global_packages",
}

// toolVariables name further such folders.
var toolVariables = []string{
	"GOROOT", "GOMODCACHE", "RUSTUP_HOME", "PYENV_ROOT/versions/*", "PYENV_ROOT/shims", "NVM_DIR/versions/*/*",
	"VIRTUAL_ENV", "JAVA_HOME", "GOPATH/pkg/mod", "CARGO_HOME/bin", "CARGO_HOME/registry", "CARGO_HOME/git",
}

// beside are the folders and files of a toolchain beside its folder "bin".
var beside = strings.Fields("lib lib64 libexec share include jre VERSION go.env release")

// toolchains lists what there may be of toolchains, absolute.
func toolchains(home string, env []string) (all []string) {
	for dir, names := range homeToolchains {
		for name := range strings.FieldsSeq(names) {
			all = append(all, matching(filepath.Join(home, dir), name)...)
		}
	}
	for _, variable := range toolVariables {
		name, in, _ := strings.Cut(variable, "/")
		if first, _, _ := strings.Cut(Lookup(env, name), ":"); first != "" {
			all = append(all, matching(first, in)...)
		}
	}
	slices.Sort(all) // a folder comes before what is in it
	return all
}

// matching lists what a pattern matches in a folder.
func matching(dir, pattern string) []string {
	if !strings.Contains(pattern, "*") {
		return []string{filepath.Join(dir, pattern)}
	}
	found, _ := fs.Glob(os.DirFS(dir), pattern) // the patterns are good
	for i, name := range found {
		found[i] = filepath.Join(dir, name)
	}
	return found
}

// View is a view of the file system without toolchains, and how to add to it.
type View struct {
	// the workspace, the user's home folder, and the folder of what commands keep
	Root, Home, Cache string
	Shows             func(path string) bool // whether a path is in it already
	Show              func(real, at string)  // adds a file or folder
	Hide              func(path string)      // puts something empty over a file or folder
}

// Add adds the toolchains of the user, and the programs on PATH, to a view. It returns all that it added, by their real
// paths.
func Add(v View, env []string) (real []string) {
	t := adder{View: v}
	for _, dir := range toolchains(v.Home, env) {
		t.show(dir)
	}
	for _, dir := range filepath.SplitList(Lookup(env, "PATH")) {
		t.showPrograms(dir)
	}
	return t.added
}

// Lookup is the value of a variable in an environment ("NAME=value"), or empty.
func Lookup(env []string, name string) string {
	for _, v := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// adder adds toolchains to a view.
type adder struct {
	View
	done  []string // what is shown
	added []string // the same, by real paths
}

// shows reports whether a path is in the view already.
func (t *adder) shows(path string) bool {
	return t.Shows(path) || slices.ContainsFunc(t.done, func(s string) bool { return changes.Within(s, path) })
}

// real is where the path of something to show leads; empty if it is not to be shown: home itself, the workspace, or
// what is around them.
func (t *adder) real(path string) string {
	if !filepath.IsAbs(path) || changes.Within(path, t.Home) || overlap(path, t.Root) || overlap(path, t.Cache) ||
		t.shows(path) {
		return ""
	}
	real, err := filepath.EvalSymlinks(path)
	// the last would show what is hidden
	if err != nil || changes.Within(real, t.Home) || overlap(real, t.Root) {
		return ""
	}
	return real
}

// overlap reports whether one of two paths is or lies in the other.
func overlap(a, b string) bool { return changes.Within(a, b) || changes.Within(b, a) }

// show shows a folder of a toolchain, or a file. Of what lies at its top, passwords are not there.
func (t *adder) show(path string) {
	real := t.real(path)
	if real == "" {
		return
	}
	t.done = append(t.done, path)
	t.Show(real, path)
	t.added = append(t.added, real)
	entries, _ := os.ReadDir(real) // a file has none
	for _, e := range entries {
		if _, secret := workspace.Named(e.Name(), e.IsDir()); secret || workspace.Asked(e.Name()) {
			t.Hide(filepath.Join(path, e.Name()))
		}
	}
}

// maxPrograms is how many programs of a folder on PATH a command finds there.
const maxPrograms = 2000

// showPrograms shows the programs in a folder on PATH and, if the folder is that of a toolchain, the toolchain's own
// folders beside it.
func (t *adder) showPrograms(dir string) {
	real := t.real(dir)
	if real == "" {
		return
	}
	entries, _ := os.ReadDir(real) // one that cannot be read has none
	shown := 0
	for _, e := range entries {
		at := filepath.Join(real, e.Name())
		info, err := os.Stat(at)
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 || shown == maxPrograms {
			continue
		}
		shown++
		target, err := filepath.EvalSymlinks(at)
		if err != nil || changes.Within(t.Root, target) {
			continue
		}
		t.Show(target, filepath.Join(dir, e.Name()))
		t.added = append(t.added, at)
	}
	t.done = append(t.done, dir)
	if above := filepath.Dir(dir); filepath.Base(dir) == "bin" && shown > 0 && filepath.Dir(above) != "/" &&
		!changes.Within(above, t.Home) {
		for _, name := range beside {
			t.show(filepath.Join(above, name))
		}
		// the sources of Go's own library are a part of it
		if _, err := os.Stat(filepath.Join(above, "go.env")); err == nil {
			t.show(filepath.Join(above, "src"))
			t.show(filepath.Join(above, "pkg"))
		}
	}
}
