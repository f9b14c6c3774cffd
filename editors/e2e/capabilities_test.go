//go:build e2e

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// starters start the editors of the table with a file.
var starters = map[string]func(w *world){
	"nvim-0.10": func(w *world) { startNvim(w, "nvim-0.10").open("ask.chat.md") },
	"nvim-0.12": func(w *world) { startNvim(w, "nvim-0.12").open("ask.chat.md") },
	"vscode":    func(w *world) { startVSCode(w).open("ask.chat.md") },
	"helix":     func(w *world) { startHelix(w, "ask.chat.md") },
	"emacs":     func(w *world) { startEmacs(w).open("ask.chat.md") },
	"vim":       func(w *world) { startVim(w, "ask.chat.md") },
}

// TestWhatEditorsDeclare holds the recorded capabilities, of which docs/editors.md is made, to what each editor says to
// the server. With ASSENT_UPDATE=1 it records them; then TestTheTableOfEditors writes the page.
func TestWhatEditorsDeclare(t *testing.T) {
	for name, start := range starters {
		t.Run(name, func(t *testing.T) {
			_, address := play(t, scriptedModel)
			w := newWorld(t, address, map[string]string{"ask.chat.md": "## You\n\n"})
			wire := overhear(w)
			start(w)
			var said capabilities
			eventually(t, "initialize", func() (err error) {
				said, err = readCapabilities(wire)
				return err
			})
			var lines strings.Builder
			for _, f := range features {
				if said.has(f.path) {
					fmt.Fprintln(&lines, f.path)
				}
			}
			file := recorded(name)
			if os.Getenv("ASSENT_UPDATE") != "" {
				must(t, os.MkdirAll(filepath.Dir(file), 0o755))
				must(t, os.WriteFile(file, []byte(lines.String()), 0o644))
				return
			}
			before, err := os.ReadFile(file)
			if errors.Is(err, fs.ErrNotExist) {
				t.Logf("NOT RECORDED: what %s declares; ASSENT_UPDATE=1 records it. Now it is:\n%s", name, lines.String())
				return
			}
			must(t, err)
			if diff := cmp.Diff(string(before), lines.String()); diff != "" {
				t.Errorf("%s declares something else than %s says (-recorded +now):\n%s", name, file, diff)
			}
		})
	}
}

// overhear puts a program in front of the server that keeps what the editor says in a file.
func overhear(w *world) string {
	w.t.Helper()
	wire, dir := filepath.Join(w.home(), "wire"), filepath.Join(w.home(), "front")
	must(w.t, os.Mkdir(dir, 0o755))
	script := fmt.Sprintf("#!/bin/sh\ntee %q | %q \"$@\"\n", wire, w.program)
	w.program = filepath.Join(dir, "assent")
	must(w.t, os.WriteFile(w.program, []byte(script), 0o755))
	for i, pair := range w.env {
		if path, ok := strings.CutPrefix(pair, "PATH="); ok {
			w.env[i] = "PATH=" + dir + ":" + path
		}
	}
	return wire
}

// capabilities are those of a client, as it sent them.
type capabilities map[string]any

// readCapabilities reads the first message.
func readCapabilities(wire string) (capabilities, error) {
	raw, err := os.ReadFile(wire)
	if err != nil {
		return nil, err
	}
	_, body, _ := strings.Cut(string(raw), "\r\n\r\n")
	var message struct {
		Method string
		Params struct{ Capabilities capabilities }
	}
	if err := json.NewDecoder(strings.NewReader(body)).Decode(&message); err != nil {
		return nil, err
	}
	if message.Method != "initialize" {
		return nil, fmt.Errorf("the first message is %q", message.Method)
	}
	return message.Params.Capabilities, nil
}

// has reports whether something is declared there that is not false.
func (c capabilities) has(path string) bool {
	var at any = map[string]any(c)
	for part := range strings.SplitSeq(path, ".") {
		object, ok := at.(map[string]any)
		if !ok {
			return false
		}
		if at, ok = object[part]; !ok || at == false || at == nil {
			return false
		}
	}
	return true
}
