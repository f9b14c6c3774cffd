package command

import (
	"slices"
	"strings"
)

// Harmless reports whether a program with these arguments only reads and prints, as far as its options go: a table
// lists the options of each program, and one that is not listed is not harmless. Programs still run what a project
// configures (filters of git, the toolchain of go.mod), so this holds for a sandbox alone.
func Harmless(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	p, ok := programs[argv[0]]
	return ok && p.accepts(argv[1:])
}

// ManyVersions reports whether a program is one of which people keep several versions, by a manager that starts the one
// that a project names.
func ManyVersions(name string) bool { return programs[name].never }

// Hardened is what to run for a harmless program: the same, with what its project could configure to run switched off
// where an option does that.
func Hardened(argv []string) []string {
	if argv[0] != "git" || !Harmless(argv) {
		return argv
	}
	out := []string{"git", "--no-pager"}
	for _, setting := range switchedOff {
		out = append(out, "-c", setting)
	}
	sub := 1 + gitOptions(argv[1:])
	out = append(out, argv[1:sub]...)
	if sub == len(argv) {
		return out
	}
	out = append(out, argv[sub])
	switch argv[sub] {
	case "diff", "log", "show":
		out = append(out, "--no-ext-diff", "--no-textconv")
	case "blame":
		out = append(out, "--no-textconv")
	}
	return append(out, onlyCommits(argv[sub], argv[sub+1:])...)
}

// switchedOff are settings of git by which a project could choose programs that reading commands start. A file that
// stands for one that a command must not read is like it in its size and time alone.
var switchedOff = []string{
	"core.fsmonitor=false", "core.hooksPath=/dev/null", "log.showSignature=false",
	"core.checkStat=minimal", "core.trustctime=false", "gpg.program=false", "gpg.openpgp.program=false",
	"gpg.x509.program=false", "gpg.ssh.program=false",
}

// gitOptions counts the arguments before the subcommand of git.
func gitOptions(args []string) int {
	i := 0
	for i < len(args) && strings.HasPrefix(args[i], "-") {
		if args[i] == "-C" {
			i++
		}
		i++
	}
	return min(i, len(args))
}

// options are what a program may be given. Words that are no options are always taken, unless words says otherwise.
type options struct {
	letters  string   // one-letter options
	valued   string   // one-letter options with a value, in the same word or the next one
	optional string   // one-letter options with a value in the same word or without
	flags    []string // long options; one that ends in "=" has a value in the same word or the next one
	separate bool     // a letter with a value is a word of its own, and the next word is the value
	// long options begin with one "-", as those of find and go do, and "--" may end nothing
	single   bool
	count    bool                     // a number is an option, as in head -20
	free     bool                     // every argument is a word
	words    int                      // there must be fewer words than this; 0: there is no limit
	alone    []string                 // allowed as the only argument
	never    bool                     // nothing but alone is allowed
	subs     map[string]options       // by the first word; others are not allowed
	attached bool                     // a long option has its value in the same word
	whole    func(args []string) bool // what else must hold; nil: nothing
}

// accepts reports whether all arguments are among those of the table.
func (p options) accepts(args []string) bool {
	if len(args) == 1 && slices.Contains(p.alone, args[0]) {
		return true
	}
	words, ended := []string(nil), false
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case p.free:
		case ended || arg == "-" || !strings.HasPrefix(arg, "-"):
			if len(p.subs) > 0 && !ended {
				sub, ok := p.subs[arg]
				return ok && sub.accepts(args[i+1:])
			}
			words = append(words, arg)
		case arg == "--" && !p.single:
			ended = true
		default:
			takesNext, ok := p.option(arg)
			if !ok || takesNext && i+1 == len(args) {
				return false
			}
			if takesNext {
				i++
			}
		}
	}
	return len(p.subs) == 0 && !p.never && (p.words == 0 || len(words) < p.words) && (p.whole == nil || p.whole(args))
}

// option reports whether one argument that begins with "-" is known, and whether the next argument is its value.
func (p options) option(arg string) (takesNext, ok bool) {
	if p.count && strings.Trim(arg[1:], "0123456789") == "" {
		return false, true
	}
	if p.single || strings.HasPrefix(arg, "--") {
		name, _, has := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		switch {
		case slices.Contains(p.flags, name):
			return false, true // a value is optional
		case slices.Contains(p.flags, name+"="):
			return !has, has || !p.attached
		}
		return false, false
	}
	for i := 1; i < len(arg); i++ {
		switch c := arg[i]; {
		case strings.IndexByte(p.valued, c) >= 0:
			return i+1 == len(arg), !p.separate || len(arg) == 2
		case strings.IndexByte(p.optional, c) >= 0:
			return false, true // what follows in the word is its value
		case strings.IndexByte(p.letters, c) < 0:
			return false, false
		}
	}
	return false, true
}
