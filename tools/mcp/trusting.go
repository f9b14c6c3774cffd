package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/trust"
)

const (
	maxCovered = 64 << 20 // bytes of all files of a workspace that a command may name
	maxConsent = 64 << 10 // bytes that a person is asked to read
)

// consent is all that a person trusts with a server of a workspace, as they read it. A change of anything in it voids
// the trust.
type consent struct {
	Server  string            `json:"server"`
	Kind    Kind              `json:"type"`
	Command string            `json:"command,omitempty"`
	Program string            `json:"program,omitempty"` // what the command is on this machine
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Folder  string            `json:"cwd,omitempty"`
	URL     string            `json:"url,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	OAuth   *OAuth            `json:"oauth,omitempty"`
	// those of the workspace that the command names, by their SHA-256
	Files map[string]string `json:"files,omitempty"`
}

// consent is the text that a person trusts with a server: everything in its declaration, and what that leads to on this
// machine. References are in it as they are written, not what they stand for.
func (d Declaration) consent(folder string) ([]byte, error) {
	c := consent{
		Server: d.Name, Kind: d.Kind, Command: d.Command, Args: d.Args, Env: d.Env, URL: d.URL, Headers: d.Headers,
		OAuth: d.OAuth,
	}
	if d.Kind == Stdio {
		var err error
		if c.Program, err = d.program(folder); err != nil {
			return nil, err
		}
		if c.Folder, err = d.start(folder); err != nil {
			return nil, err
		}
		if _, err = c.text(); err != nil {
			return nil, err // before the files are read
		}
		if c.Files, err = c.covered(folder); err != nil {
			return nil, err
		}
	}
	return c.text()
}

func (c consent) text() ([]byte, error) {
	text, err := json.MarshalIndent(c, "", "  ")
	if err == nil && len(text) > maxConsent {
		err = fmt.Errorf("what it says is more than %d KB, which nobody reads before trusting it", maxConsent>>10)
	}
	return append(text, '\n'), err
}

// covered are the files of the workspace that a command names, by their content.
func (c consent) covered(folder string) (map[string]string, error) {
	files, left := map[string]string{}, int64(maxCovered)
	r := resolver{folder: folder}
	names := []string{c.Program}
	for _, arg := range c.Args {
		names = append(names, arg)
		if _, value, has := strings.Cut(arg, "="); has { // --config=FILE
			names = append(names, value)
		}
	}
	for _, name := range names {
		name, err := r.text("args", name, false)
		if err != nil || name == "" {
			continue // a reference to a secret names no file of the workspace
		}
		if !filepath.IsAbs(name) {
			name = filepath.Join(c.Folder, name)
		}
		rel, inside := within(folder, name)
		if _, twice := files[rel]; twice || !inside {
			continue
		}
		sum, size, err := sumOf(name, left)
		if err != nil {
			return nil, err
		}
		if sum != "" {
			files[rel] = sum
			left -= size
		}
	}
	return files, nil
}

// within is a path relative to a folder that holds it, by its name or by what its links lead to.
func within(folder, name string) (rel string, inside bool) {
	names := []string{name}
	if to, err := filepath.EvalSymlinks(name); err == nil {
		names = append(names, to)
	}
	for _, n := range names {
		if rel, err := filepath.Rel(folder, n); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// sumOf is the SHA-256 of a regular file of at most so many bytes, and its size; empty: there is none.
func sumOf(name string, most int64) (sum string, size int64, err error) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return "", 0, nil //nolint:nilerr // an argument need not be a file
	}
	sum, size, err = diskfile.Sum(context.Background(), name, most)
	switch {
	case errors.Is(err, diskfile.ErrTooLarge):
		err = fmt.Errorf(
			"%q, which the command names, cannot be read, or the files that it names have more than %d MB", name,
			maxCovered>>20,
		)
	case err != nil:
		err = fmt.Errorf("%q, which the command names, cannot be read", name)
	}
	return sum, size, err
}

// Place is where the trust in a server is kept.
func (d Declaration) Place() string { return trust.Server(d.File, d.Name) }
