package ranking

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Name is the expression for the name of a symbol, in any language.
const Name = `[\pL_$][\pL\pN_$]*`

// Definitions are the expressions of the lines that define a name, the surest first; the name is the one group that
// they find. A line that IsStatement is none all the same.
func Definitions(name string) []*regexp.Regexp {
	const before = `^[ \t]*(?:(?i:export|default|declare|public|private|protected|internal|static|final|abstract|async|pub(?:\([^)]*\))?|unsafe|extern|inline|virtual|override|sealed|partial|open|data|suspend|constexpr)[ \t]+)*`
	const words = `(?i:func|def|class|type|struct|enum|interface|trait|impl|fn|function\*?|module|namespace|object|protocol|record|union|macro|sub|proc|procedure|let(?:[ \t]+mut)?|const|var|val|static|typedef|package|create[ \t]+(?:table|view|function|procedure)|#[ \t]*define)`
	return []*regexp.Regexp{
		regexp.MustCompile(
			`(?m)` + before + words + `[ \t]+(?:\([^()\n]*\)[ \t]*)?(?:[\w.]+(?:\.|::))?(` + name + `)(?:[^\pL\pN_]|$)`,
		),
		// C and its kin: a type and a bracket; a method without a type opens its body on the line.
		regexp.MustCompile(`(?m)^[ \t]*(?:[A-Za-z_][\w<>,:*&\[\] \t]*[ \t*&](` + name +
			`)[ \t]*\([^;\n]*[{),]|(?:[a-z]+[ \t]+)?(` + name + `)[ \t]*\([^;\n]*\)[^;\n]*\{)[ \t]*$`),
		// Constants, keys and fields, near the margin.
		regexp.MustCompile(`(?m)^[ \t]{0,4}"?(` + name + `)"?[ \t]*(?::?=[^=\n]|:)`),
	}
}

// IsStatement reports whether a line begins with a word behind which a name is used, not defined.
func IsStatement(line string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return slices.Contains(statementWords, first)
}

var statementWords = strings.Fields(
	"return else } if elif while for switch match case new throw await go defer yield assert raise del import from " +
		"use using in not",
)

// Remoteness ranks the files of tests and other people's code behind the rest: 0 is neither.
func Remoteness(rel string) int {
	far := 0
	for part := range strings.SplitSeq(strings.ToLower(rel), "/") {
		if slices.Contains(remoteFolders, part) {
			far = 2
		}
	}
	if base := strings.ToLower(path.Base(rel)); strings.Contains(base, "_test.") ||
		strings.HasPrefix(base, "test_") || strings.Contains(base, ".test.") {
		far++
	}
	return far
}

var remoteFolders = strings.Fields("vendor third_party node_modules testdata test tests dist build")
