package interpreter

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	"github.com/assent-ls/assent/tools/diskfile"
)

// pageSize is that of WebAssembly's memory.
const pageSize = 64 << 10

// errCache is in the error of a helper that cannot use the cache of compiled code.
var errCache = errors.New("the cache of compiled code cannot be used")

// Help is the main function of a helper. Its arguments come from Interpreter alone. It returns when there is nothing
// more to do, and the process should end then.
func Help(args []string) error {
	var o order
	if len(args) != 1 || json.Unmarshal([]byte(args[0]), &o) != nil || o.Wasm.Path == "" {
		return errors.New("the helper of the Python interpreter is started by Assent itself, never by hand")
	}
	ctx := context.Background()
	wasm, err := o.Wasm.read()
	if err != nil {
		return err
	}
	cache, err := wazero.NewCompilationCacheWithDir(o.Cache)
	if err != nil {
		return fmt.Errorf("%w: %w", errCache, err)
	}
	// Nothing is to be stopped by a context, which would slow loops down: the process is.
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().
		WithCompilationCache(cache).WithMemoryLimitPages(uint32(o.Memory/pageSize)))
	compiled, err := runtime.CompileModule(ctx, wasm)
	if err != nil {
		return fmt.Errorf("%w: %w", errCache, err)
	}
	lib, err := o.Lib.library()
	if err != nil {
		return err
	}
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, runtime); err != nil {
		return err
	}
	if o.Compile {
		if err := compileDriver(ctx, runtime, compiled, lib, o.Cache); err != nil {
			return err
		}
		_, err := fmt.Println(`{"ready":[0]}`)
		return err
	}
	code, err := readDriver(o.Cache)
	if err != nil {
		return fmt.Errorf("%w: %w", errCache, err)
	}
	told, err := importable()
	if err != nil {
		return err
	}
	if confineSelf() != nil {
		fmt.Println(`{"lacks":["the filter of system calls"]}`)
	}
	m := &memory{limit: uint64(o.Memory)}
	in, out := io.Pipe()
	go func() { serve(os.Stdin, out, m) }()
	notes := &tail{}
	pipe := &lines{to: os.Stdout, memory: m}
	config := python(withDriver{lib, code}, libraryFolder+"/"+driverName, told).
		WithStdin(in).WithStdout(pipe).WithStderr(notes).WithSysWalltime().WithSysNanotime().WithRandSource(rand.Reader)
	_, err = runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, m), compiled, config)
	if err := pipe.end(); err != nil {
		return err
	}
	return report(err, m, notes)
}

// libraryFolder is where CPython looks for its standard library.
const libraryFolder = "/usr/local/lib/python3.11"

// python configures an interpreter that has no environment, and reads its library and nothing else.
func python(lib fs.FS, args ...string) wazero.ModuleConfig {
	args = append([]string{"python", "-I", "-S", "-B", "-W", "ignore"}, args...)
	return wazero.NewModuleConfig().WithName("python").WithArgs(args...).
		WithFSConfig(wazero.NewFSConfig().WithFSMount(lib, libraryFolder))
}

// report tells the parent how the interpreter ended.
func report(err error, m *memory, notes *tail) error {
	var e exit
	var left *sys.ExitError
	switch {
	case errors.As(err, &left):
		e.Status = int(left.ExitCode())
	case err != nil:
		e.Trap, _, _ = strings.Cut(err.Error(), "\n")
	}
	if !m.ready.Load() {
		return fmt.Errorf("the interpreter did not start: %w %s", err, notes)
	}
	e.Memory = m.refused.Load()
	raw, err := json.Marshal(map[string]exit{"exit": e})
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(append(raw, '\n'))
	return err
}

// maxUnread is how many lines may wait for the driver: it reads the answer to each call before it makes the next.
const maxUnread = 8

var errUnread = errors.New("it made calls without reading the answers")

// serve hands lines of the parent to the driver, and does what is for the helper. Without a parent the process ends.
func serve(from io.Reader, to *io.PipeWriter, m *memory) {
	lines := bufio.NewReaderSize(from, 64<<10)
	passed := make(chan []byte, maxUnread)
	go func() {
		for line := range passed {
			_, _ = to.Write(line)
		}
	}()
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			os.Exit(0)
		}
		switch rest := line[1:]; line[0] {
		case toDriver:
			select {
			case passed <- rest:
			default:
				_ = report(errUnread, m, nil)
				os.Exit(1)
			}
		case setMemory:
			var bytes uint64
			var seconds int
			if _, err := fmt.Sscanf(string(rest), "%d %d", &bytes, &seconds); err == nil {
				m.bound(bytes)
				limitProcess(seconds)
			}
		case setInterrupt:
			m.interrupt()
		}
	}
}

// maxFile bounds a file of the interpreter, in bytes.
const maxFile = 64 << 20

// read reads a file and compares its hash.
func (f file) read() ([]byte, error) {
	content, err := diskfile.ReadSmall(f.Path, maxFile)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != f.SHA256 {
		return nil, fmt.Errorf(
			"%s is not the file that was installed: its SHA-256 is %x instead of %s; install the interpreter again",
			f.Path, sum, f.SHA256,
		)
	}
	return content, nil
}

// lines is the program's way out: the first line, which the driver writes before any program is there, tells where a
// program is interrupted.
type lines struct {
	to     io.Writer
	memory *memory
	first  []byte
	begun  bool // a line has no end yet
}

func (l *lines) Write(p []byte) (int, error) {
	if !l.memory.ready.Load() {
		l.first = append(l.first, p...)
		line, _, whole := bytes.Cut(l.first, []byte{'\n'})
		if !whole {
			return len(p), nil
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil || len(m.Ready) != 3 {
			return 0, errForeign
		}
		l.memory.breaker, l.memory.raised, l.memory.exception = m.Ready[0], m.Ready[1], m.Ready[2]
		l.memory.ready.Store(true)
		_, err := l.to.Write(l.first)
		return len(p), err
	}
	if len(p) > 0 {
		l.begun = p[len(p)-1] != '\n'
	}
	return l.to.Write(p)
}

// end ends a line that the program began, so that the helper can write one.
func (l *lines) end() error {
	if !l.begun {
		return nil
	}
	_, err := l.to.Write([]byte{'\n'})
	return err
}
