package main

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// contents are the files of a good archive.
func contents(program string) map[string]string {
	files := map[string]string{program: "the program"}
	for _, name := range slices.Concat(filesIn(parts())...) {
		files[name] = name
	}
	return files
}

// pack writes files into an archive of the kind that its name says, below the folder top.
func pack(t *testing.T, archive, top string, files map[string]string) {
	t.Helper()
	var b bytes.Buffer
	if strings.HasSuffix(archive, ".tar.gz") {
		compressed, _ := gzip.NewWriterLevel(&b, gzip.NoCompression)
		w := tar.NewWriter(compressed)
		for name, text := range files {
			if err := w.WriteHeader(&tar.Header{Name: top + name, Size: int64(len(text)), Mode: 0o644, Typeflag: tar.TypeReg}); err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(w, text)
		}
		_, _ = w.Close(), compressed.Close()
	} else {
		w := zip.NewWriter(&b)
		for name, text := range files {
			f, err := w.Create(top + name)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(f, text)
		}
		_ = w.Close()
	}
	if err := os.WriteFile(archive, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestArchivesAreChecked(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(files map[string]string)
		want   string // part of the error; empty: none
	}{
		"good":         {func(map[string]string) {}, ""},
		"no program":   {func(files map[string]string) { delete(files, "assent") }, "there is no assent,"},
		"no help":      {func(files map[string]string) { delete(files, "nvim/doc/tags") }, "nvim/doc/tags"},
		"empty page":   {func(files map[string]string) { files["man/man1/assent.1"] = "" }, "man/man1/assent.1"},
		"no Python":    {func(files map[string]string) { delete(files, "python/python.wasm") }, "python/python.wasm"},
		"no licenses":  {func(files map[string]string) { delete(files, "NOTICES.txt") }, "NOTICES.txt"},
		"too large":    {func(files map[string]string) { files["assent"] = strings.Repeat("x", mostBytes) }, "may have 25000000"},
		"not a folder": {func(files map[string]string) { files["../x"] = "x" }, "outside"},
	} {
		files, dir := contents("assent"), t.TempDir()
		tt.change(files)
		pack(t, filepath.Join(dir, "assent_1_linux_amd64.tar.gz"), "assent_1_linux_amd64/", files)
		var out strings.Builder
		err := check(dir, "", &out)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		if err == nil && !strings.Contains(out.String(), "          11  program\n") {
			t.Errorf("%s: no size of the program:\n%s", name, out.String())
		}
	}
	if err := check(t.TempDir(), "", io.Discard); err == nil {
		t.Error("a folder without archives passes")
	}
}

func TestAnExtensionHasTheProgramOfTheArchive(t *testing.T) {
	dir := t.TempDir()
	pack(t, filepath.Join(dir, "assent_1_windows_amd64.zip"), "assent_1_windows_amd64/", contents("assent.exe"))
	extension := filepath.Join(dir, "assent-win32-x64.vsix")
	if err := check(dir, dir, io.Discard); err == nil {
		t.Error("it passes without an extension")
	}
	for text, good := range map[string]bool{"the program": true, "another one": false} {
		pack(t, extension, "extension/", map[string]string{"package.json": "{}", "bin/assent.exe": text})
		if err := check(dir, dir, io.Discard); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
	pack(t, extension, "extension/", map[string]string{"package.json": "{}"})
	if err := check(dir, dir, io.Discard); err == nil || !strings.Contains(err.Error(), "there is no program in it") {
		t.Errorf("without a program: %v", err)
	}
}

func TestHandshake(t *testing.T) {
	frames := func(messages ...string) *bufio.Reader {
		var b strings.Builder
		for _, m := range messages {
			_ = send(&b, m)
		}
		return bufio.NewReader(strings.NewReader(b.String()))
	}
	const hello, bye = `"id":0,"result":{"serverInfo":{"name":"assent"}}`, `"id":1,"result":null`
	var sent strings.Builder
	name, err := handshake(&sent, frames(`"method":"window/logMessage","params":{}`, hello, bye))
	if name != "assent" || err != nil || !strings.Contains(sent.String(), `"initialize"`) || !strings.HasSuffix(sent.String(), `"method":"exit"}`) {
		t.Errorf("%q, %v, sent %s", name, err, sent.String())
	}
	for what, said := range map[string]*bufio.Reader{
		"nothing":      frames(),
		"an error":     frames(`"id":0,"error":{"code":-32603,"message":"no"}`, bye),
		"no name":      frames(`"id":0,"result":{}`, bye),
		"another id":   frames(`"id":7,"result":{}`, bye),
		"no goodbye":   frames(hello),
		"not a header": bufio.NewReader(strings.NewReader("panic: no\n\n")),
	} {
		if name, err := handshake(io.Discard, said); err == nil {
			t.Errorf("%s: it is called %q", what, name)
		}
	}
}
