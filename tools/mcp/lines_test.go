package mcp_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/assent-ls/assent/tools/mcp"
)

// FuzzMessages: whatever a server prints, and in whatever pieces, the lines that begin like a message are passed on,
// and the others are logged.
func FuzzMessages(f *testing.F) {
	f.Add("{\"a\":1}\nStarting ...\n \t{\"b\":2}\r\n\n[info]\n{", 3)
	f.Add("x", 1)
	f.Fuzz(func(t *testing.T, output string, size int) {
		size = 1 + (size&0xff+0xff)%0xff
		var passed, logged strings.Builder
		for line := range strings.Lines(output) {
			trimmed := strings.TrimLeft(line, " \t\r\n")
			if inside, batch := strings.CutPrefix(trimmed, "["); batch && strings.HasPrefix(strings.TrimLeft(inside, " \t"), "{") {
				return // a batch: see TestBatchesInPieces
			}
			if strings.HasPrefix(trimmed, "{") {
				passed.WriteString(trimmed)
			} else {
				logged.WriteString(trimmed)
			}
		}
		for _, reader := range []io.Reader{strings.NewReader(output), iotest.OneByteReader(strings.NewReader(output)), iotest.DataErrReader(strings.NewReader(output))} {
			var log strings.Builder
			got, err := mcp.Messages(reader, &log, size)
			if !errors.Is(err, io.EOF) || got != passed.String() || log.String() != logged.String() {
				t.Errorf("%q in pieces of %d: passed on %q, logged %q, %v", output, size, got, log.String(), err)
			}
		}
	})
}

// The messages of a batch are passed on one by one, in whatever pieces they come; what is no message ends it, and the
// next line is read.
func TestBatchesInPieces(t *testing.T) {
	for output, want := range map[string]string{
		`[{"a":1}]`: `{"a":1}` + "\n",
		` [ {"a":"]},{\\\""} , {"b":[{}]} ] ` + "\n{}": `{"a":"]},{\\\""}` + "\n" + `{"b":[{}]}` + "\n{}",
		`[{"a":1}{"b":2}]` + "\n{}\n":                  `{"a":1}` + "\n{}\n",
		`[{"a":1} x` + "\n{}\n":                        `{"a":1}` + "\n{}\n",
		`[{"a":1},7,{"b":2}]` + "\n{}\n":               `{"a":1}` + "\n{}\n",
		`[{"a":1},` + "\n{}\n":                         `{"a":1}` + "\n{}\n",
		`[{"a":` + "\n{}\n":                            `{"a":` + "\n{}\n",
		"[]\n[[{}]]\n[ 1]\n{}\n":                       "{}\n",
	} {
		for size := 1; size < 20; size++ {
			got, err := mcp.Messages(strings.NewReader(output), io.Discard, size)
			if !errors.Is(err, io.EOF) || got != want {
				t.Errorf("%q in pieces of %d: %q, want %q, %v", output, size, got, want, err)
			}
		}
	}
}

// FuzzParse: any file is read or refused, and what is read can be judged.
func FuzzParse(f *testing.F) {
	f.Add(`{"mcpServers": {"a": {"command": "x", "args": ["${env:A}"], "cwd": "${workspaceFolder}"}, "b": {"url": "https://x"}}}`)
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, text string) {
		servers, _ := mcp.Parse([]byte(text))
		for _, s := range servers {
			if consent, err := s.ConsentIn(folder); (err == nil) != (consent != nil) {
				t.Errorf("%q: %s, %v", text, consent, err)
			}
		}
	})
}
