//go:build e2e

package e2e

import (
	"path/filepath"
)

// startEmacs runs an Emacs in a terminal (without one it has no idle time, and eglot would report no changes), with the
// configuration of its page and nothing else.
func startEmacs(w *world) *editor {
	w.t.Helper()
	program := installed(w.t, "emacs.sh")["EMACS"]
	script, err := filepath.Abs("emacs/driver.el")
	must(w.t, err)
	// Makes the workspace a project, as a repository would be.
	w.write(".assent/.gitignore", "*\n")
	path, accept := socket(w, "emacs")
	env := append(w.env, "ASSENT_E2E_SOCKET="+path, "ASSENT_E2E_CONFIG="+w.config("emacs.md", "elisp", "assent.el"))
	term := startTerminal(w, "emacs", env, program, "-nw", "-Q", "-l", script)
	return &editor{driver: accept(), w: w, kill: term.kill}
}
