//go:build linux

package mcp_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools"
)

// installed is a folder with what other people wrote, which `.ci/mcp` installs.
func installed(t *testing.T, variable, what string) string {
	t.Helper()
	folder := os.Getenv(variable)
	if folder == "" {
		t.Skip("NOT TESTED: " + what + ", which .ci/mcp installs and runs")
	}
	return folder
}

// node is the command line of a server that npm installed.
func node(t *testing.T, name string, args ...string) []string {
	t.Helper()
	modules := filepath.Join(installed(t, "ASSENT_CONFORMANCE", "real servers of npm"), "node_modules")
	return append([]string{filepath.Join(modules, "node", "bin", "node"), filepath.Join(modules, "@modelcontextprotocol", name, "dist", "index.js")}, args...)
}

// stdio declares a server that is started by a command; its processes are known by a mark.
func stdio(argv []string, mark string) map[string]any {
	return map[string]any{"command": argv[0], "args": argv[1:], "env": map[string]string{"MARK": mark}}
}

// marked are the processes that have a mark in their environment.
func marked(t *testing.T, mark string) (pids []string) {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range found {
		data, _ := os.ReadFile(file) // of one that ended there is nothing
		if strings.Contains(string(data), "MARK="+mark+"\x00") {
			pids = append(pids, strings.Split(file, "/")[2])
		}
	}
	return pids
}

// steps are what is reported of a call.
type steps struct {
	mu    sync.Mutex
	seen  []string // guarded by mu
	first func()   // is called at the first
}

func (s *steps) Output(string) {}

func (s *steps) Progress(done, total float64, _ string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen = append(s.seen, fmt.Sprintf("%v/%v", done, total)); len(s.seen) == 1 && s.first != nil {
		s.first()
	}
}

// everything uses the server that has something of everything.
func everything(t *testing.T, p *place) {
	t.Helper()
	d, problems := p.now()
	if problems != "" || !strings.Contains(names(d), "get-tiny-image") {
		t.Fatalf("%q, %s", names(d), problems)
	}
	contains(t, p.run(d, "echo", `{"message": "grüße"}`).Text(), "Echo: grüße", "was written by others")
	contains(t, p.run(d, "get-sum", `{"a": 2, "b": 3}`).Text(), "The sum of 2 and 3 is 5")
	contains(t, p.run(d, "get-sum", `{"a": "two", "b": 3}`).Text(), "do not fit")
	contains(t, p.run(d, "get-structured-content", `{"location": "New York"}`).Text(), "temperature")
	contains(t, p.run(d, "get-resource-links", `{"count": 2}`).Text(), "demo://resource/")
	pictures := 0
	for _, part := range p.run(d, "get-tiny-image", `{}`).Parts {
		if picture, ok := part.(content.Image); ok && strings.HasPrefix(string(picture.Data), "\x89PNG") {
			pictures++
		}
	}
	if pictures != 1 {
		t.Errorf("%d pictures", pictures)
	}
	long := func(ctx context.Context, arguments string, report *steps) tools.Result {
		q := d.Prepare(ctx, call("trigger-long-running-operation", arguments))
		r, err := d.Execute(ctx, q.Approved(), report)
		if err != nil && ctx.Err() == nil {
			t.Fatal(err)
		}
		return r
	}
	var report steps
	r := long(t.Context(), `{"duration": 0.2, "steps": 2}`, &report)
	report.mu.Lock()
	if r.Failed || !strings.HasPrefix(strings.Join(report.seen, " "), "1/2") { // the second comes with the result, which may overtake it
		t.Errorf("%s, %q", r.Text(), report.seen)
	}
	report.mu.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	begun := time.Now()
	long(ctx, `{"duration": 100, "steps": 1000}`, &steps{first: cancel})
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("a call that was cancelled goes on for %v", took)
	}
	contains(t, p.run(d, "echo", `{"message": "still there"}`).Text(), "still there")
}

