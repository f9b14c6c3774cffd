//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// driver talks to a script inside an editor over a socket: a JSON object per line, {id, op, ...}, answered by {id,
// value} or {id, error}. The script does what is asked, makes sure that it took effect, and answers; while that goes on
// it may write lines of id 0, as signs of life. It has no limits of time. Paths are absolute, lines and characters
// count from 0.
//
//	open file                  shows a file in a window of its own          text file        {text, modified} of its buffer
//	insert file line character text                                         cursor file line character
//	append file text           lines at the end of the document
//	type file line text every  types at the end of a line, a letter every N ms, and returns; typing: letters left
//	where                      {file, line, editors} of the cursor, and how many windows there are
//	diagnostics file           [{line, severity, source, message}]          next_problem file   the line it jumps to
//	actions file line          titles in the menu, in order                 act file line title  takes the one that begins so
//	command name file line     workspace/executeCommand                     cancel_progress
//	undo, redo, save, reload file                                           messages, progress, screen, quit
//	on_save file how           from now on a save first "trims" blanks or "formats" the whole text
type driver struct {
	*link
	t    testing.TB
	page *driver // what needs mouse and keyboard, where that is another script
}

// link is the socket and what is asked over it.
type link struct {
	conn    net.Conn
	mu      sync.Mutex
	last    int
	waiting map[int]chan answer
	heard   int // lines that came: signs of life
	gone    error
}

// inTest is the same driver with the failures of a subtest.
func (d *driver) inTest(t testing.TB) *driver {
	t.Helper()
	if d == nil {
		return nil
	}
	return &driver{link: d.link, t: t, page: d.page.inTest(t)}
}

// pageOperations go to the page where there is one, after the cursor was put into place.
var pageOperations = []string{"act", "menu", "type", "typing", "messages", "screen", "shot", "palette", "search", "press", "write", "click", "theme", "sees", "chat", "links", "keys", "lines", "hold", "release", "folds_asked", "completed"}

type answer struct {
	ID    int             `json:"id"`
	Value json.RawMessage `json:"value"`
	Error string          `json:"error"`
}

// socket is where a script is to connect to; the second result waits for it.
func socket(w *world, name string) (path string, accept func() *driver) {
	w.t.Helper()
	path = filepath.Join(w.home(), name+".sock")
	listener, err := net.Listen("unix", path)
	must(w.t, err)
	w.t.Cleanup(func() { _ = listener.Close() })
	return path, func() *driver {
		w.t.Helper()
		var conn net.Conn
		eventually(w.t, "the "+name+" script connects", func() (err error) {
			must(w.t, listener.(*net.UnixListener).SetDeadline(time.Now().Add(100*time.Millisecond)))
			if conn, err = listener.Accept(); err != nil {
				return fmt.Errorf("%w; the logs have %d bytes", err, w.logged())
			}
			return nil
		})
		_ = listener.Close()
		d := &driver{link: &link{conn: conn, waiting: map[int]chan answer{}}, t: w.t}
		w.t.Cleanup(func() { _ = conn.Close() })
		go d.read()
		return d
	}
}

func (d *link) read() {
	scanner := bufio.NewScanner(d.conn)
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		var a answer
		if err := json.Unmarshal(scanner.Bytes(), &a); err != nil {
			a.Error = fmt.Sprintf("the editor's script answered %q", scanner.Text())
		}
		d.mu.Lock()
		d.heard++
		reply := d.waiting[a.ID]
		delete(d.waiting, a.ID)
		d.mu.Unlock()
		if reply != nil {
			reply <- a
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gone = errGone
	for _, reply := range d.waiting {
		close(reply)
	}
	clear(d.waiting)
}

// signs tells what was heard so far.
func (d *link) signs() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return fmt.Sprint(d.heard)
}

type arguments map[string]any

// try asks for an operation and decodes its value into result, unless that is nil.
func (d *driver) try(op string, args arguments, result any) error {
	if d.page != nil && slices.Contains(pageOperations, op) {
		return d.onPage(op, args, result)
	}
	return d.inEditor(op, args, result)
}

// onPage puts the cursor into place, and asks the page. A window that was just opened, or has just folded lines, may
// move the cursor away: then the menu of another line is there, and both are done again.
func (d *driver) onPage(op string, args arguments, result any) (err error) {
	for range 5 {
		if _, ok := args["line"]; ok {
			place := maps.Clone(args)
			if op == "type" {
				place["character"] = 1 << 20 // the end of the line
			}
			// Text that arrives meanwhile may push the line away.
			var q quiet
			for there := false; !there; {
				if err := d.inEditor("cursor", place, &there); err != nil {
					return err
				}
				if q.tooLong("", silence) {
					return fmt.Errorf("%s: the cursor does not stay at %v", op, place)
				}
			}
		}
		if err = d.page.inEditor(op, args, result); err == nil || !strings.Contains(err.Error(), noAction) {
			return err
		}
	}
	return err
}

// noAction begins what the page answers where a menu lacks a title.
const noAction = "no action "

func (d *driver) inEditor(op string, args arguments, result any) error {
	reply := make(chan answer, 1)
	d.mu.Lock()
	if d.gone != nil {
		d.mu.Unlock()
		return d.gone
	}
	d.last++
	request := arguments{"id": d.last, "op": op}
	maps.Copy(request, args)
	d.waiting[d.last] = reply
	line, err := json.Marshal(request)
	if err == nil {
		_, err = d.conn.Write(append(line, '\n'))
	}
	d.mu.Unlock()
	if err != nil {
		return err
	}
	var q quiet
	for !q.tooLong(d.signs(), silence) {
		select {
		case a, ok := <-reply:
			switch {
			case !ok:
				return fmt.Errorf("%s: %w", op, errGone)
			case a.Error != "":
				return fmt.Errorf("%s: %s", op, a.Error)
			case result == nil:
				return nil
			}
			return json.Unmarshal(a.Value, result)
		case <-time.After(time.Second):
		}
	}
	return fmt.Errorf("%s: no answer and no sign of life for %v: %w", op, silence, errGone)
}

// do is try for operations that must succeed.
func (d *driver) do(op string, args arguments, result any) {
	d.t.Helper()
	must(d.t, d.try(op, args, result))
}
