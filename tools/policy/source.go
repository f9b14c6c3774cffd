package policy

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/assent-ls/assent/internal/jsonc"
	"github.com/assent-ls/assent/tools/diskfile"
	"github.com/assent-ls/assent/tools/workspace"
)

// WorkspaceFile is the permissions file of a workspace, relative to its root.
const WorkspaceFile = ".assent/permissions.json"

// source is a permissions file that may change at any time.
type source struct {
	name    string // as sentences call it
	path    string
	report  func(sentence string)
	trusted func(data []byte) bool // nil: it is the user's own, and may allow

	mu     sync.Mutex // guards what follows
	watch  *diskfile.Watch
	read   bool
	data   []byte
	good   bool          // a file that was not broken was read once
	active []*activeRule // those of the last file that was not broken, else what was understood of it
	broken string        // why nothing is allowed by rule; empty: rules may
}

// UseFiles makes a policy read the user's permissions file, and those of workspaces that Enter names, as far as they
// are trusted. It is called before the policy is used.
func (p *Policy) UseFiles(user string, trusted Trusted) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trusted = trusted
	p.user = &source{name: "your permissions file", path: user, report: p.report, watch: diskfile.NewWatch(user)}
}

// Enter makes a policy read the permissions file of a workspace, and makes the workspace leave out what rules deny to
// be read.
func (p *Policy) Enter(ws *workspace.Workspace) {
	key := ws.Key()
	ws.Deny(func() *workspace.Denials { return p.denials(key) })
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.folders[key]; known || p.trusted == nil {
		return
	}
	file, trusted := filepath.Join(ws.Root(), filepath.FromSlash(WorkspaceFile)), p.trusted
	p.folders[key] = &source{
		name: "the workspace's permissions file", path: file, report: p.report, watch: diskfile.NewWatch(file),
		trusted: func(data []byte) bool {
			ok, _ := trusted(key, WorkspaceFile, data)
			return ok
		},
	}
}

// report tells the user a sentence.
func (p *Policy) report(sentence string) {
	if p.state != nil {
		p.state.Report(sentence)
	}
}

// rules are those of the file as it is, or if it is broken, as it was before.
func (s *source) rules() (rules []*activeRule, broken string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.watch.Changed() {
		data, err := diskfile.ReadSmall(s.path, jsonc.MaxSize)
		switch {
		case err != nil:
			s.unusable(fmt.Sprintf("%q cannot be read: %v.", s.path, err), nil)
		case !s.read || !bytes.Equal(data, s.data):
			s.read, s.data = true, data
			s.parse(data)
		}
	}
	if s.trusted != nil && len(s.data) > 0 && !s.trusted(s.data) {
		return nil, ""
	}
	return s.active, s.broken
}

func (s *source) parse(data []byte) {
	file, problems := Parse(s.name, data)
	rules := make([]*activeRule, 0, len(file.Rules))
	for i := range file.Rules {
		r := &file.Rules[i]
		if s.trusted != nil && r.List == Allowed {
			continue // a workspace can only tighten
		}
		line := 1 + bytes.Count(data[:r.Offset], []byte("\n"))
		rules = append(rules, &activeRule{ListedRule: r, from: s.name, line: line, keys: []string{r.Key(r.List)}})
	}
	if !file.Broken {
		s.active, s.broken, s.good = rules, "", true
		return
	}
	for _, p := range problems {
		if p.Severity == Error {
			s.unusable(fmt.Sprintf("%q, %s: %s", s.path, jsonc.Place(data, p.Offset), p.Message), rules)
			return
		}
	}
}

// unusable keeps the last good rules. Before there were any, those of the file that were understood forbid, and nothing
// is allowed by rule: what its author meant to forbid is not known.
func (s *source) unusable(why string, understood []*activeRule) {
	if s.good {
		s.report(why + " The rules that you had before still hold.")
		return
	}
	s.report(why + " Until it is mended no rule allows anything.")
	s.active, s.broken = understood, "No rule allows anything until "+s.name+" is mended."
}

// files are the user's file and that of a workspace, as far as they are used.
func (p *Policy) files(key string) []*source {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc([]*source{p.user, p.folders[key]}, func(s *source) bool { return s == nil })
}

// FileRule is a rule of a file, and where it is.
type FileRule struct {
	ListedRule

	Path string
	Line int
}

// FileRules lists the rules in force that are in the user's file and in that of the workspace with this key.
func (p *Policy) FileRules(key string) []FileRule {
	var all []FileRule
	for _, file := range p.files(key) {
		rules, _ := file.rules()
		for _, r := range rules {
			all = append(all, FileRule{ListedRule: *r.ListedRule, Path: file.path, Line: r.line})
		}
	}
	return all
}
