//go:build e2e

package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// world is what one test works in: a workspace, a home of its own, a folder for logs, and the environment for editors.
type world struct {
	t         testing.TB
	workspace string
	out       string // logs and screens, kept after the test
	env       []string
	program   string // the server that editors start: on PATH, too
}

// newWorld makes a workspace with the given files. modelServer is the address that the server under test is to use.
func newWorld(t testing.TB, modelServer string, files map[string]string) *world {
	t.Helper()
	out := filepath.Join(cacheFolder(t), "out", strings.NewReplacer("/", "_", " ", "_").Replace(t.Name()))
	must(t, os.RemoveAll(out))
	must(t, os.MkdirAll(out, 0o755))
	// Sockets have short names only, so that this is not t.TempDir.
	home, err := os.MkdirTemp("", "assent")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	w := &world{t: t, workspace: filepath.Join(home, "work"), out: out, program: assentProgram(t)}
	for _, dir := range []string{"config", "data", "state", "cache", "run", "work"} {
		must(t, os.MkdirAll(filepath.Join(home, dir), 0o700))
	}
	// A real port of the machine may be anybody's.
	settings, err := json.Marshal(map[string]any{"logFile": w.serverLog(), "logLevel": "debug", "serverPorts": []string{}})
	must(t, err)
	w.write("../config/assent/settings.json", string(settings))
	for name, text := range files {
		w.write(name, text)
	}
	w.env = append(environmentWithout("HOME", "PATH", "OLLAMA_HOST", "XDG_", "ASSENT_", "TMUX"),
		"HOME="+home, "XDG_CONFIG_HOME="+home+"/config", "XDG_DATA_HOME="+home+"/data", "XDG_STATE_HOME="+home+"/state",
		"XDG_CACHE_HOME="+home+"/cache", "XDG_RUNTIME_DIR="+home+"/run", "OLLAMA_HOST="+modelServer, "TERM=xterm-256color",
		"PATH="+filepath.Dir(assentProgram(t))+":"+os.Getenv("PATH"))
	return w
}

// home is the temporary home folder.
func (w *world) home() string { return filepath.Dir(w.workspace) }

// path is the absolute path of a file of the workspace.
func (w *world) path(name string) string { return filepath.Join(w.workspace, name) }

func (w *world) write(name, text string) {
	w.t.Helper()
	must(w.t, os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	must(w.t, os.WriteFile(w.path(name), []byte(text), 0o644))
}

func (w *world) read(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(w.path(name))
	must(w.t, err)
	return string(text)
}

// serverLog is where the server under test writes what it does: every message, by its method.
func (w *world) serverLog() string { return filepath.Join(w.out, "assent.log") }

// served counts the messages of a method that the server got.
func (w *world) served(method string) int {
	w.t.Helper()
	log, err := os.ReadFile(w.serverLog())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.t.Fatal(err)
	}
	return strings.Count(string(log), " method="+method+" ")
}

// reaches does something and waits until the server served a message of the method because of it. Until then it does
// what is in meanwhile, again and again.
func (w *world) reaches(method string, do func(), meanwhile ...func()) {
	w.t.Helper()
	before := w.served(method)
	do()
	eventually(w.t, method, func() error {
		if w.served(method) > before {
			return nil
		}
		for _, do := range meanwhile {
			do()
		}
		return fmt.Errorf("it did not reach the server; the log is %s", w.serverLog())
	})
}

// writes reports whether the server writes into a chat: it holds the chat's lock then.
func (w *world) writes() bool {
	held, err := filepath.Glob(filepath.Join(w.home(), "state", "assent", "locks", "*.owner"))
	must(w.t, err)
	return len(held) > 0
}

// logged is the size of all logs and screens of the world so far.
func (w *world) logged() (size int64) {
	_ = filepath.WalkDir(w.out, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil {
			if info, err := entry.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}

// keep writes what belongs to a failure into the output folder.
func (w *world) keep(name, text string) {
	_ = os.WriteFile(filepath.Join(w.out, name), []byte(text), 0o644)
}

// config writes the first block of a page of editors/ as a configuration file: what the page tells people is what runs.
// On a page that has a plugin it is the first block without one.
func (w *world) config(page, language, name string) string {
	w.t.Helper()
	read, err := os.ReadFile(filepath.Join("..", page))
	must(w.t, err)
	text := string(read)
	if _, rest, has := strings.Cut(text, "\n## Without the plugin\n"); has {
		text = rest
	}
	_, block, ok := strings.Cut(text, "\n```"+language+"\n")
	block, _, closed := strings.Cut(block, "\n```\n")
	if !ok || !closed {
		w.t.Fatalf("%s has no block in %s", page, language)
	}
	file := filepath.Join(w.home(), "config", name)
	must(w.t, os.MkdirAll(filepath.Dir(file), 0o755))
	must(w.t, os.WriteFile(file, []byte(block+"\n"), 0o644))
	return file
}

// command is a program in the world's environment; its output goes to NAME.log in the output folder. It is killed with
// all its children when the test ends.
func (w *world) command(name, program string, args ...string) *exec.Cmd {
	w.t.Helper()
	log, err := os.Create(filepath.Join(w.out, name+".log"))
	must(w.t, err)
	c := exec.Command(program, args...)
	c.Env, c.Dir, c.Stdout, c.Stderr = w.env, w.workspace, log, log
	c.SysProcAttr = ownGroup()
	w.t.Cleanup(func() {
		killGroup(c)
		_ = log.Close()
		if w.t.Failed() && !strings.HasPrefix(name, "install-") {
			w.t.Logf("%s.log:\n%s", name, lastLines(log.Name(), 30))
		}
	})
	return c
}

// assentProgram builds the program under test once. ASSENT_E2E_PROGRAM names one to use instead; editors find it on
// PATH, so that its own name must be assent.
func assentProgram(t testing.TB) string {
	t.Helper()
	program, err := build()
	must(t, err)
	return program
}

var build = sync.OnceValues(func() (string, error) {
	if given := os.Getenv("ASSENT_E2E_PROGRAM"); given != "" {
		if filepath.Base(given) != "assent" {
			return "", fmt.Errorf("ASSENT_E2E_PROGRAM=%s: the program must be named assent", given)
		}
		return given, nil
	}
	dir, err := os.MkdirTemp("", "assent-bin")
	if err != nil {
		return "", err
	}
	program := filepath.Join(dir, "assent")
	out, err := exec.Command("go", "build", "-o", program, "../../cmd/assent").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building assent: %w\n%s", err, out)
	}
	return program, nil
})

// installed runs one of the install scripts and returns the values that it prints.
func installed(t testing.TB, script string, args ...string) map[string]string {
	t.Helper()
	c := exec.Command("./install/"+script, args...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("install/%s: %v\n%s", script, err, stderr.String())
	}
	values := map[string]string{}
	for line := range strings.Lines(stdout.String()) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			values[key] = value
		}
	}
	return values
}

func cacheFolder(t testing.TB) string {
	t.Helper()
	home, err := os.UserHomeDir()
	must(t, err)
	return cmp.Or(os.Getenv("ASSENT_TEST_CACHE"), filepath.Join(home, ".cache", "assent-test"))
}

func environmentWithout(prefixes ...string) []string {
	var kept []string
next:
	for _, pair := range os.Environ() {
		for _, p := range prefixes {
			if strings.HasPrefix(pair, p) {
				continue next
			}
		}
		kept = append(kept, pair)
	}
	return kept
}

func lastLines(file string, n int) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
