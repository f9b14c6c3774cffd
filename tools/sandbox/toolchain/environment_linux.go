//go:build amd64 || arm64

package toolchain

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Environment is that of a command: what would be kept below home is kept in a folder of its own, and nothing is
// fetched but by the proxy, if there is one.
func Environment(env []string, cache, proxy string) []string {
	set := []string{
		"XDG_CACHE_HOME=" + cache, "TMPDIR=/tmp", "GOCACHE=" + filepath.Join(cache, "go-build"),
		"GOTELEMETRY=off",
		"npm_config_cache=" + filepath.Join(cache, "npm"), "npm_config_update_notifier=false",
		"PIP_CACHE_DIR=" + filepath.Join(cache, "pip"), "GIT_OPTIONAL_LOCKS=0",
	}
	if proxy == "" {
		set = append(set, "npm_config_offline=true", "CARGO_NET_OFFLINE=true")
	} else {
		set = append(set, proxies(proxy)...)
	}
	set = append(set, goModules(env, cache, proxy != "")...)
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

// proxies tell programs of a proxy, each by the variables that it reads. What listens in the command's own network is
// reached without.
func proxies(proxy string) (set []string) {
	for _, name := range []string{"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		set = append(set, name+"="+proxy)
	}
	const own = "localhost,127.0.0.1,::1"
	return append(
		set, "no_proxy="+own, "NO_PROXY="+own,
		"npm_config_proxy="+proxy, "npm_config_https_proxy="+proxy, "npm_config_noproxy="+own,
	)
}

// goModules says where Go's modules are. A command with a network cannot write to the user's, so it keeps them in a
// folder of its own, which from then on all commands have; they find there what the user downloaded as from a server.
func goModules(env []string, cache string, network bool) (set []string) {
	own := filepath.Join(cache, "go-mod")
	if _, err := os.Stat(own); err != nil && !network {
		return []string{"GOPROXY=off", "GOFLAGS=" + goFlags(env)}
	}
	set = []string{"GOMODCACHE=" + own, "GOFLAGS=" + goFlags(env) + " -modcacherw"}
	if network {
		return set
	}
	users := Lookup(env, "GOMODCACHE")
	if users == "" {
		first, _, _ := strings.Cut(Lookup(env, "GOPATH"), ":")
		if first == "" {
			first = filepath.Join(Lookup(env, "HOME"), "go")
		}
		users = filepath.Join(first, "pkg", "mod")
	}
	return append(set, "GOPROXY=file://"+filepath.Join(users, "cache", "download"))
}
