package chatfile

import (
	"bytes"
	"strings"
	"unicode"

	"github.com/assent-ls/assent/agent/transcript"
)

// placed is where a reply stands in a text that somebody else saved.
type placed struct {
	above string // down to the end of the reply, what is missing of it put back
	reply int    // where the reply begins in above
	below string // empty, or it begins with a line end
}

// place finds where a reply belongs in what somebody saved while it was written: question stood above it, below stood below
// it. All of their text stays. ok is false if the reply itself was changed, or its place cannot be told.
func place(question, reply, below, now string) (placed, bool) {
	if reply != "" {
		if at := whole(question, reply, below, now); at >= 0 {
			end := at + len(reply)
			return placed{now[:end], at, tail(now[end:])}, true
		}
		if strings.HasPrefix(now, question) {
			if p, ok := older(question, reply, now); ok {
				return p, true
			}
		}
	}
	return none(question, reply, now)
}

// whole finds a reply that stands in a text as it was written: changes are above it, below it or both.
func whole(question, reply, below, now string) int {
	switch {
	case strings.HasPrefix(now, question+reply):
		return len(question)
	case strings.HasSuffix(now, reply+below):
		return len(now) - len(reply+below)
	case strings.Count(now, reply) == 1 && !strings.Contains(question, reply):
		return strings.Index(now, reply)
	}
	return -1
}

// older takes a text that is the chat as it was some time ago, perhaps with a next turn below: it was opened then, and saved
// now. The end of the reply is missing.
func older(question, reply, now string) (placed, bool) {
	have := question + reply
	end := 0
	for end < min(len(have), len(now)) && have[end] == now[end] {
		end++
	}
	for end > len(question) && end < len(now) && now[end] != '\n' && now[end] != '\r' && now[end-1] != '\n' {
		end-- // to where a line ends or begins
	}
	next := transcript.Parse(now[end:])
	begins := len(next.Turns) > 0 && next.Turns[0].Role == transcript.You && strings.TrimSpace(next.Preamble.Markdown) == ""
	if strings.TrimSpace(have[len(question):max(end, len(question))]) == "" || !begins && tail(now[end:]) != "" {
		return placed{}, false
	}
	return placed{have, len(question), tail(now[end:])}, true
}

// none takes a text without any of the reply: it goes below the turn that it answers.
func none(question, reply, now string) (placed, bool) {
	own := lines(reply)
	for line := range lines(question) {
		delete(own, line)
	}
	asked, saved := transcript.Parse(question).Turns, transcript.Parse(now).Turns
	last := len(asked) - 1
	if last < 0 || len(saved) <= last || saved[last].Role != asked[last].Role || share(own, lines(now)) ||
		len(saved) > last+1 && saved[last+1].Role == transcript.Assistant {
		return placed{}, false
	}
	end := len(strings.TrimRight(now[:saved[last].Span.End], " \t\r\n"))
	return placed{now[:end] + reply, end, tail(now[end:])}, true
}

// tail is what stands below a reply, on lines of its own.
func tail(text string) string {
	if strings.Trim(text, " \t\r\n") == "" {
		return ""
	}
	if text[0] != '\n' && text[0] != '\r' {
		return "\n" + text
	}
	return text
}

// lines are the lines of a text that say something.
func lines(text string) map[string]bool {
	set := map[string]bool{}
	for line := range bytes.Lines([]byte(text)) {
		if line = bytes.TrimSpace(line); bytes.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			set[string(line)] = true
		}
	}
	return set
}

func share(a, b map[string]bool) bool {
	for line := range a {
		if b[line] {
			return true
		}
	}
	return false
}