// TestARealServerOverStdio: the official server with something of everything, as a process of ours, of which nothing
// stays.
func TestARealServerOverStdio(t *testing.T) {
	p, mark := newPlace(t), "stdio-"+strconv.Itoa(os.Getpid())
	p.declares("everything", stdio(node(t, "server-everything", "stdio"), mark))
	everything(t, p)
	if len(marked(t, mark)) == 0 {
		t.Error("its process is not known by its mark")
	}
	p.sources.Close()
	if left := marked(t, mark); len(left) > 0 {
		t.Errorf("the processes %q stay", left)
	}
}

// TestARealServerElsewhere: the same over Streamable HTTP, and over what came before it.
func TestARealServerElsewhere(t *testing.T) {
	for mode, path := range map[string]string{"streamableHttp": "/mcp", "sse": "/sse"} {
		t.Run(mode, func(t *testing.T) {
			argv := node(t, "server-everything", mode)
			port := freePort(t)
			cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
			cmd.Env = append(os.Environ(), "PORT="+port)
			errors, err := cmd.StderrPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cmd.Wait() }) // it is killed when the test ends
			lines := bufio.NewScanner(errors)
			for lines.Scan() && !strings.Contains(lines.Text(), "on port") {
			}
			go func() {
				for lines.Scan() { // so that it never waits for somebody to read
				}
			}()
			p := newPlace(t)
			kind := map[string]string{"streamableHttp": "http", "sse": "sse"}[mode]
			p.declares("everything", map[string]any{"type": kind, "url": "http://127.0.0.1:" + port + path})
			everything(t, p)
		})
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil || l.Close() != nil {
		t.Fatal(err)
	}
	return port
}

// TestARealServerOfFiles: names that are ours stay ours, and what it refuses is a failed result.
func TestARealServerOfFiles(t *testing.T) {
	p, mark := newPlace(t), "files-"+strconv.Itoa(os.Getpid())
	shared := t.TempDir()
	file(t, filepath.Join(shared, "a.txt"), "shared text\n")
	p.declares("files", stdio(node(t, "server-filesystem", shared), mark))
	d, problems := p.now()
	if problems != "" || !strings.Contains(names(d), "files__read_file") || !strings.Contains(names(d), "read_text_file") {
		t.Fatalf("%q, %s", names(d), problems)
	}
	// It takes the roots of its client for what it may use, once they are told: those are the workspace.
	file(t, filepath.Join(p.root, "b.txt"), "text of the workspace\n")
	contains(t, p.run(d, "read_text_file", fmt.Sprintf(`{"path": %q}`, filepath.Join(p.root, "b.txt"))).Text(), "text of the workspace")
	if r := p.run(d, "read_text_file", `{"path": "/etc/hostname"}`); !r.Failed || !strings.Contains(r.Text(), "Access denied") {
		t.Error(r.Text())
	}
	made := filepath.Join(p.root, "made.txt")
	if r := p.run(d, "files__write_file", fmt.Sprintf(`{"path": %q, "content": "made"}`, made)); r.Failed {
		t.Error(r.Text())
	}
	if data, err := os.ReadFile(made); err != nil || string(data) != "made" {
		t.Errorf("%q, %v", data, err)
	}
	p.sources.Close()
	if left := marked(t, mark); len(left) > 0 {
		t.Errorf("the processes %q stay", left)
	}
}

// TestARealServerInPython: one of PyPI, by another SDK.
func TestARealServerInPython(t *testing.T) {
	p, mark := newPlace(t), "python-"+strconv.Itoa(os.Getpid())
	program := filepath.Join(installed(t, "MCP_PYTHON", "a real server of PyPI"), "bin", "mcp-server-time")
	p.declares("time", stdio([]string{program, "--local-timezone", "UTC"}, mark))
	d, problems := p.now()
	if problems != "" || names(d) != "get_current_time convert_time" {
		t.Fatalf("%q, %s", names(d), problems)
	}
	contains(t, p.run(d, "convert_time", `{"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}`).Text(), "21:00")
	if r := p.run(d, "get_current_time", `{"timezone": "Nowhere/Land"}`); !r.Failed {
		t.Error(r.Text())
	}
	p.sources.Close()
	if left := marked(t, mark); len(left) > 0 {
		t.Errorf("the processes %q stay", left)
	}
}
