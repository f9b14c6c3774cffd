package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/assent-ls/assent/tools/effect"
)

// Known is what there is for rules to be about.
type Known struct {
	Tools   []KnownTool
	Origins []string // all but that of Assent's own tools
}

// KnownTool is a tool, by the name that rules give it.
type KnownTool struct {
	Name, Origin string
	Effect       effect.Effect
}

// Check finds the rules of a file that are about no tool or origin that there is, and those that allow what a stricter
// rule of the file covers once it is known what their tool does.
func (f File) Check(known Known) (problems []Problem) {
	if len(known.Tools) == 0 { // nothing is known
		return nil
	}
	for i := range f.Rules {
		r := &f.Rules[i]
		severity, text := known.judge(r)
		if text == "" {
			severity, text = Warning, f.covered(r, known)
		}
		if text != "" {
			problems = append(problems, Problem{Range: r.Range, Severity: severity, Message: text})
		}
	}
	return problems
}

// judge says why a rule has no effect, as far as is known; empty: it has one.
func (k Known) judge(r *ListedRule) (Severity, string) {
	if r.Origin != "" && !slices.Contains(k.Origins, r.Origin) {
		return Warning, fmt.Sprintf("No tool has the origin %q%s.", r.Origin, meant(r.Origin, k.Origins))
	}
	if !r.namesTool() || slices.ContainsFunc(k.Tools, r.isOfTool) {
		return "", ""
	}
	var names, elsewhere, unlisted []string
	for _, t := range k.Tools {
		if names = append(names, t.Name); t.Name == r.Tool {
			elsewhere = append(elsewhere, t.Origin)
		}
	}
	for _, origin := range k.Origins {
		if strings.HasPrefix(origin, Server) &&
			!slices.ContainsFunc(k.Tools, func(t KnownTool) bool { return t.Origin == origin }) {
			unlisted = append(unlisted, origin)
		}
	}
	switch {
	case slices.Contains(unlisted, r.Origin):
		return "", "" // its tools are not known before it is started
	case len(elsewhere) > 0 && r.Origin == "":
		return Warning, fmt.Sprintf(
			"The rule allows nothing: %s comes from %s. Add \"origin\": %q to the rule.", r.Tool, elsewhere[0],
			elsewhere[0],
		)
	case len(elsewhere) > 0:
		return Warning, fmt.Sprintf("The rule is about no call: %s of %s is not there.", r.Tool, r.Origin)
	case r.Origin == "" && r.List != Allowed && len(unlisted) > 0:
		return Information, fmt.Sprintf(
			"There is no tool %q now%s. The tools of %s are not known until it is started.", r.Tool,
			meant(r.Tool, names), unlisted[0],
		)
	}
	return Warning, fmt.Sprintf("There is no tool %q%s.", r.Tool, meant(r.Tool, names))
}

// isOfTool reports whether a rule may be about calls of a tool.
func (r *ListedRule) isOfTool(t KnownTool) bool {
	plain := ListedRule{Rule: Rule{Tool: r.Tool, Origin: r.Origin}, List: r.List}
	return plain.isOf(Request{Tool: t.Name, Origin: t.Origin})
}

// covered says that a rule allows nothing, because of what its tools do; empty: that is not so, or was said about the
// rule alone.
func (f File) covered(r *ListedRule, known Known) string {
	if r.List != Allowed || !r.namesTool() {
		return ""
	}
	its := slices.DeleteFunc(slices.Clone(known.Tools), func(t KnownTool) bool { return !r.isOfTool(t) })
	for i := range f.Rules {
		by := &f.Rules[i]
		covers := func(t KnownTool) bool { return by.coversTool(r, t) }
		if len(its) > 0 && by.List != Allowed && !by.covers(r) && every(its, covers) {
			return fmt.Sprintf("The rule allows nothing: %q in %q covers it.", by.Explain(), by.List)
		}
	}
	return ""
}

// coversTool reports whether a rule that does not allow is about every call of a tool that another rule is about.
func (r *ListedRule) coversTool(other *ListedRule, t KnownTool) bool {
	narrow := *other
	narrow.Tool, narrow.Origin, narrow.Effect = t.Name, t.Origin, t.Effect
	if strings.EqualFold(r.Tool, t.Name) {
		narrow.Tool = r.Tool
	}
	if len(narrow.Paths) == 0 && (t.Effect == effect.Reads || t.Effect.Reviewable()) { // such calls name files
		narrow.Paths, narrow.compiled.globs = []string{"**"}, []string{"**"}
	}
	return r.covers(&narrow)
}

// meant ends a sentence with the word that was probably meant; empty: none was.
func meant(word string, known []string) string {
	best, distance := "", max(3, len(word)/3)
	for _, k := range known {
		if d := levenshtein.ComputeDistance(
			strings.ToLower(word[:min(len(word), 100)]), strings.ToLower(k),
		); d < distance {
			best, distance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(": perhaps you mean %q", best)
}
