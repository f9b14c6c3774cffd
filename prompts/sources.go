package prompts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/assent-ls/assent/tools/workspace"
)

// maxPrompt is the largest prompt file, in bytes: some 8,000 tokens, more than most contexts leave room for.
const maxPrompt = 32 << 10

// FileName is the name of the file that holds the prompt for one model: "system.MODEL.md", with "-" for ":" and "_"
// for "/" in the model's name and without ":latest": "system.qwen2.5-coder-1.5b.md", "system.hf.co_org_name-Q4.md".
// It is empty if the name holds anything that no file name should.
func FileName(model string) string {
	model = strings.TrimSuffix(model, ":latest")
	model = strings.NewReplacer(":", "-", "/", "_").Replace(model)
	usable := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("._-+@", r)
	}
	if model == "" || len(model) > 200 || !utf8.ValidString(model) || strings.ContainsFunc(model, func(r rune) bool { return !usable(r) }) {
		return ""
	}
	return "system." + model + ".md"
}

// source is a file that may hold a layer.
type source struct {
	name      string
	path      string
	workspace bool
	// read returns the text; found is false if there is no file.
	read func() (text string, found bool, err error)
}

// sources lists all files that may count, the most general first.
func sources(ctx context.Context, o Options) []source {
	files := []struct{ label, name string }{{"", "system.md"}}
	if name := FileName(o.Model); name != "" {
		files = append(files, struct{ label, name string }{", " + o.Model, name})
	}
	var all []source
	if dir := configDir(o.Config); dir != "" {
		for _, f := range files {
			path := filepath.Join(dir, "prompts", f.name)
			all = append(all, source{name: "user" + f.label, path: path, read: func() (string, bool, error) { return readUser(path) }})
		}
	}
	if o.Workspace != nil {
		for _, f := range files {
			rel := ".assent/prompts/" + f.name
			all = append(all, source{
				name: "workspace" + f.label, path: filepath.Join(o.Workspace.Root(), filepath.FromSlash(rel)), workspace: true,
				read: func() (string, bool, error) { return readWorkspace(ctx, o.Workspace, rel) },
			})
		}
	}
	return all
}

// configDir is the user's configuration folder; empty if there is none.
func configDir(dir string) string {
	if dir != "" {
		return dir
	}
	if base := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(base) { // a relative one is to be ignored, says the XDG specification
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
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err == nil && !info.Mode().IsRegular() { // before it is opened: a FIFO would wait
		return "", true, fmt.Errorf("the prompt %q is not used: it is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", true, fmt.Errorf("the prompt %q is not used: %w", path, err)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxPrompt+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return "", true, fmt.Errorf("the prompt %q is not used: %w", path, err)
	}
	return checked(path, string(data))
}

// readWorkspace reads a file of the workspace, unsaved changes included. It must lie where it seems to: a link would
// put a file that tools may edit in the place of a protected one.
func readWorkspace(ctx context.Context, ws *workspace.Workspace, rel string) (string, bool, error) {
	p, err := ws.Resolve(rel)
	if err != nil {
		return "", true, fmt.Errorf("the prompt %q is not used: %w", rel, err)
	}
	if !p.Exists {
		return "", false, nil
	}
	if p.Rel != rel {
		return "", true, fmt.Errorf("the prompt %q is not used: it is a link to %q", rel, p.Rel)
	}
	f, err := ws.Read(ctx, p)
	if err != nil {
		return "", true, fmt.Errorf("the prompt %q is not used: %w", rel, err)
	}
	if f.Binary {
		return "", true, fmt.Errorf("the prompt %q is not used: it is not a text file", rel)
	}
	return checked(rel, f.Text)
}

func checked(path, text string) (string, bool, error) {
	if len(text) > maxPrompt {
		return "", true, fmt.Errorf("the prompt %q is not used: it has more than %d KB", path, maxPrompt>>10)
	}
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return "", true, fmt.Errorf("the prompt %q is not used: it is not a text file", path)
	}
	return text, true, nil
}

// front is what the front matter of a prompt may say.
type front struct {
	Replace bool `yaml:"replace"`
}

// splitFront takes YAML front matter off a text: lines between two lines of three hyphens, at the very beginning.
func splitFront(data string) (f front, text string, err error) {
	data = strings.TrimPrefix(data, "\ufeff")
	data = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(data)
	rest, ok := strings.CutPrefix(data, "---\n")
	if !ok {
		return front{}, data, nil
	}
	head, text, ok := strings.Cut("\n"+rest, "\n---\n")
	if !ok {
		if head, ok = strings.CutSuffix("\n"+rest, "\n---"); !ok {
			return front{}, "", errors.New(`its front matter has no end: close it with a line "---"`)
		}
		text = ""
	}
	d := yaml.NewDecoder(bytes.NewReader([]byte(head)))
	d.KnownFields(true)
	if err := d.Decode(&f); err != nil && !errors.Is(err, io.EOF) {
		return front{}, "", errors.New(`its front matter may only say "replace: true" or "replace: false"`)
	}
	return f, text, nil
}
