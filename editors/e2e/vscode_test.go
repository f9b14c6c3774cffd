//go:build e2e

package e2e

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// vscodeSettings keep VS Code quiet: no telemetry, no updates, no welcome, no questions about trust.
const vscodeSettings = `{
  "telemetry.telemetryLevel": "off", "update.mode": "none", "extensions.autoUpdate": false, "extensions.autoCheckUpdates": false,
  "workbench.startupEditor": "none", "security.workspace.trust.enabled": false, "workbench.enableExperiments": false,
  "workbench.welcomePage.walkthroughs.openOnInstall": false, "window.restoreWindows": "none", "git.enabled": false, "files.autoSave": "off",
  "workbench.tips.enabled": false, "chat.disableAIFeatures": true, "editor.minimap.enabled": false, "workbench.secondarySideBar.defaultVisibility": "hidden"
}`

// startVSCode runs VS Code (code-server) with the extension in a browser. The probe inside answers for the editor, a
// script in the browser has mouse, keyboard and eyes.
func startVSCode(w *world) *editor {
	w.t.Helper()
	return vscode{program: w.program}.start(w) // a login shell may change PATH
}

// vscode is how VS Code starts.
type vscode struct {
	program    string // assent.path; empty: that is not set
	vsix       string // the extension; empty: the one without a program
	chat       bool   // the editor's own chat and its models are there
	restricted bool   // the folder is not trusted
	delays     bool   // what the window tells the extensions can be held back
}

func (v vscode) start(w *world) *editor {
	w.t.Helper()
	tools := installed(w.t, "vscode.sh")
	data := filepath.Join(w.home(), "vscode")
	settings, machine := vscodeSettings, "{}"
	options := []string{tools["CODE_SERVER"], "--config", data + "/config.yaml", "--user-data-dir", data, "--extensions-dir", data + "/ext"}
	run := append(slices.Clone(options), "--auth", "none", "--disable-telemetry", "--disable-update-check", "--disable-getting-started-override")
	if v.program != "" {
		machine = fmt.Sprintf(`{"assent.path": %q}`, v.program)
	}
	if v.chat {
		settings = strings.Replace(settings, `"chat.disableAIFeatures": true, `, "", 1)
	}
	if v.restricted {
		settings = strings.Replace(settings, `"security.workspace.trust.enabled": false`, `"security.workspace.trust.startupPrompt": "never"`, 1)
	} else {
		run = append(run, "--disable-workspace-trust")
	}
	writeSettings(w, filepath.Join(data, "User"), settings)
	writeSettings(w, filepath.Join(data, "Machine"), machine)
	// The empty gallery keeps it from asking a marketplace.
	w.env = append(w.env, `EXTENSIONS_GALLERY={"serviceUrl":"","itemUrl":""}`)
	for i, pair := range w.env {
		if path, ok := strings.CutPrefix(pair, "PATH="); ok {
			w.env[i] = "PATH=" + filepath.Dir(tools["NODE"]) + ":" + path
		}
	}
	for _, vsix := range []string{cmp.Or(v.vsix, tools["VSIX"]), tools["PROBE"]} {
		install := w.command("install-"+filepath.Base(vsix), tools["NODE"], append(options, "--install-extension", vsix)...)
		must(w.t, install.Run())
	}
	probe, acceptProbe := socket(w, "probe")
	address := "127.0.0.1:" + freePort(w)
	server := w.command("code-server", tools["NODE"], append(run, "--bind-addr", address, w.workspace)...)
	server.Env = append(server.Env, "ASSENT_E2E_SOCKET="+probe)
	must(w.t, server.Start())
	eventually(w.t, "code-server", func() error {
		response, err := http.Get("http://" + address + "/healthz")
		if err != nil {
			return err
		}
		return response.Body.Close()
	})
	page, acceptPage := socket(w, "page")
	script, err := filepath.Abs("vscode/page.mjs")
	must(w.t, err)
	browser := w.command("browser", tools["NODE"], script)
	browser.Env = append(browser.Env, "ASSENT_E2E_SOCKET="+page, "URL=http://"+address+"/?folder="+url.QueryEscape(w.workspace), "OUT="+w.out,
		"PLAYWRIGHT="+tools["PLAYWRIGHT"], "CHROMIUM="+tools["CHROMIUM"], "PROFILE="+filepath.Join(w.home(), "browser"))
	if v.delays {
		browser.Env = append(browser.Env, "DELAYS=1")
	}
	must(w.t, browser.Start())
	e := &editor{w: w, kill: func() { killGroup(browser); killGroup(server) }}
	onPage := acceptPage()
	onPage.do("ready", nil, nil)
	e.driver = acceptProbe()
	e.page = onPage
	return e
}

