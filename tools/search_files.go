package tools

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed search_files.md
var searchFilesText string

type searchFilesInput struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path,omitempty"`
}

const maxSearch = 10 * time.Second // a search must end, even on a slow disk

// SearchFiles searches the text of files, unsaved changes included. Protected files are left out unless one is named.
func SearchFiles(ws *workspace.Workspace) Tool {
	return define(Spec{Name: "search_files", Description: searchFilesText, Effect: effect.Reads, Arguments: map[string]ArgumentKind{"path": ExistingFolder, "pattern": SearchedText}}, func(ctx context.Context, call Call, in searchFilesInput) (Plan, error) {
		switch {
		case in.Pattern == "":
			return Plan{}, errors.New("pattern is empty: give the text to search for")
		case len(in.Pattern) > maxPattern:
			return Plan{}, fmt.Errorf("pattern is longer than %d bytes: search for a part of it", maxPattern)
		}
		name := orRoot(in.Path)
		p, err := existing(ctx, ws, name)
		if err != nil {
			return Plan{}, err
		}
		s := search{ws: ws, at: p, pattern: in.Pattern, room: call.room()}
		target := fmt.Sprintf("%q", in.Pattern)
		if p.Rel != "." {
			target += " in " + p.Rel
		}
		return Plan{Target: target, Binding: p.Rel, Paths: rulePaths(ws, p), Protected: p.Protected, Run: s.run}, nil
	})
}

type search struct {
	ws      *workspace.Workspace
	at      workspace.Path
	pattern string
	room    int // bytes of matches that the caller has room for
}

func (s search) run(ctx context.Context, _ Reporter) Result {
	ctx, cancel := context.WithTimeout(ctx, maxSearch)
	defer cancel()
	all, err := attempts(s.pattern)
	if err != nil {
		return failure(err)
	}
	f := newFindings(s.pattern, all)
	err = s.files(ctx, f.look)
	stopped := ""
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		stopped = fmt.Sprintf("\n[Stopped after %v: give a path to search less.]", maxSearch)
	case errors.Is(err, workspace.ErrTooMany):
		stopped = "\n[" + sentence(err.Error()) + "]"
	case err != nil:
		return failure(err)
	}
	if note, found := f.result(); found != nil {
		return leftOut(s.ws, Text(note+found.list(s.at.Rel, s.room)+stopped))
	}
	text := fmt.Sprintf("No line matches %q.", s.pattern)
	if s.at.Rel != "." && stopped == "" { // small models go from folder to folder
		if root, err := s.ws.Resolve("."); err == nil {
			everywhere := search{ws: s.ws, at: root, pattern: s.pattern, room: s.room}
			if found := everywhere.run(ctx, nil); !found.Failed {
				return leftOut(s.ws, Text(fmt.Sprintf("No line in %s matches %q. Elsewhere:\n%s", s.at.Rel, s.pattern, found.Text())))
			}
			text = fmt.Sprintf("No line in %s matches %q, and none in any other file.", s.at.Rel, s.pattern)
		}
	}
	if named := f.firstNamed(); len(named) > 0 { // small models search the text for the name of a file
		text += " The name of " + strings.Join(named, ", ") + " does: read_file shows the text."
	}
	return leftOut(s.ws, Failed(text+f.nearest()+stopped))
}

// files calls look with what each file holds that is searched, from several goroutines at once.
func (s search) files(ctx context.Context, look func(context.Context, place, []byte) error) error {
	if !s.at.Dir {
		file, err := s.ws.Read(ctx, s.at)
		if err != nil || file.Binary {
			return ctx.Err() // what cannot be read has no matches
		}
		return look(ctx, place{rel: s.at.Rel}, []byte(file.Text))
	}
	return s.ws.EachFile(ctx, s.at, func(m workspace.Met) error {
		if m.Protected != "" {
			return nil
		}
		var looked error
		_ = m.Text(ctx, func(data []byte) { looked = look(ctx, place{m.Order, m.Rel}, data) }) // what cannot be read has no matches
		return cmp.Or(looked, ctx.Err())
	})
}

// around shortens a long line to the part around an offset.
func around(line string, at int) string {
	if len(line) <= maxLongLine {
		return line
	}
	start := max(0, min(at-maxLongLine/4, len(line)-maxLongLine))
	part := strings.ToValidUTF8(line[start:start+maxLongLine], "")
	if start > 0 {
		part = "…" + part
	}
	if start+maxLongLine < len(line) {
		part += "…"
	}
	return part
}
