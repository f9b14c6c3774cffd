//go:build e2e

package e2e

import (
	"cmp"
	"os"
	"strings"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"
)

// startEdit is a Neovim in which an edit of README.md, open and without unsaved changes, waits in the list.
func startEdit(t *testing.T, version string) *editor {
	t.Helper()
	_, address := play(t, editScript)
	e := startNvimPlugin(newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": ""}), version, "")
	askByCommand(e)
	listed(e)
	return e
}

// What another program wrote since Neovim read the file is not written over, and nobody is asked in the middle of
// typing.
func TestNvimPluginWritesOverNothing(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := startEdit(t, version)
		const theirs = "# Demo\n\nAnother program wrote this.\n"
		e.w.write("README.md", theirs)
		e.press("a")
		said(e, "not saved: README.md: it changed on disk")
		e.waitText("README.md", "Hello, world.")
		if lines := diff.Diff(theirs, e.w.read("README.md")); lines != "" || !e.modified("README.md") {
			t.Errorf("README.md on disk (-want +got):\n%s", lines)
		}
	})
}

// A file that has a new time and the same text is saved, without a question.
func TestNvimPluginSavesATouchedFile(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		e := startEdit(t, version)
		later := time.Now().Add(time.Hour)
		must(t, os.Chtimes(e.w.path("README.md"), later, later))
		e.press("a")
		eventually(t, "the saved file", func() error { return contains(e.w.read("README.md"), "Hello, world.") })
	})
}

// Whatever a file is written in, it is known whether the disk has the text of the buffer.
func TestNvimPluginComparesWithTheDisk(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		w := newWorld(t, "127.0.0.1:1", nil)
		e := startNvimPlugin(w, version, "")
		for name, text := range map[string]string{
			"plain": "a\nb\n", "dos": "ä\r\nb\r\n", "mac": "a\rb\r", "mixed": "a\r\nb\n", "empty": "", "line": "\n", "no end": "a\nb", "blank": "a\n\n",
			"bom": "\xef\xbb\xbfä\n", "latin1": "\xe4\n", "nul": "a\x00b\nc\n", "utf16": "\xff\xfea\x00\n\x00",
		} {
			w.write(name, text)
			e.ex("set fileformats=" + cmp.Or(map[string]string{"mac": "mac"}[name], "unix,dos"))
			e.ex("edit " + strings.ReplaceAll(w.path(name), " ", `\ `))
			var before, after bool
			e.lua(`return require("assent.buffers").is_on_disk(0)`, &before)
			w.write(name, text+"x\n")
			e.lua(`return require("assent.buffers").is_on_disk(0)`, &after)
			if !before || after {
				t.Errorf("%s: the same text: %v; another one: %v", name, before, after)
			}
		}
	})
}

// A file that is open is moved, and what the server sends about its version alone is no edit.
func TestNvimPluginMovesAnOpenFile(t *testing.T) {
	eachNvim(t, func(t *testing.T, version string) {
		_, address := play(t, scriptedModel+"turn\n\tcall read_file {\"path\": \"README.md\"}\nturn\n\tcall move_file {\"from\": \"README.md\", \"to\": \"READ.md\"}\nturn\n\tsay: \"All is well now.\"\n")
		e := startNvimPlugin(newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": ""}), version, "")
		e.keepDocuments("ask.chat.md")
		e.open("README.md")
		ask(e)
		e.waitPending("ask.chat.md")
		listed(e)
		e.press("a")
		finished(e, "All is well now.")
		if err := contains(e.text("ask.chat.md"), " ok "); err != nil {
			t.Error(err)
		}
		if got := e.w.read("READ.md"); got != readmeText {
			t.Errorf("the moved file is\n%s", got)
		}
	})
}
