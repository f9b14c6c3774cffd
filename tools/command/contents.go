package command

import (
	"path"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/lazyregexp"
)

// listing are the harmless programs that print names and attributes of files, and nothing that the files hold.
var listing = strings.Fields(`[ arch basename date df dirname du echo env false find id ls nproc printenv printf ps pwd readlink realpath seq stat test
	tree true tty uname uptime which whoami`)

// gitListing are git's commands that do the same.
var gitListing = strings.Fields(`branch check-ignore config count-objects describe ls-files ls-tree merge-base name-rev remote rev-parse show-ref status
	tag version worktree`)

// Shown lists the paths whose contents a harmless line may print because its words name them, as they are found from
// where the line runs. Some are no paths but other words. What a line prints without naming it, as grep -r does, is not
// among them.
func (l Line) Shown() []string {
	var paths []string
	for _, part := range l.Parts {
		args, dirs := part.Argv[1:], []string{l.Dir}
		if part.Argv[0] == "git" {
			before := args[:gitOptions(args)]
			if args = args[len(before):]; len(args) == 0 || slices.Contains(gitListing, args[0]) {
				continue
			}
			dirs = append(dirs, "") // REVISION:PATH begins at the top of the repository
			for i, option := range before {
				if option == "-C" && i+1 < len(before) {
					dirs[0] = from(dirs[0], before[i+1])
				}
			}
		} else if slices.Contains(listing, part.Argv[0]) {
			continue
		}
		for _, arg := range args {
			// --file=PATH, REVISION:PATH, :(MAGIC)PATH
			for _, word := range []string{arg, arg[1+strings.LastIndexAny(arg, "=:"):]} {
				for _, dir := range dirs {
					paths = append(paths, from(dir, word))
				}
			}
		}
	}
	return paths
}

func from(dir, name string) string {
	if path.IsAbs(name) {
		return name
	}
	return path.Join(dir, name)
}

// Searches reports whether a line may print what files hold that it does not name.
func (l Line) Searches() bool {
	return slices.ContainsFunc(l.Parts, func(p Part) bool {
		return showsObjects(p.Argv) || slices.Contains([]string{"diff", "egrep", "fgrep", "grep", "rg"}, p.Argv[0])
	})
}

// showsObjects reports whether a program is git and shows what its objects hold.
func showsObjects(argv []string) bool {
	args := argv[1+gitOptions(argv[1:]):]
	return argv[0] == "git" && len(args) > 0 &&
		(slices.Contains([]string{"diff", "grep", "show"}, args[0]) ||
			args[0] == "log" && slices.ContainsFunc(args, showsPatch))
}

// showsPatch reports whether an option of git log has it show what files hold.
func showsPatch(arg string) bool {
	name, _, _ := strings.Cut(arg, "=")
	long := slices.Contains(
		[]string{"--patch", "--patch-with-stat", "--unified", "--word-diff", "--color-moved", "--function-context"},
		name,
	)
	return long || strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.ContainsAny(arg, "pucULW")
}

// onlyCommits has the numbers of objects among the arguments of a command of git mean commits: the number of a file or
// folder would show it without its path, by which it is known to be one that a person is asked about.
func onlyCommits(sub string, args []string) []string {
	args = slices.Clone(args)
	pattern := sub != "grep" || slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-e") })
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		next, _ := git.subs[sub].option(args[i])
		switch {
		case next && strings.HasPrefix(args[i], "-"):
			i++
		case strings.HasPrefix(args[i], "-"):
		case !pattern:
			pattern = true
		default:
			args[i] = commits(args[i])
		}
	}
	return args
}

// number matches the number of an object, and the name that git describe gives one.
var number = lazyregexp.New(`(?i)(?:^|-g)[0-9a-f]{4,64}$`)

// commits has numbers of objects in a word for revisions mean commits: REVISION, REVISION..REVISION, REVISION:PATH.
func commits(word string) string {
	peeled := func(revision string) string {
		if number().MatchString(revision) {
			return revision + "^{commit}"
		}
		return revision
	}
	if revision, file, ok := strings.Cut(word, ":"); ok {
		return peeled(revision) + ":" + file
	}
	for _, dots := range []string{"...", ".."} {
		if a, b, ok := strings.Cut(word, dots); ok {
			return peeled(a) + dots + peeled(b)
		}
	}
	return peeled(word)
}

// plainRevisions reports whether no argument says what kind of object it means: the number of a file would do then.
func plainRevisions(args []string) bool {
	return !slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, "^{") })
}

// wholeRevisions also reports whether no argument means a part of a revision: what lies in a folder then has no path by
// which it is known.
func wholeRevisions(args []string) bool {
	part := func(arg string) bool {
		return !strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, ":(") && strings.Contains(arg, ":")
	}
	return plainRevisions(args) && !slices.ContainsFunc(args, part)
}
