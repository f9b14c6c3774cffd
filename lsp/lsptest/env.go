package lsptest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"
)

// waitLimit ends a wait for something that never happens. In a synctest bubble it costs nothing.
const waitLimit = 2 * time.Minute

// Env is an editor in a test: every method fails the test instead of returning an error. Names of files are relative to
// the workspace folder.
type Env struct {
	T      *testing.T
	Editor *Editor
	Dir    string
	left   bool
}

// NewEnv starts an editor for a test, in a bubble of testing/synctest or outside of one. The test ends it with Leave or
// Die; what the server did wrong fails the test then.
func NewEnv(t *testing.T, serve Serve, dir string, opts Options) *Env {
	t.Helper()
	e, err := Start(t.Context(), serve, dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	return &Env{T: t, Editor: e, Dir: dir}
}

// Leave ends the server as the protocol asks for; it must exit with 0.
func (env *Env) Leave() {
	env.T.Helper()
	env.left = true
	code, err := env.Editor.Leave()
	if err != nil || code != 0 {
		env.T.Errorf("the server left with %d: %v", code, err)
	}
	env.reportFailures()
}

// Die closes the connection without a word; the server must exit with 1.
func (env *Env) Die() {
	env.T.Helper()
	env.left = true
	if code := env.Editor.Die(); code != 1 {
		env.T.Errorf("the server left with %d", code)
	}
	env.reportFailures()
}

func (env *Env) reportFailures() {
	env.T.Helper()
	env.Editor.mu.Lock()
	defer env.Editor.mu.Unlock()
	for _, f := range env.Editor.failed {
		env.T.Errorf("the server did wrong: %s", f)
	}
}

func (env *Env) must(err error) {
	env.T.Helper()
	if err != nil {
		env.T.Fatal(err)
	}
}

// Open opens a file as it is on disk; a file that is not there opens empty.
func (env *Env) Open(name string) {
	env.T.Helper()
	data, err := os.ReadFile(filepath.Join(env.Dir, name))
	if err != nil && !os.IsNotExist(err) {
		env.T.Fatal(err)
	}
	e, uri := env.Editor, env.Editor.uri(name)
	b := &buffer{text: string(data), version: 1, dos: strings.Contains(string(data), "\r\n"), encoding: e.encoding}
	e.mu.Lock()
	e.buffers[uri] = b
	e.mu.Unlock()
	language := "plaintext"
	if strings.HasSuffix(name, ".md") {
		language = "markdown"
	}
	env.must(e.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": uri, "languageId": language, "version": 1, "text": b.text,
	}}))
}

// Close closes a document; what was not saved is gone.
func (env *Env) Close(name string) {
	env.T.Helper()
	e, uri := env.Editor, env.Editor.uri(name)
	env.must(e.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}}))
	e.mu.Lock()
	defer e.mu.Unlock()
	e.drop(uri)
}

// Save writes a document to disk.
func (env *Env) Save(name string) {
	env.T.Helper()
	text := env.Text(name)
	env.must(os.WriteFile(filepath.Join(env.Dir, name), []byte(text), 0o600))
	e, uri := env.Editor, env.Editor.uri(name)
	e.mu.Lock()
	e.buffers[uri].dirty = false
	e.mu.Unlock()
	env.must(e.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]any{"uri": uri}}))
}

// buffer returns an open document; the editor's mu must be held.
func (env *Env) buffer(name string) *buffer {
	env.T.Helper()
	b := env.Editor.buffers[env.Editor.uri(name)]
	if b == nil {
		env.T.Fatalf("%s is not open", name)
	}
	return b
}

// change makes one change as the user.
func (env *Env) change(name string, how func(b *buffer) (change, error)) {
	env.T.Helper()
	env.Editor.mu.Lock()
	c, err := how(env.buffer(name))
	if err == nil {
		env.Editor.hold(env.Editor.uri(name), c)
	}
	env.Editor.mu.Unlock()
	env.must(err)
	env.must(env.Editor.report())
}

// Type adds text at the end of a document.
func (env *Env) Type(name, text string) {
	env.T.Helper()
	env.change(name, func(b *buffer) (change, error) {
		b.mark()
		return b.replace(len(b.text), len(b.text), text), nil
	})
}

// Replace changes the only place where old is.
func (env *Env) Replace(name, old, text string) {
	env.T.Helper()
	env.change(name, func(b *buffer) (change, error) {
		if n := strings.Count(b.text, old); n != 1 {
			return change{}, fmt.Errorf("%q occurs %d times in %s:\n%s", old, n, name, b.text)
		}
		b.mark()
		at := strings.Index(b.text, old)
		return b.replace(at, at+len(old), text), nil
	})
}

