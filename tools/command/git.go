package command

import (
	"slices"
	"strings"
)

// git has the commands that only read, with options that start no other program and write no file: no --ext-diff,
// --textconv, --output,
// --open-files-in-pager, and none that shows files as text which are to be left out: --text, --binary. Some of its long options take the next word for their value and others do not, so a value is in the same word.
var git = attached(options{
	valued: "C", flags: long("no-pager"), alone: long("--version"),
	subs: map[string]options{
		"blame": {
			letters: "beflnpstw", valued: "L", optional: "CM",
			flags: long("abbrev date= line-porcelain porcelain root show-email show-name show-number"),
		},
		"branch": {
			letters: "alrv", words: 1,
			flags: long("all color list merged no-color no-merged remotes show-current sort= verbose"),
		},
		"cat-file":     {letters: "est", words: 2}, // -p and a type print any file by its number
		"check-ignore": {letters: "nqv", flags: long("no-index non-matching quiet verbose")},
		"config": {
			letters: "z", words: 2, flags: long("get get-all global includes local null show-origin show-scope system"),
			whole: func(args []string) bool { return !slices.ContainsFunc(args, mayHoldSecrets) },
		},
		"count-objects": {letters: "vH"},
		"describe": {
			flags: long("abbrev all always candidates= contains exact-match first-parent long match= tags"),
		},
		"diff": {
			letters: diffLetters, optional: diffOptional, valued: "GS", count: true, flags: diffFlags,
			whole: wholeRevisions,
		},
		"grep": {letters: "EFGHhIiLlnoPpqrvWw", valued: "ABCefm", count: true, flags: long(`after-context= all-match and before-context= basic-regexp
			break cached color column context= count extended-regexp files-with-matches files-without-match fixed-strings full-name
			function-context heading ignore-case invert-match line-number max-count= max-depth= name-only no-color no-index not null
			only-matching or perl-regexp quiet recursive show-function threads= untracked word-regexp`), whole: func(
			args []string,
		) bool {
			return wholeRevisions(args[min(1, len(args)):])
		}},
		"log": {
			letters: diffLetters + "gi", optional: diffOptional, valued: "GLnS", count: true,
			flags: append(long(logFlags), diffFlags...),
		},
		"ls-files": {
			letters: "cdikmostuvz", valued: "xX",
			flags: long(
				`cached debug deleted directory eol error-unmatch exclude= exclude-standard full-name ignored killed modified others stage unmerged`,
			),
		},
		"ls-tree": {
			letters: "drltz", flags: long("abbrev format= full-name full-tree long name-only name-status object-only"),
		},
		"merge-base": {letters: "a", flags: long("all fork-point independent is-ancestor octopus")},
		"name-rev":   {flags: long("all always name-only no-undefined refs= tags")},
		"remote":     {words: 1},
		"rev-list":   {valued: "n", count: true, flags: long(logFlags)},
		"rev-parse": {letters: "q", flags: long(`abbrev-ref absolute-git-dir all git-common-dir git-dir is-bare-repository is-inside-git-dir
			is-inside-work-tree quiet short show-cdup show-prefix show-superproject-working-tree show-toplevel symbolic-full-name verify`)},
		"shortlog": {letters: "cens", flags: long("committer email numbered summary")},
		"show": {
			letters: diffLetters + "gi", optional: diffOptional, valued: "GnS", count: true,
			flags: append(long(logFlags), diffFlags...), whole: plainRevisions,
		},
		"show-ref": {letters: "dhqs", flags: long("branches dereference hash head heads quiet tags verify")},
		"stash":    {subs: map[string]options{"list": {count: true, flags: long(logFlags)}}},
		"status": {letters: "bsz", optional: "u", flags: long(`ahead-behind branch column find-renames ignored long no-ahead-behind no-column
			no-renames porcelain renames short show-stash untracked-files`)},
		"tag": {
			letters: "l", optional: "n", words: 1,
			flags: long("column list merged no-column no-contains no-merged sort="),
		},
		"version":  {flags: long("build-options")},
		"worktree": {subs: map[string]options{"list": {letters: "vz", flags: long("porcelain verbose")}}},
	},
})

// attached is the same program with values of long options only in the same word.
func attached(o options) options {
	o.attached = true
	for name, sub := range o.subs {
		o.subs[name] = attached(sub)
	}
	return o
}

// mayHoldSecrets reports whether an argument names a variable of a configuration that may hold an address with a
// password, or none at all: git takes some words for commands.
func mayHoldSecrets(arg string) bool {
	section, _, ok := strings.Cut(strings.ToLower(arg), ".")
	return !strings.HasPrefix(arg, "-") && (!ok || !slices.Contains(harmlessSections, section))
}

var harmlessSections = strings.Fields(
	"branch color column commit core diff fetch i18n init log merge pull push rebase rerere status tag user",
)

const (
	diffLetters  = "bpqRrstuwzW"
	diffOptional = "BCMUX"
)

var diffFlags = long(`abbrev cached check color color-moved compact-summary cumulative diff-algorithm= diff-filter= dirstat exit-code
	find-copies find-copies-harder find-renames full-index function-context histogram ignore-all-space ignore-blank-lines
	ignore-cr-at-eol ignore-space-at-eol ignore-space-change inter-hunk-context= line-prefix= merge-base minimal name-only name-status
	no-color no-ext-diff no-index no-patch no-prefix no-renames no-textconv numstat patch patch-with-stat patience pickaxe-all
	pickaxe-regex quiet raw relative shortstat staged stat summary unified= word-diff`)

const logFlags = `abbrev-commit after= all all-match ancestry-path author= author-date-order basic-regexp before= boundary branches cherry
	cherry-mark cherry-pick children committer= count date= date-order decorate decorate-refs= extended-regexp first-parent fixed-strings
	follow format= full-history graph grep= invert-grep left-right max-count= max-parents= merges min-parents= no-abbrev-commit no-decorate
	no-graph no-max-parents no-merges no-walk not oneline parents perl-regexp pretty regexp-ignore-case relative-date remotes reverse
	right-only root show-pulls simplify-by-decoration simplify-merges since= skip= source sparse tags topo-order until= walk-reflogs`
