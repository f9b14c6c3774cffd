package interpreter

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assent-ls/assent/tools/python/modules"
)

// helper is a process with an interpreter, as its parent sees it.
type helper struct {
	process  *os.Process
	lacks    []string // protections that this system does not have
	in       *os.File
	waited   bool // in the pool
	messages chan message
	done     chan struct{} // closed when the process has ended; exited and failed are set then
	dropped  chan struct{} // closed when nobody takes messages any more
	drop     sync.Once
	killed   sync.Once
	exited   error
	failed   error // what was wrong with a line
	notes    *tail // what it wrote to its standard error
}

// order is what a helper is told in its arguments.
type order struct {
	Wasm, Lib file
	Cache     string
	Compile   bool // fill the cache and end
	Memory    int64
}

// writeLimit bounds how long a helper takes no line: it reads them at once.
const writeLimit = 10 * time.Second

// startLimit bounds the start of a helper; compiling takes some seconds.
const startLimit = time.Minute

// errLong is that of a line over maxLine.
var errLong = fmt.Errorf("the program sent a line of more than %d MB to the pipe of its interpreter", maxLine>>20)

// launch starts a helper and returns when its interpreter waits for a program.
func launch(argv []string, o order) (*helper, error) {
	h, err := spawn(argv, o)
	if err != nil {
		return nil, err
	}
	late := time.AfterFunc(startLimit, h.kill)
	defer late.Stop()
	m, err := h.next()
	if err == nil && len(m.Lacks) > 0 {
		h.lacks = append(h.lacks, m.Lacks...)
		m, err = h.next()
	}
	if err == nil && len(m.Ready) > 0 {
		boundData(h.process)
		return h, nil
	}
	h.end()
	return nil, h.problem(err)
}

// spawn starts a helper. Its environment is empty.
func spawn(argv []string, o order) (h *helper, err error) {
	line, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	var pipes [3]struct{ read, write *os.File }
	defer func() {
		_, _, _ = pipes[0].read.Close(), pipes[1].write.Close(), pipes[2].write.Close()
		if err != nil {
			_, _, _ = pipes[0].write.Close(), pipes[1].read.Close(), pipes[2].read.Close()
		}
	}()
	for n := range pipes {
		if pipes[n].read, pipes[n].write, err = os.Pipe(); err != nil {
			return nil, err
		}
	}
	h = &helper{
		in: pipes[0].write, messages: make(chan message), done: make(chan struct{}), dropped: make(chan struct{}),
		notes: &tail{},
	}
	files := []*os.File{pipes[0].read, pipes[1].write, pipes[2].write}
	h.process, h.lacks, err = start(append(slices.Clone(argv), string(line)), files, o)
	if err != nil {
		return nil, fmt.Errorf("the helper of the Python interpreter did not start: %w", err)
	}
	go h.read(pipes[1].read, pipes[2].read)
	return h, nil
}

// read passes the lines of the helper on, until it ends or writes one that cannot be read.
func (h *helper) read(out, notes *os.File) {
	defer close(h.done)
	noted := make(chan struct{})
	go func() {
		defer close(noted)
		_, _ = io.Copy(h.notes, notes)
	}()
	lines := bufio.NewReaderSize(out, 64<<10)
	for h.failed == nil {
		line, err := readLine(lines)
		if err != nil {
			if errors.Is(err, errLong) {
				h.failed = err
			}
			break
		}
		m, err := parse(line)
		if err != nil {
			h.failed = err
			break
		}
		select {
		case h.messages <- m:
		case <-h.dropped:
		}
	}
	h.wait()
	<-noted
	_, _ = out.Close(), notes.Close()
}

// wait waits for the end of the process, which has closed its output or is not listened to any more.
func (h *helper) wait() {
	late := time.AfterFunc(endLimit, h.kill)
	defer late.Stop()
	if h.failed != nil {
		h.kill()
	}
	state, err := h.process.Wait()
	h.exited = err
	if err == nil {
		h.exited = errors.New(state.String())
	}
}

// endLimit is how long a helper may take to end after it closed its output.
const endLimit = time.Second

func readLine(from *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := from.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return nil, errLong
		case err == nil:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// next waits for a message.
func (h *helper) next() (message, error) {
	select {
	case m := <-h.messages:
		return m, nil
	case <-h.done:
		return message{}, h.problem(nil)
	}
}

// pass sends a value to the driver.
func (h *helper) pass(value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return h.write(toDriver, line)
}

func (h *helper) write(kind byte, line []byte) error {
	_ = h.in.SetWriteDeadline(time.Now().Add(writeLimit)) // Windows has none
	_, err := h.in.Write(slices.Concat([]byte{kind}, line, []byte{'\n'}))
	return err
}

// The first byte of a line to the helper.
const (
	toDriver     = 'd' // the rest is for the driver
	setMemory    = 'm' // the rest is the number of bytes that the program may use
	setInterrupt = 'i' // the program's time is over
)

func (h *helper) interrupt() { _ = h.write(setInterrupt, nil) }

// run sends a program.
func (h *helper) run(p Program, l Limits) error {
	if err := h.write(setMemory, fmt.Appendf(nil, "%d %d", l.Memory, int(l.Time/time.Second)+1)); err != nil {
		return h.problem(err)
	}
	functions := make([]map[string]any, len(p.Functions))
	for n, f := range p.Functions {
		parameters := make([]map[string]any, len(f.Parameters))
		for k, p := range f.Parameters {
			parameters[k] = map[string]any{
				"name": p.Name, "sent": p.Argument, "type": p.Type, "required": p.Required,
			}
		}
		functions[n] = map[string]any{
			"name": f.Name, "tool": f.Tool, "doc": f.Doc, "parameters": parameters,
		}
	}
	err := h.pass(map[string]any{"program": map[string]any{
		"source": p.Source, "functions": functions, "limits": map[string]any{
			"time": l.Time.Seconds(), "memory": l.Memory, "output": l.Output, "calls": l.Calls,
			"recursion": l.Recursion,
		},
	}})
	if err != nil {
		return h.problem(err)
	}
	return nil
}

// kill ends the process at once.
func (h *helper) kill() { h.killed.Do(func() { _ = h.process.Kill() }) }

// end ends the process and waits until it is gone.
func (h *helper) end() {
	h.drop.Do(func() { close(h.dropped) })
	h.kill()
	<-h.done
	_ = h.in.Close()
}

// problem says that the helper died, and what it said last.
func (h *helper) problem(err error) error {
	select {
	case <-h.done:
	default:
		h.end()
	}
	if said := h.notes.String(); said != "" {
		return fmt.Errorf("the helper of the Python interpreter ended: %s", said)
	}
	if err == nil {
		err = h.exited
	}
	return fmt.Errorf("the helper of the Python interpreter ended: %w", err)
}

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	end []byte
}

const maxTail = 2 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end = append(t.end, p...)
	if len(t.end) > maxTail {
		t.end = slices.Clone(t.end[len(t.end)-maxTail:])
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(bytes.TrimSpace(t.end)), "\uFFFD")
}

// importable is what the driver is told of modules.
func importable() (string, error) {
	raw, err := json.Marshal(map[string]any{
		"allowed": modules.Names(), "hints": modules.Hints(), "refusal": modules.Sentence,
	})
	return string(raw), err
}