// Undo undoes the last change of a document, the user's or an applied edit.
func (env *Env) Undo(name string) {
	env.T.Helper()
	env.change(name, (*buffer).undoLast)
}

// CanUndo reports whether Undo has something to undo.
func (env *Env) CanUndo(name string) bool {
	env.T.Helper()
	env.Editor.mu.Lock()
	defer env.Editor.mu.Unlock()
	return len(env.buffer(name).undo) > 0
}

// Text is what is in an open document.
func (env *Env) Text(name string) string {
	env.T.Helper()
	env.Editor.mu.Lock()
	defer env.Editor.mu.Unlock()
	return env.buffer(name).text
}

// Disk is what is in a file.
func (env *Env) Disk(name string) string {
	env.T.Helper()
	data, err := os.ReadFile(env.path(name))
	env.must(err)
	return string(data)
}

// path is where a file lies: in the workspace folder, or where $DIR, the folder itself, says.
func (env *Env) path(name string) string {
	if rest, ok := strings.CutPrefix(name, "$DIR"); ok {
		return env.Dir + filepath.FromSlash(rest)
	}
	return filepath.Join(env.Dir, name)
}

// at is where the last needle begins in a document, moved by some bytes.
func (env *Env) at(name, needle string, by int) protocol.Position {
	env.T.Helper()
	env.Editor.mu.Lock()
	defer env.Editor.mu.Unlock()
	b := env.buffer(name)
	i := strings.LastIndex(b.text, needle)
	if i < 0 {
		env.T.Fatalf("%q is nowhere in %s:\n%s", needle, name, b.text)
	}
	return b.position(i + by)
}

// Ask sends a request about the place behind the last needle in a document; without a needle about the document.
func (env *Env) Ask(method, name, needle string, result any) {
	env.T.Helper()
	params := map[string]any{"textDocument": map[string]any{"uri": env.Editor.uri(name)}}
	if needle != "" {
		params["position"] = env.at(name, needle, len(needle))
	}
	env.must(env.Editor.Call(method, params, result))
}

// CodeActions asks for the actions at the last place where needle is, with the diagnostics of that line. As editors
// do, it asks again if the document changed meanwhile.
func (env *Env) CodeActions(name, needle string) []protocol.CodeAction {
	env.T.Helper()
	for range 20 {
		before := env.version(name)
		actions := env.codeActions(name, needle)
		if env.version(name) == before {
			return actions
		}
	}
	return env.codeActions(name, needle)
}

func (env *Env) version(name string) int32 {
	env.T.Helper()
	env.Editor.mu.Lock()
	defer env.Editor.mu.Unlock()
	return env.buffer(name).version
}

func (env *Env) codeActions(name, needle string) []protocol.CodeAction {
	env.T.Helper()
	e, uri, at := env.Editor, env.Editor.uri(name), env.at(name, needle, 0)
	here := []protocol.Diagnostic{}
	for _, d := range env.Diagnostics(name) {
		if d.Range.Start.Line <= at.Line && at.Line <= d.Range.End.Line {
			here = append(here, d)
		}
	}
	var actions []protocol.CodeAction
	env.must(e.Call("textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": uri}, "range": protocol.Range{Start: at, End: at},
		"context": map[string]any{"diagnostics": here},
	}, &actions))
	return actions
}

// Titles are the titles of CodeActions.
func (env *Env) Titles(name, needle string) []string {
	env.T.Helper()
	var titles []string
	for _, a := range env.CodeActions(name, needle) {
		titles = append(titles, a.Title)
	}
	return titles
}

// Do chooses the action with this title, or whose title begins with it, and returns the error of its command.
func (env *Env) Do(name, needle, title string) error {
	env.T.Helper()
	actions := env.CodeActions(name, needle)
	for _, exact := range []bool{true, false} {
		for _, a := range actions {
			if a.Title == title || (!exact && strings.HasPrefix(a.Title, title)) {
				return env.Choose(a)
			}
		}
	}
	env.T.Fatalf("no action %q at %q in %s, only %q", title, needle, name, env.Titles(name, needle))
	return nil
}

// Choose does what an editor does with an action: first its edit, then its command.
func (env *Env) Choose(a protocol.CodeAction) error {
	env.T.Helper()
	if a.Disabled != nil {
		env.T.Fatalf("the action %q is disabled: %s", a.Title, a.Disabled.Reason)
	}
	if a.Edit != nil {
		if _, err := env.Editor.applyEdit(*a.Edit); err != nil {
			return err
		}
	}
	if a.Command == nil {
		return nil
	}
	_, err := env.Execute(a.Command.Command, a.Command.Arguments...)
	return err
}

