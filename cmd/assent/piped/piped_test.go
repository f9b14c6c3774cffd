package piped

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func file(t *testing.T, text string) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestAllOfAnInputIsRead, or none: of a file, of a pipe and of what is neither.
func TestAllOfAnInputIsRead(t *testing.T) {
	for name, test := range map[string]struct{ input, want, says string }{
		"nothing":           {"", "", ""},
		"blanks":            {" \n\t\n", "", ""},
		"one byte":          {"x", "x", ""},
		"line ends":         {"a\r\nb\rc\n", "a\nb\nc\n", ""},
		"the most":          {strings.Repeat("x", Limit), strings.Repeat("x", Limit), ""},
		"one byte too many": {strings.Repeat("x", Limit+1), "", "more than 1 MB"},
		"a mark alone":      {"\ufeff", "", ""},
		"a cut character":   {"caf\xc3", "", "byte 4 is 0xc3"},
		"U+FFFD itself":     {"a\ufffdb", "a\ufffdb", ""},
		"a NUL":             {"a\x00", "", "byte 2 is 0x00"},
	} {
		t.Run(name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close() //nolint:errcheck // of a test
			go func() {
				_, _ = io.WriteString(w, test.input) // the reader may have had enough
				_ = w.Close()
			}()
			for kind, in := range map[string]io.Reader{"a file": file(t, test.input), "a pipe": r, "a reader": strings.NewReader(test.input)} {
				got, err := Beside(t.Context(), in, func(string) {})
				if got != test.want || (err == nil) != (test.says == "") || err != nil && !strings.Contains(err.Error(), test.says) {
					t.Errorf("%s: %d bytes, %v", kind, len(got), err)
				}
			}
		})
	}
}

// TestAWaitEnds with the context, and takes nothing from the input.
func TestAWaitEnds(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // of a test
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := Whole(ctx, r, func(string) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := io.WriteString(w, "later"); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	if got, err := Whole(t.Context(), r, func(string) {}); got != "later" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestADirectoryIsRefused: it is no file of text.
func TestADirectoryIsRefused(t *testing.T) {
	f, err := os.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // of a test
	if _, err := Beside(t.Context(), f, func(string) {}); err == nil || !strings.Contains(err.Error(), "standard input cannot be read") {
		t.Errorf("%v", err)
	}
}
