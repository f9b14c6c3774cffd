package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/assent-ls/assent/agent/model"
)

// replies is a model server whose replies are kept in a folder by their request. A request that was made before gets
// the same reply at once, so leaving out a rule costs only the tasks in which it does something. Replies are drawn
// once: a row of the page is measured with an empty folder, or without one.
type replies struct {
	model.Backend
	folder string
	build  string // what else a reply depends on: the server's version
}

// drawsReplies makes the folder of kept replies, and reports whether a run may meet a reply that another run, or an
// earlier round of this one, has drawn.
func (o options) drawsReplies() (bool, error) {
	if err := os.MkdirAll(o.replies, 0o700); err != nil {
		return false, err
	}
	kept, err := os.ReadDir(o.replies)
	return len(kept) > 0 || o.runs > 1, err
}

// Chat implements [model.Backend].
func (r replies) Chat(ctx context.Context, req model.Request, each func(model.Chunk) error) error {
	name, err := r.file(req)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return r.ask(ctx, name, req, each)
	}
	var kept []model.Chunk
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	if err != nil {
		return err
	}
	for _, chunk := range kept {
		if err := each(chunk); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// ask has the server answer a request, and keeps the reply if it is whole.
func (r replies) ask(ctx context.Context, name string, req model.Request, each func(model.Chunk) error) error {
	var all []model.Chunk
	err := r.Backend.Chat(ctx, req, func(chunk model.Chunk) error {
		all = append(all, chunk)
		return each(chunk)
	})
	if err != nil {
		return err
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o600)
}

// file is where the reply to a request is kept.
func (r replies) file(req model.Request) (string, error) {
	text, err := json.Marshal(req)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(append(text, r.build...))
	return filepath.Join(r.folder, hex.EncodeToString(sum[:])+".json"), nil
}
