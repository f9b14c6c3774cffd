package prompts

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/workspace"
)

// maxRules is the largest rules file that is used, in bytes: some 4,000 tokens, half of the usual context.
const maxRules = 16 << 10

// RulesFiles are the files in which a workspace tells coding agents its rules, as other programs read them, too.
func RulesFiles() []string {
	return []string{"AGENTS.md", "CLAUDE.md", ".cursorrules", ".github/copilot-instructions.md"}
}

// RulesHeading is above the text of a rules file.
func RulesHeading(file string) string { return "The workspace's rules, from " + file + ":" }

// NestedRules is the name of the rules files that may lie in any folder, for the files below it.
const NestedRules = "AGENTS.md"

// ReadRules reads a rules file of a folder of the workspace, with what cannot be seen written out. It is empty if there
// is none.
func ReadRules(ctx context.Context, ws *workspace.Workspace, rel string) (string, error) {
	text, _, err := readRules(ctx, ws, rel)
	if err != nil {
		return "", err
	}
	if text, _, err = writtenOut(newlines(strings.TrimPrefix(text, "\ufeff")), maxRules); err != nil {
		return "", fmt.Errorf("the rules file %q is not used: %w", rel, err)
	}
	return strings.TrimSpace(text), nil
}

// rulesSources are the rules files at the root of a workspace.
func rulesSources(ctx context.Context, o Options) []source {
	var all []source
	for _, rel := range RulesFiles() {
		if !slices.Contains(o.Rules, rel) {
			continue
		}
		all = append(all, source{
			name: "rules, " + rel, path: filepath.Join(o.Workspace.Root(), filepath.FromSlash(rel)),
			workspace: true, rules: rel,
			read: func() (string, bool, error) { return readRules(ctx, o.Workspace, rel) },
		})
	}
	return all
}

// readRules reads a rules file, unsaved changes included. A link to another one is no rules file of its own.
func readRules(ctx context.Context, ws *workspace.Workspace, rel string) (string, bool, error) {
	p, err := ws.Resolve(rel)
	if err == nil && !p.Exists {
		return "", false, nil
	}
	if err == nil && p.Rel != rel && slices.Contains(RulesFiles(), p.Rel) {
		return "", false, nil // it is read under its own name
	}
	return readWorkspace(ctx, ws, rel, maxRules)
}
