package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/configfiles"
	"github.com/assent-ls/assent/lsp/ext"
	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/effect"
	"github.com/assent-ls/assent/tools/policy"
)

// ruleHover says how often the rule at a place matched, and what its examples come to; empty if none is there.
func (s *Files) ruleHover(file File, text string, at int) (string, configfiles.Span) {
	if file.Kind == configfiles.GivenPermissions {
		id, span, ok := configfiles.GrantAt(text, at)
		g, kept := s.grant(id)
		if !ok || !kept {
			return "", span
		}
		n, last := s.Policy.GrantMatches(g)
		return g.Explain() + "\n\n" + configfiles.Matched(n, last, time.Now()), span
	}
	if !file.HasRules() {
		return "", configfiles.Span{}
	}
	r, ok := configfiles.RuleAt(text, at)
	if !ok {
		return "", configfiles.Span{}
	}
	n, last := s.Policy.Matches(r)
	decide := func(line command.Line) policy.Decision {
		q := policy.Request{
			Tool: "run_command", Effect: effect.Runs, Caller: policy.Model, Target: line.Text, Command: &line,
			Confined: true,
		}
		if at, err := s.Folders.Of(file.path); err == nil && at.Workspace != nil {
			q.Workspace = at.Workspace.Key()
		}
		return s.Policy.Decide(q)
	}
	return configfiles.HoverRule(r, n, last, time.Now(), decide), configfiles.Span{
		Start: r.Offset, End: r.Offset + r.Length,
	}
}

// grant finds what the user always allowed.
func (s *Files) grant(id string) (policy.Grant, bool) {
	grants := s.Policy.Grants()
	i := slices.IndexFunc(grants, func(g policy.Grant) bool { return id != "" && g.ID == id })
	if i < 0 {
		return policy.Grant{}, false
	}
	return grants[i], true
}

// grantDiagnostics says which entries of the file of what was always allowed do not count, such as those that were
// revoked since the editor read it.
func (s *Files) grantDiagnostics(text string) []configfiles.Diagnostic {
	var out []configfiles.Diagnostic
	for id, span := range configfiles.Grants(text) {
		if _, kept := s.grant(id); !kept {
			out = append(
				out,
				configfiles.Diagnostic{
					Span: span, Severity: configfiles.Information,
					Message: "This does not count: it was revoked, or Assent did not write it. " +
						"Read the file again to see what is left.",
				},
			)
		}
	}
	return out
}

// grantActions are those of an entry of the file of what was always allowed.
func (s *Files) grantActions(text string, at int) []features.Action {
	id, _, _ := configfiles.GrantAt(text, at)
	g, ok := s.grant(id)
	if !ok {
		return nil
	}
	title := "Revoke: " + string(g.List) + " " + g.Rule.Explain()
	return []features.Action{{Title: title, Command: ext.Revoke, ID: g.ID}}
}

// Revoke takes back what the user always allowed, at once: the editor reads the file again by itself, or when its user
// asks for it.
func (s *Files) Revoke(_ context.Context, grant ext.Grant) error {
	if grant.ID == "" {
		return errors.New(
			"it is not said what to revoke: use the code action in the list that Show what you always allow opens",
		)
	}
	g, known := s.grant(grant.ID)
	if err := s.Policy.Revoke(grant.ID); err != nil {
		return err
	}
	s.MarkAll()
	if !known {
		return nil
	}
	return s.tell("Revoked: " + string(g.List) + " " + g.Rule.Explain() + ".")
}

// ShowPermissions shows the file of what the user always allowed.
func (s *Files) ShowPermissions(ctx context.Context, _ ext.Target) error {
	config, err := s.Config()
	if err != nil {
		return err
	}
	given := configfiles.Places{State: s.State.Dir()}.Given()
	if _, err := os.Stat(given); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf(
			"you have allowed nothing for good by an answer yet; your own rules are in %s",
			filepath.Join(config, "permissions.json"),
		)
	}
	return s.Host.ShowFile(ctx, given, "What you always allow")
}
