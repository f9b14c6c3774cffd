package policy

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/assent-ls/assent/tools/command"
	"github.com/assent-ls/assent/tools/web/address"
	"github.com/assent-ls/assent/tools/workspace"
)

// Limits of a glob, which keep the time that it takes small.
const (
	maxGlob  = 1000 // bytes
	maxStars = 6    // of ** in it
)

// compiled is a rule made ready to be compared.
type compiled struct {
	globs   []string // as they are compared with paths as they are
	lenient []string // as they are compared with folded paths
	pattern command.Pattern
	host    string
	hosts   []string // that an allowed command may reach, each in one spelling
}

// compile makes a rule ready. The error says what is wrong with it.
func compile(r Rule, list List) (compiled, error) {
	var c compiled
	for _, glob := range r.Paths {
		clean, err := cleanGlob(glob)
		if err != nil {
			return c, err
		}
		c.globs = append(c.globs, clean)
		if list != Allowed { // a pattern of characters in brackets is compared in lower case, too
			c.lenient = append(c.lenient, strings.ToLower(clean))
		}
	}
	if r.Command != "" {
		var err error
		if c.pattern, err = command.ParsePattern(r.Command); err != nil {
			return c, err
		}
	}
	c.host = strings.TrimSuffix(strings.ToLower(r.Host), ".")
	if strings.ContainsAny(strings.TrimPrefix(c.host, "*."), "*/:@ ") {
		return c, fmt.Errorf("%q is no host such as example.org or *.example.org", r.Host)
	}
	switch {
	case len(r.Hosts) > 0 && list != Allowed:
		return c, errors.New(`"hosts" is for rules that allow: in one that denies or asks write "host"`)
	case len(r.Hosts) > 0 && r.Command == "":
		return c, errors.New(`"hosts" needs a "command": which one may reach them`)
	}
	for _, text := range r.Hosts {
		host, err := address.ParsePlace(text)
		if err != nil {
			return c, err
		}
		c.hosts = append(c.hosts, host.String())
	}
	return c, nil
}

