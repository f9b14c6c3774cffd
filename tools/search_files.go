package tools

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/assent-ls/assent/tools/edit"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed search_files.md
var searchFilesText string

type searchFilesInput struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path,omitempty"`
}

const (
	maxMatches   = 1000             // more are not counted
	maxNamed     = 3                // files that are named by their path when no line matches
	maxSearch    = 10 * time.Second // a search must end, even on a slow disk
	maxNearBytes = 4 << 20          // how much text is compared when nothing matched
)

// SearchFiles searches the text of files, unsaved changes included. Protected files are left out unless one is named.
func SearchFiles(ws *workspace.Workspace) Tool {
	return define(Spec{Name: "search_files", Description: searchFilesText, Effect: effect.Reads, Arguments: map[string]ArgumentKind{"path": ExistingFolder, "pattern": SearchedText}}, func(ctx context.Context, _ Call, in searchFilesInput) (Plan, error) {
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
		s := search{ws: ws, at: p, pattern: in.Pattern}
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
	unread  func(p workspace.Path, f workspace.File, err error) // gets what is no text, or cannot be read; nil: nobody asks
}

func (s search) run(ctx context.Context, _ Reporter) Result {
	ctx, cancel := context.WithTimeout(ctx, maxSearch)
	defer cancel()
	all, err := attempts(s.pattern)
	if err != nil {
		return failure(err)
	}
	var near nearest
	var named []string
	err = s.files(ctx, func(p workspace.Path, text string) error {
		rel := p.Rel
		if len(named) < maxNamed && strings.Contains(strings.ToLower(rel), strings.ToLower(s.pattern)) {
			named = append(named, rel)
		}
		for _, a := range all {
			if err := a.search(ctx, rel, text); err != nil {
				return err
			}
			if len(a.found) > 0 {
				break // the later interpretations do not count any more
			}
		}
		near.look(ctx, rel, text, s.pattern)
		if len(all[0].found) == maxMatches {
			return fs.SkipAll
		}
		return nil
	})
	stopped := ""
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		stopped = fmt.Sprintf("\n[Stopped after %v: give a path to search less.]", maxSearch)
	case errors.Is(err, workspace.ErrTooMany):
		stopped = "\n[" + sentence(err.Error()) + "]"
	case err != nil:
		return failure(err)
	}
	for _, a := range all {
		if len(a.found) == 0 {
			continue
		}
		rest := "Give a narrower pattern or a path."
		if len(a.found) == maxMatches {
			rest = "There may be more. " + rest
		}
		return leftOut(s.ws, Text(a.note+list(a.found, rest)+stopped))
	}
	text := fmt.Sprintf("No line matches %q.", s.pattern)
	if s.at.Rel != "." && stopped == "" { // small models go from folder to folder
		if root, err := s.ws.Resolve("."); err == nil {
			everywhere := search{ws: s.ws, at: root, pattern: s.pattern}
			if found := everywhere.run(ctx, nil); !found.Failed {
				return leftOut(s.ws, Text(fmt.Sprintf("No line in %s matches %q. Elsewhere:\n%s", s.at.Rel, s.pattern, found.Text())))
			}
			text = fmt.Sprintf("No line in %s matches %q, and none in any other file.", s.at.Rel, s.pattern)
		}
	}
	if len(named) > 0 { // small models search the text for the name of a file
		text += " The name of " + strings.Join(named, ", ") + " does: read_file shows the text."
	}
	return leftOut(s.ws, Failed(text+near.String()+stopped))
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

// files calls fn with the text of each file that is searched.
func (s search) files(ctx context.Context, fn func(p workspace.Path, text string) error) error {
	one := func(p workspace.Path) error {
		if p.Dir || p.Protected != "" && p.Rel != s.at.Rel {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := s.ws.Read(ctx, p)
		if err != nil || f.Binary {
			if s.unread != nil {
				s.unread(p, f, err)
			}
			return nil // what cannot be read has no matches
		}
		return fn(p, f.Text)
	}
	if s.at.Dir {
		return s.ws.Walk(ctx, s.at, one)
	}
	if err := one(s.at); err != nil && !errors.Is(err, fs.SkipAll) {
		return err
	}
	return nil
}

// nearest collects the lines that are most similar to a pattern, in the first maxNearBytes of text.
type nearest struct {
	looked int
	best   []nearLine
}

type nearLine struct {
	rel string
	edit.Near
}

func (n *nearest) look(ctx context.Context, rel, text, pattern string) {
	if n.looked += len(text); n.looked > maxNearBytes {
		return
	}
	for _, line := range edit.Nearest(ctx, text, pattern, 2) {
		n.best = append(n.best, nearLine{rel, line})
	}
}

// String names the best three; it is empty if no line is similar.
func (n *nearest) String() string {
	if len(n.best) == 0 {
		return ""
	}
	slices.SortStableFunc(n.best, func(a, b nearLine) int { return cmp.Compare(b.Score, a.Score) })
	var text strings.Builder
	text.WriteString(" The nearest lines are:")
	for _, line := range n.best[:min(len(n.best), 3)] {
		first, _, _ := strings.Cut(line.Text, "\n")
		fmt.Fprintf(&text, "\n%s:%d: %s", line.rel, line.Line, around(first, 0))
	}
	return text.String()
}
