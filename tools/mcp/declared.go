package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/tools"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/policy"
	"github.com/assent-ls/assent/tools/trust"
)

// Declared is a server that some file declares.
type Declared struct {
	Declaration
	Why string // why it does nothing, a sentence; empty: it counts
}

// Declared lists all servers: those of this launch, the user's own, those of the workspace. A name is one server's: the
// first counts. The problems are sentences without their end.
func (s *Source) Declared(ctx context.Context) (list []Declared, problems []error) {
	known := map[string]string{}
	add := func(file string, ours bool, data []byte) {
		servers, wrong := Parse(data)
		for _, err := range wrong {
			problems = append(problems, fmt.Errorf("%s: %w", file, err))
		}
		for _, d := range servers {
			d.File, d.Ours = file, ours
			if first, twice := known[d.Name]; twice {
				problems = append(
					problems,
					fmt.Errorf("%s: the server %q is left out, because %s has one of this name", file, d.Name, first),
				)
				continue
			}
			known[d.Name] = file
			list = append(list, s.judged(d))
		}
	}
	if s.options.Launch != nil {
		add(fromLaunch, true, s.options.Launch)
	}
	if s.options.File != "" {
		data, err := diskfile.ReadSmall(s.options.File, jsonc.MaxSize)
		if err != nil {
			problems = append(problems, fmt.Errorf("%s cannot be read: %w", s.options.File, err))
		} else if len(data) > 0 {
			add(s.options.File, true, data)
		}
	}
	for _, rel := range s.files() {
		data, found, err := s.options.Workspace.ReadSaved(ctx, rel)
		if err == nil && len(data) > jsonc.MaxSize {
			err = errors.New("it is too large")
		}
		switch {
		case err != nil:
			problems = append(problems, fmt.Errorf("%s cannot be read: %w", rel, err))
		case found:
			add(rel, false, data)
		}
	}
	return list, problems
}

// files are those of the workspace that may declare servers.
func (s *Source) files() []string {
	if s.options.Workspace == nil {
		return nil
	}
	files := []string{File}
	if s.options.Others != nil && s.options.Others() {
		files = append(files, OtherFiles()...)
	}
	return files
}

// Consent is what a person trusts with a server of the workspace: everything in its declaration, and what that leads to
// on this machine.
func (s *Source) Consent(d Declared) ([]byte, error) {
	text, err := d.consent(s.folder())
	if err != nil {
		return nil, fmt.Errorf("the server %s of %s cannot be used: %w", d.Name, d.File, err)
	}
	return text, nil
}

// judged says whether a server counts. A server of the workspace does only as it was trusted. No secret is looked up
// for that, and of one that was never trusted nothing: a workspace may be anybody's.
func (s *Source) judged(d Declaration) Declared {
	out := Declared{Declaration: d}
	if d.Ours {
		return out
	}
	why := func(format string) string {
		return fmt.Sprintf(format+", and so do the code actions on it", d.Name, d.File, d.Name)
	}
	if !s.options.Trust.Known(s.key(), d.Place()) {
		out.Why = why("the server %s of %s does nothing until you trust it: `assent mcp trust %s` shows it")
		return out
	}
	consent, err := s.Consent(out)
	if err != nil {
		out.Why = err.Error()
	} else if ok, _ := s.options.Trust.Trusted(s.key(), d.Place(), consent); !ok {
		out.Why = why(
			"the server %s of %s, or what it starts, changed since you trusted it: `assent mcp trust %s` shows how",
		)
	}
	return out
}

// same reports whether a server is still declared as it was when it was made.
func (s *server) same(d Declaration) bool { return reflect.DeepEqual(s.Declaration, d) }

// Trust keeps that the user trusts a server of the workspace with exactly this consent, which is the one that they
// read: only a person's own act may lead here.
func (s *Source) Trust(ctx context.Context, name string, consent []byte) error {
	d, err := s.declared(ctx, name)
	if err != nil {
		return err
	}
	if d.Ours {
		return fmt.Errorf("the server %s is your own: it needs no trust", name)
	}
	now, err := s.Consent(d)
	switch {
	case err != nil:
		return err
	case !bytes.Equal(now, consent):
		return fmt.Errorf("the server %s changed while you read it: look at it again", name)
	}
	return s.options.Trust.Trust(s.key(), d.Place(), consent)
}

// Revoke takes back the trust in the servers of this name that the workspace declares, or declared, and forgets all
// that was allowed of them. One that runs ends.
func (s *Source) Revoke(name string) error {
	var problems []error
	for _, file := range append([]string{File}, OtherFiles()...) {
		place := trust.Server(file, name)
		if s.options.Trust.Known(s.key(), place) {
			problems = append(problems, s.options.Trust.Revoke(s.key(), place))
		}
	}
	if problems == nil {
		return fmt.Errorf("no server %q of this workspace is trusted", name)
	}
	s.end(name, func(running *server) bool { return !running.Ours })
	return errors.Join(append(problems, s.Forget(name))...)
}

// Forget forgets what a person allowed of the servers of this name that the workspace declared, or of all if it is
// empty: their tools, the rules that they gave by an answer, the logins. What they denied stays denied.
func (s *Source) Forget(name string) error {
	fits := func(o tools.Origin) bool {
		return strings.HasSuffix(string(o), ofWorkspace) && (name == "" || ServerOf(o) == name)
	}
	var problems []error
	if p := s.options.Policy; p != nil {
		for _, g := range p.Grants() {
			if g.List == policy.Allowed && g.Workspace == s.key() && fits(tools.Origin(g.Rule.Origin)) {
				problems = append(problems, p.Revoke(g.ID))
			}
		}
	}
	prefix := s.key() + " " + string(tools.FromServer(""))
	if name != "" {
		prefix = s.loginKey(Declaration{Name: name}) + " "
	}
	return errors.Join(append(problems, s.pins.forget(prefix), s.logins.Forget(prefix))...)
}
