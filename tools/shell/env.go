package shell

import (
	"path/filepath"
	"slices"
	"strings"
)

// allowed are the variables that a command gets, if they are set. Everything else (keys, tokens, sockets, variables
// that make programs load code) stays out.
var allowed = []string{
	"HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
	"GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE", "CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME", "NVM_DIR", "PYENV_ROOT",
	"VIRTUAL_ENV",
}

// Allowed picks from an environment ("NAME=value") what a command gets. Folders of PATH that are not absolute are left
// out, since they would mean folders of the workspace.
func Allowed(env []string) []string {
	out := []string{"TERM=dumb", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0"}
	path := false
	for _, v := range env {
		name, value, ok := strings.Cut(v, "=")
		switch {
		case !ok:
		case name == "PATH":
			path = true
			out = append(out, "PATH="+absolute(value))
		case slices.Contains(allowed, name), strings.HasPrefix(name, "LC_"):
			out = append(out, v)
		}
	}
	if !path {
		out = append(out, "PATH=/usr/local/bin:/usr/bin:/bin")
	}
	return out
}

func absolute(path string) string {
	dirs := slices.DeleteFunc(filepath.SplitList(path), func(d string) bool { return !filepath.IsAbs(d) })
	return strings.Join(dirs, string(filepath.ListSeparator))
}
