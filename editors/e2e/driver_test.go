//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// driver talks to a script inside an editor over a socket: a JSON object per line, {id, op, ...}, answered by {id, value}
// or {id, error}. The script does what is asked and answers at once; only open waits, until the language server is there.
// Paths are absolute, lines and characters count from 0.
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
var pageOperations = []string{"act", "type", "typing", "messages", "screen", "shot", "palette", "keys"}

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
		must(w.t, listener.(*net.UnixListener).SetDeadline(time.Now().Add(60*time.Second)))
		conn, err := listener.Accept()
		if err != nil {
			w.t.Fatalf("the %s script did not connect: %v", name, err)
		}
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
		reply := d.waiting[a.ID]
		delete(d.waiting, a.ID)
		d.mu.Unlock()
		if reply != nil {
			reply <- a
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gone = errors.New("the editor is gone")
	for _, reply := range d.waiting {
		reply <- answer{Error: d.gone.Error()}
	}
	clear(d.waiting)
}

type arguments map[string]any

// try asks for an operation and decodes its value into result, unless that is nil.
func (d *driver) try(op string, args arguments, result any) error {
	if d.page != nil && slices.Contains(pageOperations, op) {
		if _, ok := args["line"]; ok {
			place := maps.Clone(args)
			if op == "type" {
				place["character"] = 1 << 20 // the end of the line
			}
			// Text that arrives meanwhile may push the line away.
			for tries, there := 0, false; !there && tries < 10; tries++ {
				if err := d.try("cursor", place, &there); err != nil {
					return err
				}
			}
		}
		return d.page.try(op, args, result)
	}
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
	select {
	case a := <-reply:
		if a.Error != "" {
			return fmt.Errorf("%s: %s", op, a.Error)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(a.Value, result)
	case <-time.After(30 * time.Second):
		return fmt.Errorf("%s: the editor did not answer within 30 s", op)
	}
}

// do is try for operations that must succeed.
func (d *driver) do(op string, args arguments, result any) {
	d.t.Helper()
	must(d.t, d.try(op, args, result))
}
