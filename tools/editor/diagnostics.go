package editor

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/excerpt"
	"github.com/assent-ls/assent/tools/paths"
)

//go:embed get_diagnostics.md
var diagnosticsText string

//go:embed list_open_files.md
var documentsText string

type diagnosticsInput struct {
	Path string `json:"path,omitempty" jsonschema:"a file; without it all files"`
}

var severities = map[int]string{1: "error", 2: "warning", 3: "information", 4: "hint"}

func (s *Source) diagnostics() tools.Tool {
	spec := tools.Spec{
		Name: "get_diagnostics", Description: diagnosticsText, Effect: effect.Reads,
		About:     "errors warnings problems lint compile broken",
		Arguments: map[string]tools.ArgumentKind{"path": tools.ExistingFile},
	}
	return tools.Define(spec, func(ctx context.Context, _ tools.Call, in diagnosticsInput) (tools.Plan, error) {
		plan, abs, err := s.planFor(ctx, in.Path, "all files")
		if err != nil {
			return tools.Plan{}, err
		}
		plan.Binding = plan.Target
		plan.Run = func(ctx context.Context, _ tools.Reporter) tools.Result {
			found, err := s.editor.Diagnostics(ctx, abs)
			if err != nil {
				return tools.FailedBy(err)
			}
			short := func(lines []string) string { return excerpt.List(lines, "Give a path.") }
			return tools.Text(s.listed(found, abs, plan.Target, short))
		}
		return plan, nil
	})
}

// planFor is the plan of a call that is about one file, or about all if none is named; abs is that file, or empty.
func (s *Source) planFor(ctx context.Context, file, all string) (plan tools.Plan, abs string, err error) {
	if strings.TrimSpace(file) == "" {
		return tools.Plan{Target: all, Paths: []string{"."}}, "", nil
	}
	p, paths, err := paths.ExistingPath(ctx, s.ws, file)
	return tools.Plan{Target: p.Rel, Paths: paths, Protected: p.Protected}, p.Abs, err
}

// Problems lists what is said about the files that the model may see, errors first, as get_diagnostics does; nil: the
// editor does not tell.
func (s *Source) Problems() func(ctx context.Context) (string, error) {
	if !slices.Contains(s.editor.Knows(), Diagnostics) {
		return nil
	}
	return func(ctx context.Context) (string, error) {
		found, err := s.editor.Diagnostics(ctx, "")
		if err != nil {
			return "", err
		}
		// who attaches it cuts it, and says so
		whole := func(lines []string) string { return strings.Join(lines, "\n") }
		return s.listed(found, "", "the files of the workspace", whole), nil
	}
}

// listed shows what was found, errors first. What is in files that the model may not see is left out.
func (s *Source) listed(found []Diagnostic, of, target string, list func(lines []string) string) string {
	slices.SortStableFunc(found, func(a, b Diagnostic) int { return rank(a) - rank(b) })
	see := s.view(of)
	var lines []string
	for _, d := range found {
		rel, ok := see.name(d.Path)
		if !ok {
			continue
		}
		line := fmt.Sprintf("%s:%d: %s: %s", rel, d.Line+1, severities[rank(d)], oneLine(d.Message))
		if d.Source != "" {
			line += " (" + oneLine(d.Source) + ")"
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return fmt.Sprintf("The editor knows of no problem in %s.", target) + see.leftOut()
	}
	return list(lines) + see.leftOut()
}

// rank is the severity; one that is not said is an error, as LSP leaves it to the client.
func rank(d Diagnostic) int {
	if severities[d.Severity] == "" {
		return 1
	}
	return d.Severity
}

func (s *Source) documents() tools.Tool {
	spec := tools.Spec{
		Name: "list_open_files", Description: documentsText, Effect: effect.Reads,
		About: "open visible files tabs editor",
	}
	return tools.Define(spec, func(context.Context, tools.Call, struct{}) (tools.Plan, error) {
		return tools.Plan{Target: "open files", Paths: []string{"."}, Run: func(
			ctx context.Context, _ tools.Reporter,
		) tools.Result {
			found, err := s.editor.Documents(ctx)
			if err != nil {
				return tools.FailedBy(err)
			}
			see := s.view("")
			var lines []string
			for _, d := range found {
				if rel, ok := see.name(d.Path); ok {
					lines = append(lines, rel+marks(d))
				}
			}
			if len(lines) == 0 {
				return tools.Text("No file of the workspace is open." + see.leftOut())
			}
			return tools.Text(excerpt.List(lines, "") + see.leftOut())
		}}, nil
	})
}

func marks(d Document) string {
	var words []string
	for _, m := range []struct {
		is   bool
		word string
	}{{d.Active, "the person works in it"}, {d.Visible && !d.Active, "visible"}, {d.Dirty, "has unsaved changes"}} {
		if m.is {
			words = append(words, m.word)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}
