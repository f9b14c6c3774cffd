package interpreter

import (
	"slices"
	"strings"
	"unicode"
)

var keywords = strings.Fields(`False None True and as assert async await break class continue def del elif else except
	finally for from global if import in is lambda nonlocal not or pass raise return try while with yield`)

// Identifier makes a name a Python identifier: other characters become "_", and keywords get one at their end.
func Identifier(name string) string {
	made := strings.Map(func(r rune) rune {
		if r == '_' || (r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))) {
			return r
		}
		return '_'
	}, name)
	switch {
	case made == "" || unicode.IsDigit(rune(made[0])):
		return "_" + made
	case slices.Contains(keywords, made):
		return made + "_"
	}
	return made
}