// Execute sends a command and returns its result or the error that the user would see.
func (env *Env) Execute(command string, arguments ...any) (json.RawMessage, error) {
	var result json.RawMessage
	params := map[string]any{"command": command, "arguments": arguments}
	err := env.Editor.Call("workspace/executeCommand", params, &result)
	return result, err
}

// Diagnostics are the newest of a document.
func (env *Env) Diagnostics(name string) []protocol.Diagnostic {
	env.Editor.mu.Lock()
	defer env.Editor.mu.Unlock()
	return env.Editor.diagnostics[env.Editor.uri(name)]
}

// Messages are all that were shown.
func (env *Env) Messages() []string {
	env.Editor.mu.Lock()
	defer env.Editor.mu.Unlock()
	var texts []string
	for _, m := range env.Editor.messages {
		texts = append(texts, m.Text)
	}
	return texts
}

// Shown are the documents that the server asked to show, newest last.
func (env *Env) Shown() []protocol.ShowDocumentParams {
	env.Editor.mu.Lock()
	defer env.Editor.mu.Unlock()
	return slices.Clone(env.Editor.shown)
}

// Progress is all progress that was started, oldest first.
func (env *Env) Progress() []Progress {
	env.Editor.mu.Lock()
	defer env.Editor.mu.Unlock()
	all := make([]Progress, len(env.Editor.progress))
	for i, p := range env.Editor.progress {
		all[i] = *p
		all[i].Lines = slices.Clone(p.Lines)
	}
	return all
}

// CancelProgress cancels the newest progress that runs, as the user can.
func (env *Env) CancelProgress() {
	env.T.Helper()
	for all := env.Progress(); len(all) > 0; all = all[:len(all)-1] {
		if p := all[len(all)-1]; !p.Ended {
			if !p.Cancellable {
				env.T.Fatalf("the progress %q cannot be cancelled", p.Title)
			}
			env.must(env.Editor.Notify("window/workDoneProgress/cancel", map[string]any{"token": p.token}))
			return
		}
	}
	env.T.Fatal("no progress runs")
}

// WaitFor blocks until ok, which is asked again after every message from the server.
func (env *Env) WaitFor(what string, ok func() bool) {
	env.T.Helper()
	e := env.Editor
	late := false
	timer := time.AfterFunc(waitLimit, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		late = true
		e.received.Broadcast()
	})
	defer timer.Stop()
	for {
		e.mu.Lock()
		seen := e.seen
		e.mu.Unlock()
		if ok() {
			return
		}
		e.mu.Lock()
		for e.seen == seen && !late {
			e.received.Wait()
		}
		stop := late
		e.mu.Unlock()
		if stop {
			env.T.Fatalf("timed out waiting for %s\n%s", what, env.Dump())
		}
	}
}

// WaitText blocks until text is in a document.
func (env *Env) WaitText(name, text string) {
	env.T.Helper()
	env.WaitFor(fmt.Sprintf("%q in %s", text, name), func() bool { return strings.Contains(env.Text(name), text) })
}

// WaitIdle blocks until all progress that was started has ended. Fast work shows no progress, and work that was only
// just requested shows none yet: in a bubble, call synctest.Wait first.
func (env *Env) WaitIdle() {
	env.T.Helper()
	env.WaitFor("the end of all progress", func() bool {
		return !slices.ContainsFunc(env.Progress(), func(p Progress) bool { return !p.Ended })
	})
}

// Dump describes the state of the editor, for a failing test.
func (env *Env) Dump() string {
	e := env.Editor
	e.mu.Lock()
	defer e.mu.Unlock()
	var b strings.Builder
	for uri, buf := range e.buffers {
		fmt.Fprintf(&b, "--- %s, version %d\n%s\n", uri, buf.version, buf.text)
	}
	for uri, all := range e.diagnostics {
		for _, d := range all {
			fmt.Fprintf(&b, "diagnostic %s:%d %s\n", uri, d.Range.Start.Line+1, d.Message)
		}
	}
	for _, p := range e.progress {
		fmt.Fprintf(&b, "progress %q: %q, ended: %v\n", p.Title, p.Last, p.Ended)
	}
	for _, m := range e.messages {
		fmt.Fprintf(&b, "message (%v): %s\n", m.Kind, m.Text)
	}
	for _, f := range e.failed {
		fmt.Fprintf(&b, "the server did wrong: %s\n", f)
	}
	return b.String()
}

// IsOpen reports whether the editor has a file open.
func (env *Env) IsOpen(name string) bool {
	env.Editor.mu.Lock()
	defer env.Editor.mu.Unlock()
	return env.Editor.buffers[env.Editor.uri(name)] != nil
}
