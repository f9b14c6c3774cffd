package builtin

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/pattern"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/paths"
	"github.com/assent-ls/assent/tools/search"
	"github.com/assent-ls/assent/tools/workspace"
)

//go:embed find_files.md
var findFilesText string

type findFilesInput struct {
	Pattern string `json:"pattern"`
}

// FindFiles finds files by a glob pattern, or by a part of their path.
func FindFiles(ws *workspace.Workspace) tools.Tool {
	return tools.Define(tools.Spec{
		Name: "find_files", Description: findFilesText, Effect: effect.Reads, Returns: "list[str]",
	}, func(_ context.Context, _ tools.Call, in findFilesInput) (tools.Plan, error) {
		switch {
		case strings.TrimSpace(in.Pattern) == "":
			return tools.Plan{}, errors.New(`pattern is empty: give a name or a pattern such as "*.go"`)
		case len(in.Pattern) > search.MaxPattern:
			return tools.Plan{}, fmt.Errorf(
				"pattern is longer than %d bytes: give a part of the name", search.MaxPattern,
			)
		}
		match, err := globber(in.Pattern)
		if err != nil {
			return tools.Plan{}, err
		}
		top, err := ws.Resolve(".")
		if err != nil {
			return tools.Plan{}, err
		}
		return tools.Plan{
			Target: in.Pattern, Binding: in.Pattern, Paths: paths.ForRules(ws, top),
			Run: func(ctx context.Context, _ tools.Reporter) tools.Result {
				return findFiles(ctx, ws, top, in.Pattern, match)
			},
		}, nil
	})
}

// globber makes a filter of a pattern. A pattern without "/" is matched with names; one without wildcards, with parts
// of paths.
func globber(glob string) (func(rel string) bool, error) {
	glob = strings.TrimSpace(glob)
	for strings.HasPrefix(glob, "./") || strings.HasPrefix(glob, "/") {
		glob = strings.TrimPrefix(strings.TrimPrefix(glob, "."), "/")
	}
	if !strings.ContainsAny(glob, `*?[{`) {
		part := strings.ToLower(glob)
		return func(rel string) bool { return strings.Contains(strings.ToLower(rel), part) }, nil
	}
	var all []*regexp.Regexp
	for _, one := range alternatives(glob) {
		text, err := pattern.Regexp(
			one, pattern.Filenames|pattern.EntireString|pattern.NoGlobCase|pattern.GlobLeadingDot,
		)
		var re *regexp.Regexp
		if err == nil {
			re, err = regexp.Compile(text)
		}
		if err != nil {
			return nil, fmt.Errorf("the pattern %q is not valid: %w", glob, err)
		}
		all = append(all, re)
	}
	inFolders := strings.Contains(glob, "/")
	return func(rel string) bool {
		if !inFolders {
			rel = path.Base(rel)
		}
		return slices.ContainsFunc(all, func(re *regexp.Regexp) bool { return re.MatchString(rel) })
	}, nil
}

const maxAlternatives = 64

// alternatives expands the braces of a pattern: "*.{go,md}" is "*.go" and "*.md". Braces in braces stay.
func alternatives(glob string) []string {
	before, rest, open := strings.Cut(glob, "{")
	inside, after, closed := strings.Cut(rest, "}")
	if !open || !closed || strings.Contains(inside, "{") {
		return []string{glob}
	}
	var all []string
	for choice := range strings.SplitSeq(inside, ",") {
		for _, end := range alternatives(after) {
			if all = append(all, before+choice+end); len(all) == maxAlternatives {
				return all
			}
		}
	}
	return all
}

func findFiles(
	ctx context.Context, ws *workspace.Workspace, top workspace.Path, glob string, match func(string) bool,
) tools.Result {
	var found []string
	err := ws.Walk(ctx, top, func(p workspace.Path) error {
		if !p.Dir && match(p.Rel) {
			found = append(found, p.Rel)
		}
		return ctx.Err()
	})
	note := ""
	if errors.Is(err, workspace.ErrTooMany) {
		note = "\n[" + tools.Sentence(err.Error()) + "]"
	} else if err != nil {
		return tools.FailedBy(err)
	}
	if len(found) == 0 {
		text := fmt.Sprintf("No file matches %q.", glob)
		if near := ws.Near(ctx, strings.Trim(glob, "*/")); len(near) > 0 {
			text += " Near: " + strings.Join(near, ", ") + "."
		}
		none := tools.LeftOut(ws, tools.Failed(text+note))
		if note == "" {
			none.Value = []string{}
		}
		return none
	}
	list := tools.LeftOut(ws, tools.Text(excerpt.List(found, "Give a narrower pattern.")+note))
	if list.Value = found; note != "" {
		list.Value = errors.New(strings.Trim(note, "\n[]"))
	}
	return list
}
