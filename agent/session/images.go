package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/assent-ls/assent/agent/images"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools/workspace"
)

// Images are the images of one chat, by the chat's path: files beside it, below that, or elsewhere in the workspace.
func (e Environment) Images(chat string) images.Files { return chatImages{e.Workspace, chat} }

type chatImages struct {
	workspace *workspace.Workspace // nil: only files beside the chat can be reached
	chat      string
}

// Load implements agent.Images. Files beside the chat or below that can be reached though the chat's own folder may be
// protected in the workspace, as .assent/chats is.
func (i chatImages) Load(ctx context.Context, name string) (content.Image, error) {
	if filepath.IsLocal(filepath.FromSlash(name)) {
		beside, err := i.beside()
		if err != nil {
			return content.Image{}, err
		}
		defer beside.Close() //nolint:errcheck // only read
		return load(ctx, beside, name, name)
	}
	at, ok := name, i.workspace != nil
	if ok && !path.IsAbs(name) {
		var folder string
		folder, ok = i.folder()
		at = filepath.ToSlash(folder) + "/" + name
	}
	if !ok {
		return content.Image{}, sentence("%q leads out of the folder of the chat.", name)
	}
	return load(ctx, i.workspace, at, name)
}

// folder is that of the chat, from the workspace's root; ok is false if it lies elsewhere.
func (i chatImages) folder() (folder string, ok bool) {
	folder, err := filepath.EvalSymlinks(filepath.Dir(i.chat))
	if err == nil {
		folder, err = filepath.Rel(i.workspace.Root(), folder)
	}
	return folder, err == nil && filepath.IsLocal(folder)
}

// link is the path by which the chat links a file of the workspace, given its path from the root.
func (i chatImages) link(rel string) string {
	if folder, ok := i.folder(); ok {
		if to, err := filepath.Rel(folder, filepath.FromSlash(rel)); err == nil {
			return filepath.ToSlash(to)
		}
	}
	return filepath.ToSlash(filepath.Join(i.workspace.Root(), rel))
}

// load reads an image from a workspace; name is its path as the chat has it.
func load(ctx context.Context, ws *workspace.Workspace, at, name string) (content.Image, error) {
	p, err := ws.Resolve(at)
	switch {
	case err != nil:
		return content.Image{}, err
	case p.Protected != "":
		return content.Image{}, errors.New(p.Protected)
	case !p.Exists:
		return content.Image{}, sentence("There is no file %q.", name)
	}
	file, err := ws.Read(ctx, p)
	if err != nil {
		return content.Image{}, err
	}
	data := file.Data
	if !file.Binary {
		data = []byte(file.Text)
	}
	image, err := content.NewImage(data)
	if err == nil {
		image, err = image.Fitted()
	}
	if err != nil {
		return content.Image{}, sentence("%q %w.", name, err)
	}
	image.Path = name
	return image, nil
}

// sentence is an error that a person or a model reads as it is.
func sentence(format string, args ...any) error { return fmt.Errorf(format, args...) }

// Keep implements agent.Images: into a folder beside the chat that is named after it, under a name made of what the
// image holds.
func (i chatImages) Keep(ctx context.Context, image content.Image) (string, error) {
	beside, err := i.beside()
	if err != nil {
		return "", err
	}
	defer beside.Close() //nolint:errcheck // every write was closed before
	name := path.Join(strings.TrimSuffix(filepath.Base(i.chat), ".chat.md")+".images", image.Name())
	p, err := beside.Resolve(name)
	if err != nil {
		return "", err
	}
	if p.Rel != name {
		return "", sentence("%q is or lies in a link: take it away.", name)
	}
	if p.Exists {
		there, err := beside.Read(ctx, p)
		if err == nil && !bytes.Equal(there.Data, image.Data) {
			err = sentence("%q holds something else: take it away.", name)
		}
		return name, err
	}
	return name, beside.Replace(ctx, p, nil, string(image.Data))
}

// beside is the folder of the chat.
func (i chatImages) beside() (*workspace.Workspace, error) {
	return workspace.Open(filepath.Dir(i.chat), workspace.NoBuffers{})
}
