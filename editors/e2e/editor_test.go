//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// editor is a real editor that runs and has the configuration of its page. All of it fails the test by itself.
type editor struct {
	*driver
	w    *world
	kill func() // ends the editor as a crash would
}

// diagnostic is a problem as an editor shows it; severity 3 is information.
type diagnostic struct {
	Line     int    `json:"line"`
	Severity int    `json:"severity"`
	Source   string `json:"source"`
	Message  string `json:"message"`
}

// inTest is the same editor with the failures of a subtest.
func (e *editor) inTest(t testing.TB) *editor {
	t.Helper()
	driver, w := e.driver.inTest(t), *e.w
	w.t = t
	return &editor{driver: driver, w: &w, kill: e.kill}
}

func (e *editor) file(name string) arguments { return arguments{"file": e.w.path(name)} }

func (e *editor) at(name string, line int) arguments {
	return arguments{"file": e.w.path(name), "line": line}
}

// open shows a file, known to the server.
func (e *editor) open(name string) {
	e.t.Helper()
	e.w.reaches("textDocument/didOpen", func() { e.do("open", e.file(name), nil) })
}

func (e *editor) undo(name string) { e.t.Helper(); e.do("undo", e.file(name), nil) }
func (e *editor) save(name string) { e.t.Helper(); e.do("save", e.file(name), nil) }

// text is what the buffer holds, with LF line ends.
func (e *editor) text(name string) string {
	e.t.Helper()
	var got struct{ Text string }
	e.do("text", e.file(name), &got)
	return strings.ReplaceAll(got.Text, "\r\n", "\n")
}

func (e *editor) modified(name string) bool {
	e.t.Helper()
	var got struct{ Modified bool }
	e.do("text", e.file(name), &got)
	return got.Modified
}

// insert changes a buffer as a person's edit would.
func (e *editor) insert(name string, line, character int, text string) {
	e.t.Helper()
	args := e.at(name, line)
	args["character"], args["text"] = character, text
	e.do("insert", args, nil)
}

// typeAt starts typing at the end of a line.
func (e *editor) typeAt(name string, line int, text string, every time.Duration) {
	e.t.Helper()
	args := e.at(name, line)
	args["text"], args["every"] = text, every.Milliseconds()
	e.do("type", args, nil)
}

// typeAfter is typeAt on the last line that contains part, wherever it is by then.
func (e *editor) typeAfter(name, part, text string, every time.Duration) {
	e.t.Helper()
	args := e.at(name, e.lineOf(name, part))
	args["text"], args["every"], args["find"] = text, every.Milliseconds(), part
	e.do("type", args, nil)
}

// typed waits until all letters of typeAt are typed.
func (e *editor) typed() {
	e.t.Helper()
	eventually(e.t, "typing", func() error {
		var left int
		if err := e.try("typing", nil, &left); err != nil {
			return err
		}
		if left != 0 {
			return fmt.Errorf("%d letters left", left)
		}
		return nil
	})
}

// lineOf is the first line of the buffer that contains part, counted from 0.
func (e *editor) lineOf(name, part string) int {
	e.t.Helper()
	lines := strings.Split(e.text(name), "\n")
	i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, part) })
	if i < 0 {
		e.t.Fatalf("%s has no line with %q:\n%s", name, part, strings.Join(lines, "\n"))
	}
	return i
}

// waitText waits until the buffer contains part.
func (e *editor) waitText(name, part string) {
	e.t.Helper()
	eventually(e.t, name, func() error { return contains(e.text(name), part) })
}

// place is where the cursor of an editor is, and how many windows show something.
type place struct {
	File          string
	Line, Editors int
}

func (e *editor) where() place {
	e.t.Helper()
	var at place
	e.do("where", nil, &at)
	return at
}

func (e *editor) diagnostics(name string) []diagnostic {
	e.t.Helper()
	var list []diagnostic
	e.do("diagnostics", e.file(name), &list)
	return list
}

// waitPending waits for the diagnostic of a call that waits for an answer. The name of the model goes to the top of the
// chat at about the same time: both must be there before lines are counted.
func (e *editor) waitPending(name string) diagnostic {
	e.t.Helper()
	var found diagnostic
	eventually(e.t, "a pending call", func() error {
		list := e.diagnostics(name)
		i := slices.IndexFunc(list, func(d diagnostic) bool {
			return d.Source == "assent" && d.Severity == 3 && !strings.HasPrefix(d.Message, "Not run")
		})
		if i < 0 {
			return fmt.Errorf("diagnostics %v, messages %v, text:\n%s", list, e.messages(), e.text(name))
		}
		found = list[i]
		lines := strings.Split(e.text(name), "\n")
		if lines[0] != "---" || found.Line >= len(lines) || !strings.HasPrefix(strings.TrimLeft(lines[found.Line], "`"), "tool ") {
			return fmt.Errorf("the diagnostic is on line %d of:\n%s", found.Line, strings.Join(lines, "\n"))
		}
		return nil
	})
	return found
}

func (e *editor) actions(name string, line int) []string {
	e.t.Helper()
	var titles []string
	eventually(e.t, "the code actions", func() error {
		if err := e.try("actions", e.at(name, line), &titles); err != nil {
			return err
		}
		if len(titles) == 0 { // VS Code drops an answer when the document changed meanwhile
			return errors.New("the menu is empty")
		}
		return nil
	})
	return titles
}

// act takes the code action whose title begins so, and waits until its command is served. VS Code loses the command of
// a menu that it renews at that moment, and says so: then it is taken again.
func (e *editor) act(name string, line int, title string) {
	e.t.Helper()
	args := e.at(name, line)
	args["title"] = title
	lost := e.lostCommands()
	e.w.reaches("workspace/executeCommand", func() { e.do("act", args, nil) }, func() {
		if now := e.lostCommands(); now > lost {
			e.do("act", args, nil)
			lost = now
		}
	})
}

func (e *editor) lostCommands() int {
	e.t.Helper()
	return strings.Count(strings.Join(e.messages(), "\n"), "command not found")
}

// command runs a command of the server with the given place.
func (e *editor) command(command, name string, line int) error {
	args := e.at(name, line)
	args["name"] = command
	return e.try("command", args, nil)
}

func (e *editor) messages() []string {
	e.t.Helper()
	var list []string
	e.do("messages", nil, &list)
	return list
}

// keepDocuments leaves the open documents in the output folder when the test failed.
func (e *editor) keepDocuments(names ...string) {
	e.t.Cleanup(func() {
		if !e.t.Failed() {
			return
		}
		for _, name := range names {
			var got struct{ Text string }
			if err := e.try("text", e.file(name), &got); err == nil {
				e.w.keep("buffer-"+name, got.Text)
				e.t.Logf("%s in the editor:\n%s", name, got.Text)
			}
		}
		var screen string
		if e.try("screen", nil, &screen) == nil {
			e.w.keep("screen.txt", screen)
		}
		var messages, progress []string
		_ = e.try("messages", nil, &messages)
		_ = e.try("progress", nil, &progress)
		e.t.Logf("messages %q\nprogress %q\nmore in %s", messages, progress, e.w.out)
	})
}
