package policy

import (
	"slices"
	"strings"
)

// compare finds the rules that do nothing because of others, that are about nothing, or about too much.
func (p *parser) compare() {
	rules := p.file.Rules
	for i := range rules {
		r := &rules[i]
		if why := r.never(); why != "" {
			p.problem(r.Range, Warning, "%s", why)
			continue
		}
		if why := r.wide(); why != "" {
			p.problem(r.Range, Warning, "%s", why)
		}
		for j := range rules {
			if p.shadowed(r, &rules[j], i > j) {
				break
			}
		}
	}
}

// shadowed tells that a rule does nothing because of another one; later is true if it is after that one.
func (p *parser) shadowed(r, by *ListedRule, later bool) bool {
	stricter := slices.Index(lists, by.List) < slices.Index(lists, r.List)
	if r == by || by.Void != "" || !stricter && by.List != r.List || !by.covers(r) {
		return false
	}
	switch {
	case stricter && r.List == Allowed:
		p.problem(r.Range, Warning, "The rule allows nothing: %q in %q covers it.", by.Explain(), by.List)
	case stricter:
		p.problem(r.Range, Information, "The rule does nothing: %q in %q covers it.", by.Explain(), by.List)
	case later || !r.covers(by): // of two that say the same the first one stays
		p.problem(r.Range, Information, "The rule does nothing: %q in the same list covers it.", by.Explain())
	default:
		return false
	}
	return true
}

// never says why a rule is about no call, or does nothing; empty if that is not known.
func (r *ListedRule) never() string {
	switch {
	case r.Database != "" && (r.Command != "" || r.Host != "" || len(r.Paths) > 0):
		return "The rule is about no call: none that asks a database runs a command, asks a host or names files."
	case r.Database != "" && r.Effect.Confined():
		return "The rule is about no call: what " + string(r.Effect) + " asks no database."
	case r.Command != "" && r.Host != "" && r.List == Allowed:
		return "The rule is about no call: none runs a command and asks a host. " +
			"What a command may reach is in \"hosts\"."
	case r.Command != "" && r.Effect.Confined():
		return "The rule is about no call: what " + string(r.Effect) + " runs no command."
	case r.Host != "" && r.Effect.Confined():
		return "The rule is about no call: what " + string(r.Effect) + " asks no host."
	case r.List == Allowed && r.Command != "" && len(r.Paths) > 0:
		return "The rule allows nothing: a command is not judged by paths. " +
			"Files that it writes by > need a rule of their own, with an effect and paths."
	case r.List == Denied && len(r.Paths) > 0 && r.namesTool() && r.Effect == "":
		return "Other tools and commands can still read these files. " +
			"Leave out the tool and nothing can, or give an effect to say what is meant."
	case r.List == Allowed && r.Effect.Free():
		return "The rule does nothing: what " + string(r.Effect) + " runs without it."
	}
	return ""
}

// interpreters run whatever their arguments say.
var interpreters = strings.Fields(
	"sh bash zsh dash fish ksh python python2 python3 node deno bun perl ruby php lua luajit awk gawk mawk " +
		"sed ed vi vim nvim emacs gdb tclsh script expect Rscript ssh npx uvx make git docker osascript pwsh",
)

// runsAnything reports whether a program with any arguments is any program, also with its version in its name:
// python3.11.
func runsAnything(program string) bool {
	if plain := strings.TrimRight(program, "0123456789.-"); plain != "" && plain != program {
		return runsAnything(plain)
	}
	return slices.Contains(starters, program) || slices.Contains(interpreters, program)
}

// wide says why a rule allows more than its author may think; empty if it does not.
func (r *ListedRule) wide() string {
	if r.List != Allowed {
		return ""
	}
	words := strings.Fields(r.Command)
	switch {
	case len(words) == 2 && words[1] == "**" && runsAnything(words[0]):
		return "The rule is too wide: " + words[0] + " with any arguments can run any program. Name its arguments."
	case !r.namesTool() && r.isBare() && !r.Effect.Confined():
		return "The rule is too wide: it does not say which tool, command, host or database it allows."
	}
	return ""
}

// covers reports whether a rule is about every call that another one is about; false if it is not known.
func (r *ListedRule) covers(other *ListedRule) bool {
	switch {
	case r.namesTool() && r.Tool != other.Tool:
		return false
	case r.Origin != other.Origin && (r.List == Allowed || r.Origin != ""):
		return false
	case r.Effect != "" && r.Effect != other.Effect:
		return false
	case r.Command != "" && (other.Command == "" || !r.compiled.pattern.Covers(other.compiled.pattern)):
		return false
	case r.Host != "" && r.compiled.host != other.compiled.host:
		return false
	case r.Database != "" && r.Database != other.Database:
		return false
	case r.List == Allowed &&
		!every(other.compiled.hosts, func(host string) bool { return slices.Contains(r.compiled.hosts, host) }):
		return false
	}
	return len(r.Paths) == 0 || len(other.Paths) > 0 && every(other.compiled.globs, r.coversGlob)
}

// coversGlob reports whether one of the rule's globs is about all paths that another glob is about.
func (r *ListedRule) coversGlob(glob string) bool {
	return slices.ContainsFunc(r.compiled.globs, func(own string) bool {
		above, folder := strings.CutSuffix(own, "**")
		return own == glob || folder && (above == "" || strings.HasSuffix(above, "/")) && strings.HasPrefix(glob, above)
	})
}

// Narrow makes a rule of one that is about fewer calls, if there is an obvious one.
func Narrow(r Rule) (Rule, bool) {
	switch before, ok := strings.CutSuffix(r.Command, " **"); {
	case ok && len(r.Match) > 0 && r.Match[0].Text != "" && r.Match[0].Text != before:
		r.Command = r.Match[0].Text
		r.Match = r.Match[:1]
		return r, true
	case ok:
		r.Command = before
		r.Match = nil
		return r, true
	}
	if below, ok := strings.CutPrefix(r.Host, "*."); ok {
		r.Host = below
		return r, true
	}
	for i, glob := range r.Paths {
		if above, ok := strings.CutSuffix(glob, "**"); ok {
			r.Paths = slices.Clone(r.Paths)
			r.Paths[i] = above + "*"
			return r, true
		}
	}
	return r, false
}
