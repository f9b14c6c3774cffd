package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// mostBytes is how large an archive may be.
const mostBytes = 25_000_000

// part is a part of an archive: the files whose paths begin with prefix, or those that it has in any case.
type part struct {
	name, prefix string
	files        []string
}

// parts are the parts of every archive, besides the program.
func parts() []part {
	plugin := []string{"nvim/plugin/assent.lua", "nvim/lua/assent/init.lua", "nvim/doc/assent.txt", "nvim/doc/tags"}
	python := []string{"python/python.wasm", "python/stdlib.zip", "python/LICENSE", "python/manifest.json"}
	shells := []string{"assent.bash", "_assent", "assent.fish", "assent.ps1"}
	for i := range shells {
		shells[i] = "completions/" + shells[i]
	}
	return []part{
		{"Neovim plugin", "nvim/", plugin},
		{"man pages", "man/", []string{"man/man1/assent.1", "man/man1/assent-run.1", "man/man1/assent-doctor.1"}},
		{"completions", "completions/", shells},
		{"Python interpreter", "python/", python},
		{"licenses", "", []string{"LICENSE", "NOTICES.txt"}},
		{"pages", "", []string{"README.md", "CHANGELOG.md"}},
	}
}

// check looks into each archive in a folder of GoReleaser, and into the extension for the same system, if there is one
// in extensions, and prints the size of each part.
func check(folder, extensions string, out io.Writer) error {
	archives, err := filepath.Glob(filepath.Join(folder, "assent_*"))
	if err != nil {
		return err
	}
	var problems []error
	found := 0
	for _, file := range archives {
		if !strings.HasSuffix(file, ".tar.gz") && !strings.HasSuffix(file, ".zip") {
			continue
		}
		found++
		program, err := checkArchive(file, out)
		if err == nil && extensions != "" {
			err = checkExtension(extensionFor(file, extensions), program, out)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", filepath.Base(file), err))
		}
	}
	if found == 0 {
		return fmt.Errorf("there is no archive in %s", folder)
	}
	return errors.Join(problems...)
}

// checkArchive returns the program in the archive.
func checkArchive(file string, out io.Writer) ([]byte, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	files, err := filesOf(file, data)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "%s: %d bytes\n", filepath.Base(file), len(data))
	var problems []error
	if len(data) > mostBytes {
		problems = append(problems, fmt.Errorf("it has %d bytes, and may have %d", len(data), mostBytes))
	}
	program := programOf(file)
	want := append(parts(), part{name: "program", files: []string{program}})
	for _, name := range slices.Concat(filesIn(want)...) {
		if len(files[name]) == 0 {
			problems = append(problems, fmt.Errorf("there is no %s, or it is empty", name))
		}
	}
	sizes := sizesOf(want, files)
	largest := func(a, b string) int { return cmp.Compare(sizes[b], sizes[a]) }
	for _, name := range slices.SortedFunc(maps.Keys(sizes), largest) {
		fmt.Fprintf(out, "  %10d  %s\n", sizes[name], name)
	}
	return files[program], errors.Join(problems...)
}

func filesIn(all []part) (files [][]string) {
	for _, p := range all {
		files = append(files, p.files)
	}
	return files
}

// programOf is what the program is called on the system of an archive.
func programOf(archive string) string {
	if strings.Contains(archive, "_windows_") {
		return "assent.exe"
	}
	return "assent"
}

// extensionFor is the package of the VS Code extension for the system of an archive.
func extensionFor(archive, folder string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(archive, ".tar.gz"), ".zip")
	words := strings.Split(name, "_")
	system, machine := words[len(words)-2], words[len(words)-1]
	target := strings.NewReplacer("windows", "win32", "amd64", "x64").Replace(system + "-" + machine)
	return filepath.Join(folder, "assent-"+target+".vsix")
}

// checkExtension wants the same program in an extension, so that one check of a program holds for both.
func checkExtension(file string, program []byte, out io.Writer) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(file), err)
	}
	fmt.Fprintf(out, "  %10d  %s\n", len(data), filepath.Base(file))
	for _, f := range archive.File {
		if path.Dir(f.Name) != "extension/bin" {
			continue
		}
		same := false
		err := addZipped(f, func(_ string, r io.Reader) error {
			text, err := io.ReadAll(r)
			same = bytes.Equal(text, program)
			return err
		})
		if err == nil && !same {
			err = errors.New("it is not the program of the archive")
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", filepath.Base(file), f.Name, err)
		}
		return nil
	}
	return fmt.Errorf("%s: there is no program in it", filepath.Base(file))
}

// sizesOf adds up the files of each part.
func sizesOf(all []part, files map[string][]byte) map[string]int {
	sizes := map[string]int{}
	for name, data := range files {
		for _, p := range all {
			if slices.Contains(p.files, name) || p.prefix != "" && strings.HasPrefix(name, p.prefix) {
				sizes[p.name] += len(data)
			}
		}
	}
	return sizes
}

// filesOf reads an archive: the files by their paths below its one folder.
func filesOf(file string, data []byte) (map[string][]byte, error) {
	files, top := map[string][]byte{}, ""
	add := func(name string, r io.Reader) error {
		folder, rest, found := strings.Cut(path.Clean(name), "/")
		if !found || top != "" && top != folder {
			return fmt.Errorf("%q is outside of its folder", name)
		}
		text, err := io.ReadAll(r)
		top, files[rest] = folder, text
		return err
	}
	if strings.HasSuffix(file, ".zip") {
		archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, err
		}
		for _, f := range archive.File {
			if err := addZipped(f, add); err != nil {
				return nil, err
			}
		}
		return files, nil
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	archive := tar.NewReader(unzipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if header.Typeflag == tar.TypeReg {
			if err := add(header.Name, archive); err != nil {
				return nil, err
			}
		}
	}
}

func addZipped(f *zip.File, add func(string, io.Reader) error) error {
	if f.FileInfo().IsDir() {
		return nil
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	return errors.Join(add(f.Name, r), r.Close())
}
