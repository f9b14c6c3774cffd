package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// replyLimit is how long a model may take.
const replyLimit = 10 * time.Minute

// editor is a minimal client of one `assent serve` process. It keeps ASCII texts, counts UTF-16 as most editors do,
// applies each edit of the right version and reports it at once.
type editor struct {
	cmd *exec.Cmd
	in  io.WriteCloser

	writing sync.Mutex // one frame at a time

	mu      sync.Mutex // guards the fields below
	next    int
	waiting map[int]chan message
	texts   map[string]*text
	onEdit  func(*text) // called after every edit of the server, under mu
	onEnd   func()      // called when a progress ends, under mu
	failed  error
}

type text struct {
	content []byte
	version int
}

type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type edit struct {
	Range   span   `json:"range"`
	NewText string `json:"newText"`
}

type change struct {
	Range span   `json:"range"`
	Text  string `json:"text"`
}

// startEditor starts the server and initializes it.
func (l *setup) startEditor(ctx context.Context, w *project, args ...string) (*editor, error) {
	cmd := exec.CommandContext(ctx, l.program, append([]string{"serve"}, args...)...) //nolint:gosec // the program under measurement
	cmd.Dir, cmd.Env, cmd.Stderr = w.dir, w.env, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	e := &editor{cmd: cmd, in: in, waiting: map[int]chan message{}, texts: map[string]*text{}}
	go e.read(bufio.NewReaderSize(out, 1<<16))
	_, err = e.call("initialize", map[string]any{
		"processId": os.Getpid(), "clientInfo": map[string]string{"name": "bench"}, "rootUri": w.uri(""),
		"workspaceFolders": []any{map[string]string{"uri": w.uri(""), "name": "work"}},
		"capabilities": map[string]any{
			"window": map[string]any{"workDoneProgress": true},
			"workspace": map[string]any{
				"applyEdit": true, "workspaceEdit": map[string]bool{"documentChanges": true},
			},
			"textDocument": map[string]any{"codeAction": map[string]any{"codeActionLiteralSupport": map[string]any{}}},
		},
	})
	if err != nil {
		e.quit()
		return nil, fmt.Errorf("initialize: %w", err)
	}
	return e, e.notify("initialized", struct{}{})
}

// quit ends the server as the protocol asks for.
func (e *editor) quit() {
	if _, err := e.call("shutdown", nil); err == nil {
		_ = e.notify("exit", nil)
	}
	_ = e.in.Close()
	timer := time.AfterFunc(5*time.Second, func() { _ = e.cmd.Process.Kill() })
	_ = e.cmd.Wait()
	timer.Stop()
}

func (e *editor) open(uri, content string) error {
	e.mu.Lock()
	e.texts[uri] = &text{content: []byte(content), version: 1}
	e.mu.Unlock()
	return e.notify("textDocument/didOpen", map[string]any{
		"textDocument": map[string]any{"uri": uri, "languageId": "markdown", "version": 1, "text": content},
	})
}

func (e *editor) close(uri string) error {
	e.mu.Lock()
	delete(e.texts, uri)
	e.mu.Unlock()
	return e.notify("textDocument/didClose", map[string]any{"textDocument": map[string]string{"uri": uri}})
}

// openFiles opens some files of the workspace, as people have while they chat.
func (e *editor) openFiles(w *project, names ...string) error {
	for _, name := range names {
		content, err := os.ReadFile(filepath.Join(w.dir, name))
		if err != nil {
			return err
		}
		if err := e.open(w.uri(name), string(content)); err != nil {
			return err
		}
	}
	return nil
}

// command runs one of the server's commands on a document.
func (e *editor) command(name, uri string) error {
	_, err := e.call(
		"workspace/executeCommand", map[string]any{"command": name, "arguments": []any{map[string]string{"uri": uri}}},
	)
	return err
}

