package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools/userstate"
)

// setup holds what the measurements share: the built programs, and the model server that there is.
type setup struct {
	dir      string // temporary: programs, homes, workspaces
	program  string // assent
	scripted string // the scripted model server
	host     string // the real model server; empty: none
	model    string // a model of it
	worlds   int
}

func newSetup(ctx context.Context, program string, real bool) (*setup, error) {
	dir, err := os.MkdirTemp("", "assent-bench")
	if err != nil {
		return nil, err
	}
	l := &setup{dir: dir, program: program, scripted: filepath.Join(dir, "scriptedmodel")}
	builds := map[string]string{l.scripted: "./agent/agenttest/cmd/scriptedmodel"}
	if program == "" {
		l.program = filepath.Join(dir, "assent")
		builds[l.program] = "./cmd/assent"
	}
	l.log("building ...")
	for target, source := range builds {
		out, err := exec.CommandContext(
			ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", target, source,
		).CombinedOutput()
		if err != nil {
			l.close()
			return nil, fmt.Errorf("building %s: %w\n%s", source, err, out)
		}
	}
	if real {
		l.host, l.model = findOllama(ctx)
	}
	l.log("model server: %s", l.modelName())
	return l, nil
}

func (l *setup) close() { _ = os.RemoveAll(l.dir) }

// folder makes a folder for one measurement.
func (l *setup) folder(name string) (string, error) {
	dir := filepath.Join(l.dir, name)
	return dir, os.Mkdir(dir, 0o700)
}

// state makes a folder for one measurement, with a folder for what the product keeps.
func (l *setup) state(name string) (dir string, state *userstate.State, err error) {
	if dir, err = l.folder(name); err != nil {
		return "", nil, err
	}
	state, err = userstate.OpenState(filepath.Join(dir, "state"))
	return dir, state, err
}

func (*setup) log(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05 ")+format+"\n", args...)
}

func (l *setup) modelName() string {
	if l.host == "" {
		return "a scripted one (no Ollama at OLLAMA_HOST)"
	}
	return "Ollama with " + l.model
}

// project is a workspace with a home of its own, so that nothing of the user's counts.
type project struct {
	dir string
	env []string
}

// workspaceFiles are those of the small workspace that every measurement uses.
func workspaceFiles() map[string]string {
	return map[string]string{
		"README.md":        "# Greeter\n\nHelo, world.\n",
		"go.mod":           "module example.com/greeter\n\ngo 1.26\n",
		"main.go":          "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"Hello\") }\n",
		"internal/name.go": "package internal\n\n// Name is whom to greet.\nconst Name = \"world\"\n",
		"docs/guide.md":    "# Guide\n\nRun it.\n",
	}
}

func (l *setup) newProject() (*project, error) {
	l.worlds++
	home := filepath.Join(l.dir, fmt.Sprintf("world%d", l.worlds))
	w := &project{dir: filepath.Join(home, "work")}
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "ASSENT_") && !strings.HasPrefix(pair, "XDG_") &&
			!strings.HasPrefix(pair, "OLLAMA_") && !strings.HasPrefix(pair, "HOME=") {
			w.env = append(w.env, pair)
		}
	}
	w.env = append(w.env, "HOME="+home, "XDG_CONFIG_HOME="+home+"/config", "XDG_STATE_HOME="+home+"/state",
		"XDG_DATA_HOME="+home+"/data", "XDG_CACHE_HOME="+home+"/cache")
	for name, text := range workspaceFiles() {
		if err := write(filepath.Join(w.dir, name), text); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// uri is that of a file of the workspace, or of its folder without a name.
func (w *project) uri(name string) string { return "file://" + filepath.Join(w.dir, name) }

// configure writes a file of the user's configuration; a running program reads it again.
func (w *project) configure(name, text string) error {
	return write(filepath.Join(filepath.Dir(w.dir), "config", "assent", name), text)
}

// prompt makes the usual system prompt begin with a number.
func (w *project) prompt(number string) error {
	system, err := os.ReadFile("prompts/system.md")
	if err != nil {
		return err
	}
	return w.configure("prompts/system.md", "---\nreplace: true\n---\n"+number+"\n"+string(system))
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

// play starts the scripted model server; stop ends it.
func (l *setup) play(ctx context.Context, script string) (address string, stop func(), err error) {
	l.worlds++
	file := filepath.Join(l.dir, fmt.Sprintf("script%d", l.worlds))
	if err := write(file, script); err != nil {
		return "", nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, l.scripted, "--script", file) //nolint:gosec // built above
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		return "", nil, err
	}
	stop = func() { cancel(); _ = cmd.Wait() }
	address, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, errors.New("the scripted model server did not start")
	}
	return strings.TrimSpace(address), stop, nil
}
