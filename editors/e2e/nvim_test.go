//go:build e2e

package e2e

import (
	"path/filepath"
	"testing"
)

// nvimVersions are the keys of what install/nvim.sh prints.
var nvimVersions = map[string]string{"nvim-0.10": "NVIM_0_10", "nvim-0.12": "NVIM_0_12"}

// startNvim runs a Neovim without a screen, with the configuration of its page and nothing else.
func startNvim(w *world, version string) *editor {
	w.t.Helper()
	return startNvimWith(w, version, w.config("neovim.md", "lua", "assent.lua"))
}

// startNvimWith runs a Neovim without a screen, with a configuration that is read when it has started, and more
// arguments.
func startNvimWith(w *world, version, config string, args ...string) *editor {
	w.t.Helper()
	program := installed(w.t, "nvim.sh")[nvimVersions[version]]
	script, err := filepath.Abs("nvim/driver.lua")
	must(w.t, err)
	path, accept := socket(w, "nvim")
	c := w.command(version, program, append([]string{"--headless", "--clean", "-i", "NONE", "-n", "-S", script}, args...)...)
	c.Env = append(c.Env, "ASSENT_E2E_SOCKET="+path, "ASSENT_E2E_CONFIG="+config)
	must(w.t, c.Start())
	return &editor{driver: accept(), w: w, kill: func() { killGroup(c) }}
}

// eachNvim runs a test in every supported Neovim.
func eachNvim(t *testing.T, test func(t *testing.T, version string)) {
	for version := range nvimVersions {
		t.Run(version, func(t *testing.T) { test(t, version) })
	}
}
