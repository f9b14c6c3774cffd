package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is the text that a program gets for a word, if no expansion can change it.
func word(w *syntax.Word) (string, error) {
	var b strings.Builder
	braces := false
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if len(w.Parts) == 1 && p.Value == "[" {
				return p.Value, nil // the program
			}
			if err := bare(&b, p.Value); err != nil {
				return "", err
			}
			braces = braces || strings.Contains(p.Value, "{")
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", no("it has escapes in $'...'")
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			if err := doubleQuoted(&b, p); err != nil {
				return "", err
			}
		default:
			return "", no("it has an expansion")
		}
	}
	if text := b.String(); braces && (strings.Contains(text, ",") || strings.Contains(text, "..")) {
		return "", no("it has braces that a shell expands")
	}
	return b.String(), nil
}

// bare reads text outside of quotes.
func bare(b *strings.Builder, text string) error {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			i++
			if i == len(text) {
				return no("it ends in a backslash")
			}
			b.WriteByte(text[i])
		case '*', '?', '[':
			return no("it has the pattern %s, which a shell replaces by the names of files", text)
		case '~':
			if i == 0 || !joinsTilde(text[i-1]) {
				return no("it has a ~, which may stand for a folder")
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return nil
}

// joinsTilde reports whether a tilde after a character is that character's suffix, as in HEAD~1, and no folder.
func joinsTilde(c byte) bool {
	return c == '^' || c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// doubleQuoted reads "...", in which a backslash keeps its place except before what it protects.
func doubleQuoted(b *strings.Builder, q *syntax.DblQuoted) error {
	if q.Dollar {
		return no("it has a text to translate in $\"...\"")
	}
	for _, part := range q.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			return no("it has an expansion")
		}
		for i := 0; i < len(lit.Value); i++ {
			if lit.Value[i] == '\\' && i+1 < len(lit.Value) && strings.IndexByte("$`\"\\", lit.Value[i+1]) >= 0 {
				i++
			}
			b.WriteByte(lit.Value[i])
		}
	}
	return nil
}

// program checks that the first word names a program that a shell would start, and that it would do what the program
// does.
func program(argv []string) error {
	name := argv[0]
	switch {
	case name == "[":
	case name == "" || strings.HasPrefix(name, "-") || strings.Trim(name, programLetters) != "":
		return no("%q is not the plain name of a program", name)
	case slices.Contains(shellWords, name):
		return no("%s is a word of the shell itself", name)
	}
	if slices.Contains(alsoPrograms, name) && len(argv) > 1 &&
		slices.Contains([]string{"--help", "--version", "-v"}, argv[1]) {
		return no("%s %s of a shell differs from the program", name, argv[1])
	}
	return nil
}

const programLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-"

// alsoPrograms are words of a shell that are programs as well, and do the same as long as their options are known to
// both.
var alsoPrograms = []string{"[", "echo", "false", "printf", "pwd", "test", "true"}

// shellWords are the words that a shell does not start a program for: reserved words, and builtins that change the
// shell, run other words, or do something else than a program of that name.
var shellWords = strings.Fields(`
	! case coproc do done elif else esac fi for function if in select then time until while { } [[ ]]
	. : alias autoload bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown enable eval
	exec exit export fc fg getopts hash help history jobs kill let local logout mapfile popd pushd read readarray readonly return
	set shift shopt source suspend time times trap type typeset ulimit umask unalias unset wait`)
