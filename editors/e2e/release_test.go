//go:build e2e && release

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// minutes are what a new user waits for between the archive of a release and the first approved edit, in one editor.
// cmd/bench puts them on its page.
type minutes struct {
	Editor string
	Steps  int     // of the pages, with those of README's first edit
	Set    float64 // seconds until the editor is there with Assent in it
	Edit   float64 // seconds from Send until the model's edit is approved and made
	Tries  int     // of the model; Edit is of the last one
	Load   string  // of the machine, before
}

// The steps of README.md, one for each thing that a person types or chooses. With Neovim: unpack the archive, put the
// program on PATH, add a line to init.lua; make the folder of the demo; open README.md, open ask.chat.md, write the
// request, Send, go to the call, Approve once. With VS Code the extension that has the program inside comes in place of
// the first three.
const (
	stepsNvim   = 10
	stepsVSCode = 8
)

// TestReleaseToFirstEdit follows README.md from a release in the folder ASSENT_RELEASE, as GoReleaser makes it, with a
// real Ollama and a model that is there, and keeps how long the machine took: .ci/release minutes. A model of this size
// does not always do what it is asked for.
func TestReleaseToFirstEdit(t *testing.T) {
	release := os.Getenv("ASSENT_RELEASE")
	real := realEngine(t)
	installed(t, "nvim.sh") // the editors are there, as on the machine of somebody who uses them
	installed(t, "vscode.sh")
	first := unpacked(t, release)
	t.Setenv("ASSENT_E2E_PROGRAM", filepath.Join(first, "assent")) // nothing is built
	var all []minutes
	for name, editor := range map[string]struct {
		steps int
		begin func(w *world, folder string) *editor
	}{
		"Neovim":  {stepsNvim, releasedNvim},
		"VS Code": {stepsVSCode, releasedVSCode},
	} {
		t.Run(name, func(t *testing.T) {
			for try := 1; try <= realTries; try++ {
				took := minutes{Editor: name, Steps: editor.steps, Tries: try, Load: load(t)}
				began := time.Now()
				folder := unpacked(t, release)
				w := newWorld(t, real.host, map[string]string{"README.md": readmeText, "ask.chat.md": ""})
				onPath(w, first, folder)
				e := editor.begin(w, folder)
				e.open("README.md")
				took.Set = time.Since(began).Seconds()
				began = time.Now()
				err := firstEdit(e, real.model)
				took.Edit = time.Since(began).Seconds()
				t.Logf("%+v, %v\n%s", took, err, e.text("ask.chat.md"))
				e.kill()
				if err == nil {
					all = append(all, took)
					return
				}
			}
			t.Error("the model did not do what it was asked for")
		})
	}
	text, err := json.MarshalIndent(all, "", "  ")
	must(t, err)
	must(t, os.WriteFile(filepath.Join(cacheFolder(t), "out", "release-minutes.json"), text, 0o644))
}

// firstEdit sends the request, approves what changes README.md, denies all else, and waits for the file that was asked
// for.
func firstEdit(e *editor, model string) error {
	e.t.Helper()
	e.open("ask.chat.md")
	head := fmt.Sprintf("---\nmodel: %s\n---\n\n## You\n\n%s\n", model, request)
	e.insert("ask.chat.md", 0, 0, head)
	e.act("ask.chat.md", strings.Count(head, "\n")-1, "Send")
	begun := false
	for q := (quiet{}); ; <-time.After(50 * time.Millisecond) {
		chat, writes := e.text("ask.chat.md"), e.w.writes()
		if strings.Contains(e.text("README.md"), "Hello, world.") {
			return nil
		}
		if begun && !writes {
			return errors.New("the run is over without the edit")
		}
		begun = begun || writes
		if q.tooLong(chat, modelSilence) {
			return fmt.Errorf("nothing new came for %v", modelSilence)
		}
		var list []diagnostic
		e.do("diagnostics", e.file("ask.chat.md"), &list)
		for _, d := range list {
			if d.Source != "assent" || d.Severity != 3 || strings.HasPrefix(d.Message, "Not run") {
				continue
			}
			titles := strings.Join(e.actions("ask.chat.md", d.Line), "\n")
			for _, title := range []string{"Approve once: edit README.md", "Approve once: write README.md", "Deny"} {
				if strings.Contains(titles, title) && e.try("act", actOn(e, d.Line, title), nil) == nil {
					break
				}
			}
		}
	}
}

func actOn(e *editor, line int, title string) arguments {
	args := e.at("ask.chat.md", line)
	args["title"] = title
	return args
}

// unpacked is the one folder of the archive for this machine.
func unpacked(t *testing.T, release string) string {
	t.Helper()
	archives, err := filepath.Glob(filepath.Join(release, "assent_*_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz"))
	must(t, err)
	if len(archives) != 1 {
		t.Fatalf("ASSENT_RELEASE=%q has %d archives for this machine", release, len(archives))
	}
	dir := t.TempDir()
	if out, err := exec.Command("tar", "-xzf", archives[0], "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	folders, err := filepath.Glob(dir + "/*/assent")
	must(t, err)
	if len(folders) != 1 {
		t.Fatalf("%q in the archive", folders)
	}
	return filepath.Dir(folders[0])
}

// releasedNvim has the line of README.md in its init.lua, with the folder of the archive.
func releasedNvim(w *world, folder string) *editor {
	config := filepath.Join(w.home(), "config", "init.lua")
	must(w.t, os.WriteFile(config, fmt.Appendf(nil, "vim.opt.runtimepath:prepend(%q)\n", folder+"/nvim"), 0o600))
	return startNvimWith(w, "nvim-0.12", config, "--cmd", "set runtimepath^="+folder+"/nvim")
}

// releasedVSCode has the extension with the program inside, and no other.
func releasedVSCode(w *world, folder string) *editor {
	onPath(w, folder, "/nowhere")
	target := runtime.GOOS + "-" + strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
	return vscode{vsix: filepath.Join(os.Getenv("ASSENT_RELEASE"), "../bin/vsix/assent-"+target+".vsix")}.start(w)
}

// onPath puts a folder in the place of another one on PATH.
func onPath(w *world, before, now string) {
	for i, pair := range w.env {
		if path, ok := strings.CutPrefix(pair, "PATH="+before+":"); ok {
			w.env[i] = "PATH=" + now + ":" + path
		}
	}
}

// load is that of the machine in the last minute.
func load(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("/proc/loadavg")
	must(t, err)
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
