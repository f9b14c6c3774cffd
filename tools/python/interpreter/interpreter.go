// Package interpreter runs Python programs of models in CPython for WebAssembly, each in a helper process of its own. A
// program has no files, environment, sockets or processes: all that it can do is compute and call its Host.
package interpreter

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Limits of one run; zero fields mean the defaults.
type Limits struct {
	Time      time.Duration // of computing; waiting for Host does not count
	Memory    int64         // bytes of the WebAssembly memory, between 64 and 128 MB
	Output    int           // bytes printed
	Calls     int           // inner calls
	Recursion int           // Python calls within each other
}

// Default are the limits of a run that names none.
var Default = Limits{Time: 30 * time.Second, Memory: 96 << 20, Output: 100_000, Calls: 1000, Recursion: 500}

const (
	minMemory, maxMemory = 64 << 20, 128 << 20
	maxRecursion         = 5000
)

func (l Limits) filled() Limits {
	if l.Time <= 0 {
		l.Time = Default.Time
	}
	if l.Memory <= 0 {
		l.Memory = Default.Memory
	}
	if l.Output <= 0 {
		l.Output = Default.Output
	}
	if l.Calls <= 0 {
		l.Calls = Default.Calls
	}
	if l.Recursion <= 0 {
		l.Recursion = Default.Recursion
	}
	l.Memory, l.Recursion = max(min(l.Memory, maxMemory), minMemory), min(l.Recursion, maxRecursion)
	return l
}

// Function is a tool as the program sees it.
type Function struct {
	Name       string // an identifier of Python
	Tool       string // the tool's own name, sent to Host
	Parameters []Parameter
	Doc        string
}

// Parameter is one of a function, required ones first. A program may write its Argument by keyword, too.
type Parameter struct {
	Name     string // an identifier of Python
	Argument string // its name in the calls that Host gets
	Type     string // a Python annotation such as "str" or "list[str]"
	Required bool
}

// Program is what Run runs.
type Program struct {
	Source    string
	Functions []Function
	Limits    Limits
}

// Call is an inner call.
type Call struct {
	Tool      string
	Arguments json.RawMessage // an object
	Line      int             // of the program; 0: not known
}

// Answer is the result of a call: a value in JSON, or the text of the ToolError that the program gets.
type Answer struct {
	Value json.RawMessage
	Error string
}

// Host answers inner calls. Calls has more than one call only where the program wrote parallel([...]), or wrote the
// line for it by hand. It returns as many answers, and soon when ctx is done: the program cannot get them then.
type Host interface {
	Call(ctx context.Context, calls []Call) []Answer
}

// Result is how a program ended.
type Result struct {
	Output string        // what was printed, and the last expression unless None: a string as it is, others by repr
	Error  string        // how it failed, with the traceback of its own lines; empty: it did not
	Limit  string        // what ended it: time, memory, output, calls or recursion; empty: no limit did
	Took   time.Duration // computing
}

// Options of an interpreter.
type Options struct {
	Files  Files    // see Find
	Helper []string // the arguments by which this program becomes a helper: it passes those after them to Help
	// Cache is the folder of compiled code; empty: in the user's cache folder. Nothing else may write there.
	Cache string
	// Idle is how long a helper waits for a program before it ends; 0: five minutes.
	Idle time.Duration
}

// Interpreter runs programs. Its methods may be called from several goroutines.
type Interpreter struct {
	options Options
	pool    pool
}

// New makes an interpreter, and starts nothing yet.
func New(o Options) (*Interpreter, error) {
	if o.Cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("a Python program needs a folder for compiled code: %w", err)
		}
		o.Cache = filepath.Join(dir, "assent", "python-compiled")
	}
	if o.Idle <= 0 {
		o.Idle = 5 * time.Minute
	}
	return &Interpreter{options: o}, nil
}

// Close ends the waiting helper. Runs go on.
func (i *Interpreter) Close() { i.pool.close() }

// Check finds what is wrong with a program before it runs: its syntax, and imports that are not allowed. It is one
// sentence that begins with the line; empty: nothing is.
func (i *Interpreter) Check(ctx context.Context, source string) (problem string, err error) {
	if problem := tooLong(source); problem != "" {
		return problem, nil
	}
	h, err := i.take(ctx)
	if err != nil {
		return "", err
	}
	stop := context.AfterFunc(ctx, h.kill)
	defer stop()
	if err := h.pass(map[string]string{"check": source}); err != nil {
		h.end()
		return "", err
	}
	m, err := h.next()
	if err != nil || m.Checked == nil {
		h.end()
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err == nil || h.exited != nil {
			return "line 1: the program is too deeply nested to be read", nil
		}
		return "", err
	}
	i.put(h)
	return *m.Checked, nil
}

// Lacks says in one sentence which protections beside WebAssembly's own this system does not have; empty: it has all.
func (i *Interpreter) Lacks(ctx context.Context) (string, error) {
	h, err := i.take(ctx)
	if err != nil {
		return "", err
	}
	lacks := h.lacks
	i.put(h)
	if len(lacks) == 0 {
		return "", nil
	}
	return "Python programs are confined by WebAssembly, which gives them no files and no network, but not also by " +
		strings.Join(lacks, " and ") + ", which this system lacks.", nil
}

// maxSource bounds programs, in bytes.
const maxSource = 256 << 10

func tooLong(source string) string {
	if len(source) > maxSource {
		return fmt.Sprintf("line 1: the program has %d bytes, and may have %d", len(source), maxSource)
	}
	return ""
}