func writeSettings(w *world, folder, text string) {
	w.t.Helper()
	must(w.t, os.MkdirAll(folder, 0o755))
	must(w.t, os.WriteFile(filepath.Join(folder, "settings.json"), []byte(text), 0o644))
}

// The palette's commands come without arguments: the extension adds the place of the cursor. A file without unsaved
// changes is saved after an approved edit.
func TestPaletteVSCode(t *testing.T) {
	script := editScript + strings.TrimPrefix(streamScript(20, 20*time.Millisecond, "hang\n"), scriptedModel)
	_, address := play(t, script)
	e := startVSCode(newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": "## You\n\n" + request + "\n"}))
	e.keepDocuments("README.md", "ask.chat.md")
	e.open("README.md")
	e.open("ask.chat.md")
	e.palette("Assent: Send")
	line := e.waitPending("ask.chat.md").Line
	e.do("cursor", e.at("README.md", 0), nil)
	e.palette("Assent: Show the pending call")
	eventually(t, "the pending call is shown", func() error {
		at := e.where()
		if at.File != e.w.path("ask.chat.md") || at.Line != line || at.Editors != 2 {
			return fmt.Errorf("the cursor is at %v, the call on line %d, want two editors", at, line)
		}
		return nil
	})
	e.shot("pending")
	e.do("menu", arguments{"file": e.w.path("ask.chat.md"), "line": line, "name": "menu"}, nil)
	e.act("ask.chat.md", line, "Approve once: edit README.md")
	finished(e, "All is well now.")
	want := strings.Replace(readmeText, "Helo", "Hello", 1)
	eventually(t, "README.md is saved", func() error {
		if e.modified("README.md") {
			return errors.New("it has unsaved changes in the editor")
		}
		return contains(e.w.read("README.md"), want)
	})
	e.shot("finished")

	last := strings.Count(e.text("ask.chat.md"), "\n")
	e.insert("ask.chat.md", last, 0, "Go on.\n")
	e.do("cursor", e.at("ask.chat.md", last), nil)
	e.palette("Assent: Send")
	e.waitText("ask.chat.md", "[5]")
	e.shot("streaming")
	e.palette("Assent: Stop")
	eventually(t, "Stop", func() error {
		return contains(strings.Join(e.actions("ask.chat.md", last), "\n"), "Retry")
	})
}

// palette runs a command of the server from the palette.
func (e *editor) palette(title string) {
	e.t.Helper()
	e.w.reaches("workspace/executeCommand", func() { e.do("palette", arguments{"text": title}, nil) })
}

// shot takes a picture for a person to look at.
func (e *editor) shot(name string) {
	e.t.Helper()
	e.do("shot", arguments{"name": name}, nil)
}

func freePort(w *world) string {
	w.t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(w.t, err)
	defer func() { _ = listener.Close() }()
	return fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
}

// TestAskAndDenyVSCode refuses a call, and begins a chat about a line, by the menu of code actions.
func TestAskAndDenyVSCode(t *testing.T) {
	_, address := play(t, scriptedModel+editTurn+"turn\nsay: Then I leave it.\n")
	w := newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": ""})
	e := startVSCode(w)
	begin(e)
	e.act("ask.chat.md", pending(e), "Deny")
	finished(e, "Then I leave it.")
	checkDenied(t, e)
	e.act("README.md", 2, "Ask Assent")
	beganAbout(w)
}
