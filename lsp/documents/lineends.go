package documents

import "strings"

var toLF = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// normal returns s with every line end as LF.
func normal(s string) string {
	if !strings.Contains(s, "\r") {
		return s
	}
	return toLF.Replace(s)
}

// rawLen returns how many bytes of raw make n bytes of normal(raw).
func rawLen(raw string, n int) int {
	at := 0
	for at < len(raw) && n > 0 {
		if raw[at] == '\r' && at+1 < len(raw) && raw[at+1] == '\n' {
			at++
		}
		at++
		n--
	}
	return at
}

// lineEndOf returns the line end that a text uses: its first one, LF if it has none.
func lineEndOf(t Text) string {
	for _, p := range t.pieces() {
		at := strings.IndexAny(p.s, "\r\n")
		switch {
		case at < 0:
			continue
		case strings.HasPrefix(p.s[at:], "\r\n"):
			return "\r\n"
		case p.s[at] == '\r' && !t.lfOnly():
			return "\r"
		}
		return "\n"
	}
	return "\n"
}

// withLineEnds returns s with every line end as eol.
func withLineEnds(s, eol string) string {
	if s = normal(s); eol == "\n" {
		return s
	}
	return strings.ReplaceAll(s, "\n", eol)
}

// sendable returns s as every editor can hold it: valid UTF-8 without NUL. What an editor would change on its own could
// not be recognised when it comes back.
func sendable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}
