//go:build amd64 || arm64

package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxTemporary is how many bytes a command can keep in each of the folders that live in memory: /tmp and the home folder.
const maxTemporary = 4 << 30

// folders are those of the user's cache that a sandbox uses.
type folders struct {
	cache               string // the commands' own, shared by those of one workspace
	private             string // has a folder for each command that runs
	kept                string // has what commands replaced or removed
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
		private:   filepath.Join(top, "running"),
		kept:      filepath.Join(top, "kept", hex.EncodeToString(sum[:])),
		emptyFile: filepath.Join(top, "empty-file"), emptyDir: filepath.Join(top, "empty-folder"),
	}
	for _, dir := range []string{f.cache, f.private, f.emptyDir} {
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
func (o *order) addHome(env []string, f folders) {
	defer o.add(doShare, f.cache, f.cache) // it may lie below home
	h := home()
	if h == "" {
		return
	}
	o.Own = append(o.Own, h)
	o.add(doMemory, "", h)
	t := tools{order: o, home: h, cache: f.cache, empty: f}
	for _, dir := range toolchains(h, env) {
		t.show(dir)
	}
	for _, dir := range filepath.SplitList(lookup(env, "PATH")) {
		t.showPrograms(dir)
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

// goFlags are the user's: an empty value would hide the ones in Go's own configuration file, which is not in the view. A program has no stamp of
// the repository, since Go would start git for it.
func goFlags(env []string) string {
	flags := lookup(env, "GOFLAGS")
	if strings.Contains(flags, "-buildvcs") {
		return flags
	}
	return strings.TrimSpace(flags + " -buildvcs=false")
}
