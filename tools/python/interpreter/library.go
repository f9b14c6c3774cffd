package interpreter

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // the driver
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/assent-ls/assent/tools/diskfile"
)

//go:embed driver.py
var driver string

// driverName is the file of the driver's byte code in the library, as the interpreter sees it.
const driverName = "driver.pyc"

// toByteCode is the program that compiles the driver: CPython runs what it prints as a file.
const toByteCode = `
import marshal, sys
code = compile(sys.argv[1], "<driver>", "exec", 0, True, 1)
magic = sys.modules["_frozen_importlib_external"].MAGIC_NUMBER
sys.stdout.buffer.write(magic + bytes(12) + marshal.dumps(code))
`

// library reads the standard library into memory.
func (f file) library() (fs.FS, error) {
	content, err := f.read()
	if err != nil {
		return nil, err
	}
	lib, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return lib, nil
}

// driverVersion tells drivers apart.
func driverVersion() string {
	sum := sha256.Sum256([]byte(toByteCode + driver))
	return hex.EncodeToString(sum[:8])
}

func driverPath(cache string) string { return filepath.Join(cache, "driver-"+driverVersion()) }

// compileDriver has the interpreter compile the driver, which takes as long as its own start, and keeps the byte code
// in the cache, with its hash at the end.
func compileDriver(
	ctx context.Context, runtime wazero.Runtime, compiled wazero.CompiledModule, lib fs.FS, cache string,
) error {
	var code, notes bytes.Buffer
	config := python(lib, "-c", toByteCode, driver).WithStdout(&code).WithStderr(&notes)
	if _, err := runtime.InstantiateModule(ctx, compiled, config); err != nil {
		return fmt.Errorf("the interpreter cannot compile its driver: %w %s", err, notes.String())
	}
	if code.Len() == 0 {
		return fmt.Errorf("the interpreter cannot compile its driver: %s", notes.String())
	}
	sum := sha256.Sum256(code.Bytes())
	code.Write(sum[:])
	part := driverPath(cache) + ".part"
	return errors.Join(os.WriteFile(part, code.Bytes(), 0o600), os.Rename(part, driverPath(cache)))
}

// readDriver returns the byte code of the driver.
func readDriver(cache string) ([]byte, error) {
	content, err := diskfile.ReadSmall(driverPath(cache), maxFile)
	if err != nil {
		return nil, err
	}
	end := len(content) - sha256.Size
	if end < 0 {
		return nil, errors.New("the compiled driver is cut off")
	}
	if sum := sha256.Sum256(content[:end]); !bytes.Equal(sum[:], content[end:]) {
		return nil, errors.New("the compiled driver was changed")
	}
	return content[:end], nil
}

// withDriver is the standard library with the driver in it.
type withDriver struct {
	fs.FS
	code []byte
}

// Open implements fs.FS.
func (w withDriver) Open(name string) (fs.File, error) {
	if name != driverName {
		return w.FS.Open(name)
	}
	return &memoryFile{bytes.NewReader(w.code)}, nil
}

// memoryFile is the driver as a file.
type memoryFile struct{ *bytes.Reader }

// Close implements fs.File.
func (*memoryFile) Close() error { return nil }

// Stat implements fs.File.
func (f *memoryFile) Stat() (fs.FileInfo, error) { return f, nil }

// Name, Mode, ModTime, IsDir and Sys implement fs.FileInfo, with Size.
func (*memoryFile) Name() string       { return driverName }
func (*memoryFile) Mode() fs.FileMode  { return 0o444 }
func (*memoryFile) ModTime() time.Time { return time.Unix(0, 0) }
func (*memoryFile) IsDir() bool        { return false }
func (*memoryFile) Sys() any           { return nil }