// cleanGlob checks a glob and gives it the form in which paths are compared.
func cleanGlob(glob string) (string, error) {
	clean := glob
	if strings.HasSuffix(clean, "/") {
		clean += "**"
	}
	clean = path.Clean(clean)
	switch {
	case len(glob) > maxGlob || strings.Count(glob, "**") > maxStars:
		return "", errors.New("a path is too long, or has too many **")
	case strings.HasPrefix(clean, "/") || strings.HasPrefix(clean, "~"):
		return "", fmt.Errorf("%q never fits: paths are relative to the workspace", glob)
	case strings.HasPrefix(clean, "!"):
		return "", fmt.Errorf(
			"%q excepts nothing: write a rule in \"ask\" or \"deny\" for what a rule should not be about", glob,
		)
	case strings.TrimSpace(glob) != glob:
		return "", fmt.Errorf("%q has a space at its beginning or end", glob)
	case slices.Contains(strings.Split(glob, "/"), ".."):
		return "", fmt.Errorf("%q never fits: paths have no .. in them", glob)
	case strings.Contains(clean, `\`) || !doublestar.ValidatePattern(clean):
		return "", fmt.Errorf("%q is no pattern of paths", glob)
	}
	return clean, nil
}

// coversPath reports whether a rule that allows is about a path.
func (r *ListedRule) coversPath(name string) bool {
	return slices.ContainsFunc(
		r.compiled.globs, func(glob string) bool { return doublestar.MatchUnvalidated(glob, name) },
	)
}

// forbidsPath reports whether a rule that does not allow is about a path, by any spelling of it, or about a folder
// above it.
func (r *ListedRule) forbidsPath(name string) bool {
	for at := name; ; at = path.Dir(at) {
		folded := workspace.FoldPath(at)
		for i, glob := range r.compiled.globs {
			if doublestar.MatchUnvalidated(glob, at) || doublestar.MatchUnvalidated(r.compiled.lenient[i], folded) {
				return true
			}
		}
		if at == "." || at == "/" {
			return false
		}
	}
}

// isOf reports whether a rule is about the tool of a call.
func (r *ListedRule) isOf(q Request) bool {
	allows := r.List == Allowed
	switch {
	case r.namesTool() && r.Tool != q.Tool && (allows || !strings.EqualFold(r.Tool, q.Tool)):
		return false
	case r.Origin != q.Origin && (allows || r.Origin != "") && !r.ofUser(q.Origin):
		return false
	}
	return (r.Effect == "" || r.Effect == q.Effect) && (r.Database == "" || r.isDatabase(q.Databases))
}

// User is the origin of the tools that the user defined.
const User = "the user"

// ofUser reports whether a rule that allows is about a tool of the user's own because it names it: no such tool has the
// name of one of Assent's own. What a workspace or a server calls its tool is no reason to trust it, so a rule about
// that says where it comes from.
func (r *ListedRule) ofUser(origin string) bool {
	return origin == User && r.Origin == "" && r.namesTool()
}

// isDatabase reports whether a rule is about a call that asks some databases: one that allows if there is no other,
// else if it is among them.
func (r *ListedRule) isDatabase(names []string) bool {
	if r.List == Allowed {
		return len(names) > 0 && every(names, func(name string) bool { return name == r.Database })
	}
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, r.Database) })
}

// allowsPart reports whether a rule allows one program of a command line.
func (r *ListedRule) allowsPart(q Request, argv []string) bool {
	return r.isOf(q) && len(r.Paths) == 0 && r.Host == "" && (r.Command == "" || r.compiled.pattern.Match(argv))
}

// allows reports whether a rule allows a call that runs no command by itself alone.
func (r *ListedRule) allows(q Request) bool {
	if !r.isOf(q) || r.Command != "" || r.Host != "" && !r.isHost(q.Host) {
		return false
	}
	return len(r.Paths) == 0 || len(q.Paths) > 0 && every(q.Paths, r.coversPath)
}

// every reports whether a test holds for all of a list.
func every[T any](list []T, holds func(T) bool) bool {
	return !slices.ContainsFunc(list, func(e T) bool { return !holds(e) })
}

// forbids reports whether a rule that denies or asks is about a call.
func (r *ListedRule) forbids(q Request) bool {
	switch {
	case !r.isOf(q):
		return false
	case r.Command != "" &&
		(q.Command == nil ||
			!slices.ContainsFunc(q.Command.Parts, func(p command.Part) bool { return r.forbidsProgram(p.Argv) })):
		return false
	case r.Host != "" && !r.isHost(q.Host) && !strings.HasSuffix(q.Host, "."+r.compiled.host):
		return false
	}
	return len(r.Paths) == 0 || slices.ContainsFunc(q.Paths, r.forbidsPath)
}

// starters start the program that their further words name.
var starters = strings.Fields(
	"env xargs sudo doas nice nohup timeout time setsid stdbuf ionice chroot busybox command exec find watch " +
		"parallel flock strace",
)

// forbidsProgram reports whether a rule that does not allow is about a program, also by its path and behind one that
// starts it. It is no wall: what a program does is held by the sandbox.
func (r *ListedRule) forbidsProgram(argv []string) bool {
	for i := range argv {
		base := append([]string{strings.ToLower(path.Base(argv[i]))}, argv[i+1:]...)
		if r.compiled.pattern.Match(argv[i:]) || r.forbidsWithOptions(base) {
			return true
		}
		if i == 0 && !slices.Contains(starters, base[0]) {
			return false
		}
	}
	return false
}

// forbidsWithOptions reports whether a rule is about a program, or would be without options before its first word, each
// with a value or without: `git -C a push` is a `git push`.
func (r *ListedRule) forbidsWithOptions(argv []string) bool {
	if r.compiled.pattern.Match(argv) {
		return true
	}
	isOption := func(i int) bool { return strings.HasPrefix(argv[i], "-") }
	for i := 1; i < len(argv) && (isOption(i) || i > 1 && isOption(i-1)); i++ {
		if r.compiled.pattern.Match(slices.Concat(argv[:1], argv[i+1:])) {
			return true
		}
	}
	return false
}

// isHost reports whether a host is the rule's, by whole labels.
func (r *ListedRule) isHost(host string) bool {
	if below, ok := strings.CutPrefix(r.compiled.host, "*."); ok {
		return strings.HasSuffix(host, "."+below)
	}
	return host != "" && host == r.compiled.host
}