// call sends a request and waits for its result.
func (e *editor) call(method string, params any) (json.RawMessage, error) {
	answer := make(chan message, 1) // closed when the server is gone
	e.mu.Lock()
	if e.failed != nil {
		e.mu.Unlock()
		return nil, e.failed
	}
	e.next++
	id := e.next
	e.waiting[id] = answer
	e.mu.Unlock()
	if err := e.write(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	m, ok := <-answer
	switch {
	case !ok:
		e.mu.Lock()
		defer e.mu.Unlock()
		return nil, e.failed
	case m.Error != nil:
		return nil, errors.New(m.Error.Message)
	}
	return m.Result, nil
}

func (e *editor) notify(method string, params any) error {
	return e.write(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

func (e *editor) write(m any) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	frame := append([]byte("Content-Length: "+strconv.Itoa(len(body))+"\r\n\r\n"), body...)
	e.writing.Lock()
	defer e.writing.Unlock()
	_, err = e.in.Write(frame)
	return err
}

// read serves what comes from the server until it is gone.
func (e *editor) read(r *bufio.Reader) {
	var err error
	for err == nil {
		var m message
		if m, err = readFrame(r); err == nil {
			err = e.serve(m)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failed = fmt.Errorf("the server is gone: %w", err)
	for _, answer := range e.waiting {
		close(answer)
	}
	clear(e.waiting)
}

func readFrame(r *bufio.Reader) (m message, err error) {
	header, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return m, err
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return m, err
	}
	return m, json.Unmarshal(body, &m)
}

func (e *editor) serve(m message) error {
	switch {
	case m.Method == "":
		id, err := strconv.Atoi(string(m.ID))
		if err != nil {
			return err
		}
		e.mu.Lock()
		answer, ok := e.waiting[id]
		delete(e.waiting, id)
		e.mu.Unlock()
		if ok {
			answer <- m
		}
	case m.Method == "workspace/applyEdit":
		applied, err := e.apply(m.Params)
		if err != nil {
			return err
		}
		return e.write(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": map[string]bool{"applied": applied}})
	case m.Method == "$/progress":
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.onEnd != nil && bytes.Contains(m.Params, []byte(`"kind":"end"`)) {
			e.onEnd()
			e.onEnd = nil
		}
	case m.Method == "window/showMessage":
		fmt.Fprintf(os.Stderr, "  the server says: %s\n", m.Params)
	case m.ID != nil:
		return e.write(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": nil})
	}
	return nil
}

// apply makes an edit and reports the changes before it is answered, as clients without a delay do.
func (e *editor) apply(params json.RawMessage) (bool, error) {
	var p struct {
		Edit struct {
			DocumentChanges []struct {
				TextDocument struct {
					URI     string `json:"uri"`
					Version int    `json:"version"`
				} `json:"textDocument"`
				Edits []edit `json:"edits"`
			} `json:"documentChanges"`
		} `json:"edit"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return false, err
	}
	for _, d := range p.Edit.DocumentChanges {
		e.mu.Lock()
		t := e.texts[d.TextDocument.URI]
		if t == nil || t.version != d.TextDocument.Version {
			e.mu.Unlock()
			return false, nil
		}
		changes := t.apply(d.Edits)
		version := t.version
		if e.onEdit != nil {
			e.onEdit(t)
		}
		e.mu.Unlock()
		if err := e.changed(d.TextDocument.URI, version, changes...); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (e *editor) changed(uri string, version int, changes ...change) error {
	return e.notify("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": uri, "version": version}, "contentChanges": changes,
	})
}

// watch calls done after every edit of the server until it reports true; then the time comes on the channel.
func (e *editor) watch(done func(content []byte) bool) <-chan time.Time {
	at := make(chan time.Time, 1)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.onEdit = func(t *text) {
		if done(t.content) {
			at <- time.Now()
			e.onEdit = nil
		}
	}
	return at
}

// nextEnd returns a channel on which the time comes when the next progress ends, as that of a run does.
func (e *editor) nextEnd() <-chan time.Time {
	over := make(chan time.Time, 1)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.onEnd = func() { over <- time.Now() }
	return over
}

// sendUntil sends a chat, and returns how long it took until a time came on the channel.
func (e *editor) sendUntil(uri string, reached <-chan time.Time) (time.Duration, error) {
	began := time.Now()
	if err := e.command("assent.send", uri); err != nil {
		return 0, err
	}
	select {
	case at := <-reached:
		return at.Sub(began), nil
	case <-time.After(replyLimit):
		return 0, fmt.Errorf("the reply to %s did not come within %v", uri, replyLimit)
	}
}

// append types at the end of a document.
func (e *editor) append(uri, typed string) error {
	e.mu.Lock()
	t := e.texts[uri]
	lines := bytes.Count(t.content, []byte("\n"))
	at := position{Line: lines, Character: len(t.content) - bytes.LastIndexByte(t.content, '\n') - 1}
	changes := t.apply([]edit{{span{at, at}, typed}})
	version := t.version
	e.mu.Unlock()
	return e.changed(uri, version, changes...)
}

// apply makes edits, the last one first so that the earlier ones keep their places.
func (t *text) apply(edits []edit) []change {
	var changes []change
	for _, edit := range slices.Backward(edits) {
		start, end := t.offset(edit.Range.Start), t.offset(edit.Range.End)
		tail := bytes.Clone(t.content[end:])
		t.content = append(append(t.content[:start], edit.NewText...), tail...)
		changes = append(changes, change{edit.Range, edit.NewText})
	}
	t.version++
	return changes
}

func (t *text) offset(p position) int {
	start := 0
	for range p.Line {
		start += bytes.IndexByte(t.content[start:], '\n') + 1
	}
	return min(start+p.Character, len(t.content))
}

// reply returns what is under the last heading of the assistant, without the turn below.
func reply(content []byte) string {
	_, after, ok := bytes.Cut(content, []byte("\n## Assistant\n"))
	if !ok {
		return ""
	}
	before, _, _ := strings.Cut(string(after), "\n## You")
	return strings.TrimSpace(before)
}
