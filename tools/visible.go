package tools

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible makes one line of a text for titles and logs: characters that cannot be seen, or that move others, are
// written as <U+202E>, and line ends as ⏎.
func Visible(s string) string {
	return strings.NewReplacer("\n", "⏎", "\t", "<U+0009>").Replace(VisibleText(s))
}

// VisibleText is Visible for texts of several lines: line ends and tabs stay.
func VisibleText(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexFunc(s, func(r rune) bool { return unseen(r) || joins(r) }) < 0 {
		return s
	}
	var b strings.Builder
	previous := ' '
	for _, r := range s {
		switch {
		case joins(r) && pictures(previous):
			b.WriteRune(r)
		case unseen(r) || joins(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
		previous = r
	}
	return b.String()
}

// Misleads says whether a text holds characters that a person would not see.
func Misleads(s string) bool { return VisibleText(s) != s }

// joins says whether a rune only joins or varies pictures, where it is ordinary.
func joins(r rune) bool { return r == 0x200D || r == 0xFE0F }

func pictures(r rune) bool {
	return unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r) || r == 0xFE0F
}

// unseen says whether a rune shows nothing, or changes how others are shown: controls, bidirectional marks, zero-width
// and tag characters, variation selectors, line separators.
func unseen(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r):
		return r != 0x200D
	case r >= 0xFE00 && r <= 0xFE0E, r >= 0xE0000 && r <= 0xE0FFF,
		r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, r == 0x034F, r == 0x180E, r >= 0x2800 && r <= 0x2800:
		return true
	}
	return false
}
