//go:build amd64 || arm64

package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxTemporary is how many bytes a command can keep in each of the folders that live in memory: /tmp and the home folder.
const maxTemporary = 4 << 30

// toolchains are the folders below home that a command can read: what compilers, interpreters and their libraries are installed in.
// They hold no passwords.
var toolchains = []string{
	"go/pkg/mod", "go/bin", "sdk", ".cargo/bin", ".cargo/registry", ".cargo/git", ".cargo/env", ".rustup",
	".nvm", ".fnm", ".local/share/fnm", ".volta", ".nodenv", ".n", ".deno/bin", ".bun/bin", ".local/share/pnpm", ".npm-global",
	".pyenv", ".local/share/uv", ".local/pipx", ".local/share/pipx", "miniconda3", "anaconda3", "miniforge3", ".local/lib", ".local/bin",
	".virtualenvs", ".local/share/virtualenvs", ".rbenv", ".rvm", ".gem/ruby", ".local/share/gem", ".sdkman", ".jenv", ".m2/repository", ".m2/wrapper", ".gradle/wrapper",
	".asdf", ".local/share/mise", ".ghcup", ".cabal/bin", ".cabal/packages", ".cabal/store", ".stack/programs", ".opam", ".juliaup", ".julia/juliaup",
	".dotnet", ".nuget/packages", ".pub-cache", ".elan", ".nix-profile", ".linuxbrew", ".swiftly", ".zvm",
}

// toolVariables name further such folders.
var toolVariables = []string{"GOROOT", "GOMODCACHE", "RUSTUP_HOME", "NVM_DIR", "PYENV_ROOT", "VIRTUAL_ENV", "JAVA_HOME"}

// folders are those of the user's cache that a sandbox uses.
type folders struct {
	cache               string // the command's own, shared by those of one workspace
	emptyFile, emptyDir string
	executable          string
}

// folders makes them.
func (s *Sandbox) folders() (folders, error) {
	top := s.options.Cache
	if top == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return folders{}, fmt.Errorf("there is no folder for what commands keep: %w", err)
		}
		top = filepath.Join(user, "assent", "sandbox")
	}
	sum := sha256.Sum256([]byte(s.options.Root))
	f := folders{
		cache:     filepath.Join(top, filepath.Base(s.options.Root)+"-"+hex.EncodeToString(sum[:6])),
		emptyFile: filepath.Join(top, "empty-file"), emptyDir: filepath.Join(top, "empty-folder"),
	}
	for _, dir := range []string{f.cache, f.emptyDir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return folders{}, err
		}
	}
	if info, err := os.Lstat(f.emptyFile); err != nil || !info.Mode().IsRegular() || info.Size() > 0 {
		_ = os.Remove(f.emptyFile)
		if err := os.WriteFile(f.emptyFile, nil, 0o400); err != nil {
			return folders{}, err
		}
	}
	if entries, err := os.ReadDir(f.emptyDir); err != nil || len(entries) > 0 {
		return folders{}, fmt.Errorf("the folder %s must be empty: remove what is in it", f.emptyDir)
	}
	var err error
	if f.executable, err = os.Executable(); err != nil {
		return folders{}, err
	}
	f.executable, err = filepath.EvalSymlinks(f.executable)
	return f, err
}

// addHome puts an empty home folder in the place of the user's, with the toolchains in it.
func (v *view) addHome(env []string, root string, f folders) {
	h := home()
	if h == "" {
		return
	}
	v.add("--size", strconv.Itoa(maxTemporary), "--tmpfs", h)
	readable := make([]string, 0, len(toolchains))
	for _, dir := range toolchains {
		readable = append(readable, filepath.Join(h, dir))
	}
	for _, name := range toolVariables {
		readable = append(readable, lookup(env, name))
	}
	if path := lookup(env, "GOPATH"); path != "" {
		first, _, _ := strings.Cut(path, ":")
		readable = append(readable, filepath.Join(first, "pkg/mod"))
	}
	if cargo := lookup(env, "CARGO_HOME"); cargo != "" {
		readable = append(readable, filepath.Join(cargo, "bin"), filepath.Join(cargo, "registry"), filepath.Join(cargo, "git"))
	}
	readable = append(readable, filepath.SplitList(lookup(env, "PATH"))...)
	var shown []string
	for _, dir := range readable {
		if !filepath.IsAbs(dir) || within(dir, h) || within(dir, root) || within(root, dir) || within(dir, f.cache) || within(f.cache, dir) {
			continue // home itself, or the workspace, or around them
		}
		real, err := filepath.EvalSymlinks(dir)
		if err != nil || within(real, h) || within(real, root) || covered(dir) || slices.ContainsFunc(shown, func(s string) bool { return within(s, dir) }) {
			continue
		}
		shown = append(shown, dir)
		v.add("--ro-bind", real, dir)
	}
}

// covered says whether a path is in the view already.
func covered(path string) bool {
	return slices.ContainsFunc(system, func(dir string) bool { return within(dir, path) })
}

// environment is that of a command: what would be kept below home is kept in a folder of its own, and nothing is fetched.
func environment(env []string, cache string) []string {
	set := []string{
		"XDG_CACHE_HOME=" + cache, "TMPDIR=/tmp", "GOCACHE=" + filepath.Join(cache, "go-build"), "GOPROXY=off", "GOTELEMETRY=off", "GOFLAGS=" + goFlags(env),
		"npm_config_cache=" + filepath.Join(cache, "npm"), "npm_config_offline=true", "npm_config_update_notifier=false",
		"PIP_CACHE_DIR=" + filepath.Join(cache, "pip"), "CARGO_NET_OFFLINE=true", "GIT_OPTIONAL_LOCKS=0",
	}
	out := slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.ContainsFunc(set, func(s string) bool { return strings.HasPrefix(s, name+"=") })
	})
	return append(out, set...)
}

// goFlags are the user's: an empty value would hide the ones in Go's own configuration file, which is not in the view.
func goFlags(env []string) string { return lookup(env, "GOFLAGS") }
