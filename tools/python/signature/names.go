package signature

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/assent-ls/assent/tools/python/modules"
)

// keywords are the words that Python keeps for itself.
var keywords = []string{
	"False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
	"del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda",
	"nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
}

// builtins are functions of Python, which a function of such a name would hide.
var builtins = []string{
	"abs", "all", "any", "ascii", "bin", "bool", "bytearray", "bytes", "callable", "chr", "classmethod",
	"complex", "dict", "dir", "divmod", "enumerate", "eval", "exec", "filter", "float", "format", "frozenset",
	"getattr", "globals", "hasattr", "hash", "help", "hex", "id", "input", "int", "isinstance", "issubclass",
	"iter", "len", "list", "locals", "map", "max", "memoryview", "min", "next", "object", "oct", "open", "ord",
	"pow", "print", "property", "range", "repr", "reversed", "round", "set", "setattr", "slice", "sorted",
	"staticmethod", "str", "sum", "super", "tuple", "type", "vars", "zip",
}

func isKeyword(name string) bool { return slices.Contains(keywords, name) }

// Reserved reports whether a name is one that Python or a program needs itself, so that no function has it.
func Reserved(name string) bool {
	return isKeyword(name) || name == Parallel || slices.Contains(builtins, name) ||
		slices.Contains(modules.Names(), name)
}

// identifiers gives each name an identifier of its own. Names that are ones keep theirs, wherever they are in the list,
// so that what another tool is called does not rename them; fallback is for names of which nothing is left.
func identifiers(names []string, fallback string, taken func(string) bool) []string {
	out := make([]string, len(names))
	used := map[string]bool{}
	for i, name := range names {
		if own := identifier(name, fallback, taken); own == name && !used[name] {
			out[i], used[name] = name, true
		}
	}
	for i, name := range names {
		if out[i] != "" {
			continue
		}
		base := identifier(name, fallback, taken)
		free := base
		for n := 2; used[free]; n++ {
			free = strings.TrimSuffix(base, "_") + "_" + strconv.Itoa(n)
		}
		out[i], used[free] = free, true
	}
	return out
}

// identifier makes an identifier of a name, in the form in which Python compares identifiers.
func identifier(name, fallback string, taken func(string) bool) string {
	var out strings.Builder
	for _, r := range norm.NFKC.String(name) {
		switch {
		case r == '_', unicode.IsLetter(r):
			out.WriteRune(r)
		case unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc):
			if out.Len() == 0 {
				out.WriteByte('_')
			}
			out.WriteRune(r)
		default:
			out.WriteByte('_')
		}
	}
	made := out.String()
	if strings.Trim(made, "_") == "" {
		made = fallback
	}
	if strings.HasPrefix(made, "__") {
		made = "_" + strings.TrimLeft(made, "_") // two underscores mean something to Python
	}
	if taken(made) {
		made += "_"
	}
	return made
}
