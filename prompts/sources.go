package prompts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/workspace"
)

// MaxSize is the largest prompt file, in bytes: some 8,000 tokens, more than most contexts leave room for.
const MaxSize = 32 << 10

// WholeLayer is the name of the layer that takes the place of all others.
const WholeLayer = "whole"

// source is a file that may hold a layer, or a text that a setting gives.
type source struct {
	name      string
	path      string
	workspace bool
	rules     string // the name of a rules file, which is taken word for word; empty: this is a prompt
	// read returns the text; found is false if there is no file.
	read func() (text string, found bool, err error)
}

// sources lists all that may count, the most general first.
func sources(ctx context.Context, o Options) []source {
	var all []source
	if o.Preset != "" {
		all = append(all, presetSource(o))
	}
	rules := false
	for _, f := range Files(o) {
		read := func() (string, bool, error) { return readUser(f.Path) }
		if f.Rel != "" {
			read = func() (string, bool, error) { return readWorkspace(ctx, o.Workspace, f.Rel, MaxSize) }
		}
		if f.Rel != "" && !rules {
			rules = true
			all = append(all, rulesSources(ctx, o)...)
		}
		all = append(all, source{name: f.Name, path: f.Path, workspace: f.Rel != "", read: read})
	}
	if o.Whole != "" {
		read := func() (string, bool, error) { return "---\nreplace: true\n---\n" + o.Whole, true, nil }
		all = append(all, source{name: WholeLayer, read: read})
	}
	return all
}

// layerFile is a file of a folder of prompts.
type layerFile struct{ label, file string }

func layerFiles(o Options) []layerFile {
	files := []layerFile{{"", "system.md"}}
	if name := FamilyFile(o.Family); name != "" {
		files = append(files, layerFile{", family " + o.Family, name})
	}
	if name := FileName(o.Model); name != "" {
		files = append(files, layerFile{", " + o.Model, name})
	}
	return files
}

// configDir is the user's configuration folder; empty if there is none.
func configDir(dir string) string {
	if dir != "" {
		return dir
	}
	// a relative one is to be ignored, says the XDG specification
	if base := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(base) {
		return filepath.Join(base, "assent")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".config", "assent")
}

// readUser reads a file of the user's own, which may well be a link into a folder of settings.
func readUser(path string) (string, bool, error) {
	data, err := diskfile.ReadSmall(path, MaxSize+1) // of one byte more it is told how long it may be
	switch {
	case errors.Is(err, diskfile.ErrNotRegular):
		return unusable(path, errors.New("it is not a regular file"))
	case data == nil && err == nil:
		return "", false, nil
	case err != nil && len(data) <= MaxSize:
		return unusable(path, err)
	}
	return checked(path, string(data), MaxSize)
}

// readWorkspace reads a file of the workspace, unsaved changes included. It must lie where it seems to: a link would
// put a file that tools may edit in the place of a protected one.
func readWorkspace(ctx context.Context, ws *workspace.Workspace, rel string, most int) (string, bool, error) {
	p, err := ws.Resolve(rel)
	switch {
	case err != nil:
		return unusable(rel, err)
	case !p.Exists:
		return "", false, nil
	case p.Rel != rel:
		return unusable(rel, fmt.Errorf("it is a link to %q", p.Rel))
	}
	f, err := ws.Read(ctx, p)
	switch {
	case err != nil:
		return unusable(rel, err)
	case f.Binary:
		return unusable(rel, errNotText)
	}
	return checked(rel, f.Text, most)
}

var errNotText = errors.New("it is not a text file in UTF-8")

func checked(path, text string, most int) (string, bool, error) {
	switch {
	case len(text) > most:
		return unusable(path, fmt.Errorf("it has more than %d KB", most>>10))
	case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
		return unusable(path, errNotText)
	}
	return text, true, nil
}

// unusable is what reading a prompt gives that is there and is not used.
func unusable(path string, why error) (string, bool, error) {
	return "", true, fmt.Errorf("the prompt %q is not used: %w", path, why)
}
