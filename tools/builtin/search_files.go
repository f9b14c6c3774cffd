package builtin

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/paths"
	"github.com/assent-ls/assent/tools/search"
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
func SearchFiles(ws *workspace.Workspace) tools.Tool {
	return tools.Define(tools.Spec{
		Name: "search_files", Description: searchFilesText, Effect: effect.Reads, Returns: "list[dict]",
		Arguments: map[string]tools.ArgumentKind{"path": tools.ExistingFolder, "pattern": tools.SearchedText},
	}, func(ctx context.Context, call tools.Call, in searchFilesInput) (tools.Plan, error) {
		switch {
		case in.Pattern == "":
			return tools.Plan{}, errors.New("pattern is empty: give the text to search for")
		case len(in.Pattern) > search.MaxPattern:
			return tools.Plan{}, fmt.Errorf(
				"pattern is longer than %d bytes: search for a part of it", search.MaxPattern,
			)
		}
		p, err := paths.Existing(ctx, ws, paths.OrRoot(in.Path))
		if err != nil {
			return tools.Plan{}, err
		}
		s := fileSearch{ws: ws, at: p, pattern: in.Pattern, room: call.ListRoom()}
		target := fmt.Sprintf("%q", in.Pattern)
		if p.Rel != "." {
			target += " in " + p.Rel
		}
		return tools.Plan{
			Target: target, Binding: p.Rel, Paths: paths.ForRules(ws, p), Protected: p.Protected, Run: s.run,
		}, nil
	})
}

type fileSearch struct {
	ws      *workspace.Workspace
	at      workspace.Path
	pattern string
	room    int // bytes of matches that the caller has room for
}

func (s fileSearch) run(ctx context.Context, _ tools.Reporter) tools.Result {
	ctx, cancel := context.WithTimeout(ctx, maxSearch)
	defer cancel()
	all, err := search.Attempts(s.pattern)
	if err != nil {
		return tools.FailedBy(err)
	}
	f := search.New(s.pattern, all)
	err = s.files(ctx, f.Look)
	stopped := ""
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		stopped = fmt.Sprintf("\n[Stopped after %v: give a path to search less.]", maxSearch)
	case errors.Is(err, workspace.ErrTooMany):
		stopped = "\n[" + tools.Sentence(err.Error()) + "]"
	case err != nil:
		return tools.FailedBy(err)
	}
	if note, found := f.Result(); found != nil {
		value := valueOf(found, stopped)
		list := tools.LeftOut(s.ws, tools.Text(note+found.List(s.at.Rel, s.room)+stopped))
		list.Value = value
		return list
	}
	named := f.FirstNamed()
	if len(named) == 0 && stopped == "" {
		if found := s.byWords(ctx); found != "" {
			return tools.LeftOut(s.ws, tools.Text(found))
		}
	}
	text := fmt.Sprintf("No line matches %q.", s.pattern)
	if s.at.Rel != "." && stopped == "" { // small models go from folder to folder
		if root, err := s.ws.Resolve("."); err == nil {
			everywhere := s
			everywhere.at = root
			if found := everywhere.run(ctx, nil); !found.Failed {
				return tools.LeftOut(s.ws, tools.Text(
					fmt.Sprintf("No line in %s matches %q. Elsewhere:\n%s", s.at.Rel, s.pattern, found.Text()),
				))
			}
			text = fmt.Sprintf("No line in %s matches %q, and none in any other file.", s.at.Rel, s.pattern)
		}
	}
	if len(named) > 0 { // small models search the text for the name of a file
		text += " The name of " + strings.Join(named, ", ") + " does: read_file shows the text."
	}
	none := tools.LeftOut(s.ws, tools.Failed(text+f.Nearest()+stopped))
	if stopped == "" {
		none.Value = []search.Line{}
	}
	return none
}

// valueOf is what a program gets of a search: all lines, or an error, since a count of some of them would be wrong.
func valueOf(found *search.Matches, stopped string) any {
	lines, complete := found.Lines()
	switch {
	case stopped != "":
		return errors.New(strings.Trim(stopped, "\n[]"))
	case !complete:
		return errors.New("more lines match than a search keeps: give a path or a narrower pattern, or read the files")
	}
	return lines
}

// byWords lists the files that have most of the words of the pattern, with a line of each; empty: there are none.
func (s fileSearch) byWords(ctx context.Context) string {
	words := search.NewWords(s.pattern)
	if words == nil || s.files(ctx, words.Look) != nil {
		return ""
	}
	var b strings.Builder
	for _, rel := range words.Best() {
		p, err := s.ws.Resolve(rel)
		if err != nil {
			continue
		}
		if file, err := s.ws.Read(ctx, p); err == nil && !file.Binary {
			fmt.Fprintln(&b, cmp.Or(words.Line(rel, file.Text), rel))
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("No line matches %q. Most of its words are in these files:\n%s", s.pattern, b.String())
}

// files calls look with what each file holds that is searched, from several goroutines at once.
func (s fileSearch) files(ctx context.Context, look func(context.Context, search.Place, []byte) error) error {
	if !s.at.Dir {
		file, err := s.ws.Read(ctx, s.at)
		if err != nil || file.Binary {
			return ctx.Err() // what cannot be read has no matches
		}
		return look(ctx, search.Place{Rel: s.at.Rel}, []byte(file.Text))
	}
	return s.ws.EachFile(ctx, s.at, func(m workspace.Met) error {
		if m.Protected != "" {
			return nil
		}
		var looked error
		// what cannot be read has no matches
		_ = m.Text(ctx, func(data []byte) { looked = look(ctx, search.Place{Order: m.Order, Rel: m.Rel}, data) })
		return cmp.Or(looked, ctx.Err())
	})
}
