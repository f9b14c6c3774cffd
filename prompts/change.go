package prompts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/workspace"
)

// Scope is whose prompt a person means.
type Scope string

// The scopes.
const (
	ForUser      Scope = "user"      // for every model and workspace of the user
	ForFamily    Scope = "family"    // the user's own for a model family
	ForModel     Scope = "model"     // the user's own for one model
	ForWorkspace Scope = "workspace" // of the workspace
)

// Scopes lists them.
func Scopes() []Scope { return []Scope{ForUser, ForFamily, ForModel, ForWorkspace} }

// FileFor is the place of the prompt of a scope. The error is a sentence that says what is missing.
func FileFor(scope Scope, o Options) (File, error) {
	name := map[Scope]string{
		ForUser: "user", ForFamily: "user, family " + o.Family, ForModel: "user, " + o.Model, ForWorkspace: "workspace",
	}[scope]
	for _, f := range Files(o) {
		if f.Name == name {
			return f, nil
		}
	}
	switch {
	case scope == ForWorkspace:
		return File{}, errors.New("there is no workspace folder here, so it has no prompt")
	case UserFolder(o.Config) == "":
		return File{}, errors.New(
			"there is no configuration folder for prompts of your own: set HOME or XDG_CONFIG_HOME",
		)
	case scope == ForModel && o.Model == "", scope == ForFamily && o.Model == "":
		return File{}, errors.New(
			"it is not known which model is meant: name one in the chat's front matter, with the line model: NAME, " +
				"or in your settings",
		)
	case scope == ForModel:
		return File{}, fmt.Errorf("the name of the model %q cannot be that of a file", o.Model)
	case scope == ForFamily:
		return File{}, fmt.Errorf("the family of %q is not known; a prompt for the model itself works", o.Model)
	}
	return File{}, fmt.Errorf("there is no %q", scope)
}

// begin is what is in a new file: a comment, which is no part of the prompt.
func begin(f File) string {
	var names []string
	for _, v := range Variables() {
		names = append(names, "{{."+v.Name+"}}")
	}
	return "{{/* The system prompt, layer \"" + strings.NewReplacer(
		`*/`, "", "\n", " ",
	).Replace(f.Name) + "\". What you write below is put under the layers before it. With these three\n" +
		"lines at the very top it takes their place:\n" +
		"---\nreplace: true\n---\n" +
		"Variables: " + strings.Join(names, ", ") + ". `assent prompt show` shows the whole. */}}\n"
}

// Make makes the file of a prompt, with a comment in it, unless there is one. It says whether it did.
func Make(ctx context.Context, f File, ws *workspace.Workspace) (made bool, err error) {
	if f.Rel != "" {
		p, err := inPlace(ws, f)
		if err != nil || p.Exists {
			return false, err
		}
		return true, ws.Replace(ctx, p, nil, begin(f))
	}
	if _, err := os.Stat(f.Path); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o700); err != nil {
		return false, err
	}
	return true, writeNew(f.Path, []byte(begin(f)))
}

// inPlace finds the file of a prompt of a workspace, which is no link.
func inPlace(ws *workspace.Workspace, f File) (workspace.Path, error) {
	p, err := ws.Resolve(f.Rel)
	if err == nil && p.Exists && p.Rel != f.Rel {
		err = fmt.Errorf("%q is a link to %q, so it is no prompt: remove the link first", f.Rel, p.Rel)
	}
	return p, err
}

// maxKept is the most that Reset keeps of a file, in bytes: far above any prompt, since what is too large for one can
// be reset, too.
const maxKept = 64 << 20

// Reset removes the file of a prompt, so that the layers before it count alone, and keeps what it held in a file of the
// folder backups. It returns that file's path, or an empty one if there was nothing.
func Reset(
	ctx context.Context, f File, ws *workspace.Workspace, backups string, now time.Time,
) (kept string, err error) {
	var data []byte
	remove := func() error { return os.Remove(f.Path) } // of a link the link alone
	if f.Rel == "" {
		data, err = diskfile.ReadSmall(f.Path, maxKept)
		if errors.Is(err, diskfile.ErrNotRegular) || len(data) > maxKept {
			err = fmt.Errorf("%q is no text file, so it is left alone: remove it yourself", f.Path)
		}
		if err != nil || data == nil {
			return "", err
		}
	} else {
		p, err := inPlace(ws, f)
		if err != nil || !p.Exists {
			return "", err
		}
		if data, err = ws.ReadDisk(ctx, p); err != nil {
			return "", err
		}
		remove = func() error { return ws.Delete(ctx, p, string(data)) }
	}
	if kept, err = backup(backups, f, data, now); err != nil {
		return "", err
	}
	if err := remove(); err != nil {
		_ = os.Remove(kept) // one too many does no harm
		return "", err
	}
	return kept, nil
}

// StillCounts says what a system prompt has beside the built-in text; empty if nothing.
func StillCounts(ctx context.Context, o Options) string {
	prompt, _ := Load(ctx, o) // what cannot be used does not count
	var names []string
	for _, l := range prompt.Layers[1:] {
		if l.Used {
			names = append(names, l.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "These still count: " + strings.Join(names, "; ") + "."
}

// backup keeps what a file held under a name that nothing has yet.
func backup(folder string, f File, data []byte, now time.Time) (path string, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("what the prompt holds cannot be kept, so nothing is done: %w", err)
	}
	for n := 1; ; n++ {
		name := now.Format("20060102-150405-")
		if n > 1 {
			name += fmt.Sprintf("%d-", n)
		}
		path = filepath.Join(folder, name+filepath.Base(f.Path))
		err := writeNew(path, data)
		if err == nil {
			return path, nil
		}
		if !errors.Is(err, fs.ErrExist) || n > 1000 {
			return "", fmt.Errorf("what the prompt holds cannot be kept, so nothing is done: %w", err)
		}
	}
}

// writeNew writes a file that does not exist yet.
func writeNew(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}
