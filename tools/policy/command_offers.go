package policy

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/assent-ls/assent/tools/command"
)

// undecided is a call as offers see it: of a command line the programs that no rule allows yet. false: no rule could
// let the call run, so that an offer would be a promise that is not kept.
func (s ruleSet) undecided(q Request) (Request, bool) {
	if !q.Effect.RunsPrograms() {
		return q, true
	}
	if q.Command == nil || !q.Confined || !s.allowsFiles(q) {
		return q, false
	}
	left := command.Line{Text: q.Command.Text, Dir: q.Command.Dir}
	for _, argv := range s.open(q) {
		if s.program(q, argv) == nil {
			left.Parts = append(left.Parts, command.Part{Argv: argv})
		}
	}
	q.Command = &left
	return q, true
}

// commandTitle is the title of what commandRule offers.
func commandTitle(q Request) string {
	words, any, ok := commandTemplate(q)
	if !ok || !any {
		return "Always allow this command here"
	}
	return fmt.Sprintf("Always allow `%s` with any arguments here", command.Quote(words...))
}

// commandRule is about the one program of a line that no rule allows yet.
func commandRule(q Request) (Rule, bool) {
	words, any, ok := commandTemplate(q)
	if !ok {
		return Rule{}, false
	}
	r := Rule{Tool: q.Tool, Origin: q.Origin, Effect: q.Effect, Command: command.Quote(words...)}
	if any {
		r.Command += " **"
	}
	return r, true
}

// commandTemplate are the words that a rule for a line would begin with, and whether any may follow; false if the line
// has programs that need different rules.
func commandTemplate(q Request) (words []string, any, ok bool) {
	for i, part := range q.Command.Parts {
		next, more := template(part.Argv)
		if i > 0 && (!slices.Equal(words, next) || any != more) {
			return nil, false, false
		}
		words, any = next, more
	}
	return words, any, len(words) > 0
}

// subcommands are the programs whose first argument says what they do.
var subcommands = strings.Fields(
	"go cargo rustup git npm pnpm yarn bun deno pip pip3 uv poetry dotnet mvn gradle make just bundle rake " +
		"mix flutter dart swift zig docker composer terraform kubectl helm conda brew apt",
)

// destructive are programs that should not get any arguments because some were right once.
var destructive = strings.Fields(
	"rm rmdir mv cp dd shred truncate chmod chown ln kill pkill killall rsync tar unzip install",
)

var plainWord = regexp.MustCompile(`^[a-z][a-z0-9:_-]*$`)

// template are the words of a program that say what it does, if any others may follow them; else all its words.
func template(argv []string) (words []string, any bool) {
	program := path.Base(argv[0])
	switch {
	case !slices.Contains(subcommands, program):
		if runsAnything(program) || slices.Contains(destructive, program) {
			return argv, false
		}
		return argv[:1], true
	case len(argv) < 2 || !plainWord.MatchString(argv[1]):
		return argv, false
	case argv[1] == "run" && len(argv) > 2 && slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, program):
		return argv[:3], true
	case slices.Contains([]string{"exec", "run", "x", "config", "dlx"}, argv[1]):
		return argv, false
	}
	return argv[:2], true
}
