//go:build amd64 || arm64

package toolchain

import (
	"path/filepath"
	"slices"
	"strings"
)

// Environment is that of a command: what would be kept below home is kept in a folder of its own, and nothing is
// fetched.
func Environment(env []string, cache string) []string {
	set := []string{
		"XDG_CACHE_HOME=" + cache, "TMPDIR=/tmp", "GOCACHE=" + filepath.Join(cache, "go-build"), "GOPROXY=off",
		"GOTELEMETRY=off", "GOFLAGS=" + goFlags(env),
		"npm_config_cache=" + filepath.Join(cache, "npm"), "npm_config_offline=true",
		"npm_config_update_notifier=false",
		"PIP_CACHE_DIR=" + filepath.Join(cache, "pip"), "CARGO_NET_OFFLINE=true", "GIT_OPTIONAL_LOCKS=0",
	}
	out := slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.ContainsFunc(set, func(s string) bool { return strings.HasPrefix(s, name+"=") })
	})
	return append(out, set...)
}

// goFlags are the user's: an empty value would hide the ones in Go's own configuration file, which is not in the view.
// A program has no stamp of the repository, since Go would start git for it.
func goFlags(env []string) string {
	flags := Lookup(env, "GOFLAGS")
	if strings.Contains(flags, "-buildvcs") {
		return flags
	}
	return strings.TrimSpace(flags + " -buildvcs=false")
}
