package chatfile

import (
	"strings"
	"unicode"

	"github.com/assent-ls/assent/agent/transcript"
)

// placed is a text that somebody saved, with the reply in its place.
type placed struct {
	above string // down to the end of the reply, which is whole
	reply int    // where the reply begins in above
	below string // empty, or it begins with a line end
}

// place finds where a reply belongs in the text now, which somebody saved while the reply was written. question was the
// text above the reply, below the text below it. All of the saved text is kept. ok is false if the reply itself was
// changed, or if its place is not clear.
func place(question, reply, below, now string) (placed, bool) {
	if reply != "" {
		if at := findUnchanged(question, reply, below, now); at >= 0 {
			end := at + len(reply)
			return placed{now[:end], at, onOwnLines(now[end:])}, true
		}
		if strings.HasPrefix(now, question) {
			if p, ok := matchOlder(question, reply, now); ok {
				return p, true
			}
		}
	}
	return belowQuestion(question, reply, now)
}

// findUnchanged finds a reply that the text holds as it was written: what was changed is above or below it. -1: it does
// not.
func findUnchanged(question, reply, below, now string) int {
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

// matchOlder handles a text that is an earlier state of the chat, perhaps with a next turn below: somebody opened it
// then and saved it now. The end of the reply is missing from it.
func matchOlder(question, reply, now string) (placed, bool) {
	have := question + reply
	end := 0
	for end < min(len(have), len(now)) && have[end] == now[end] {
		end++
	}
	for end > len(question) && end < len(now) && now[end] != '\n' && now[end] != '\r' && now[end-1] != '\n' {
		end-- // to the end or start of a line
	}
	next := transcript.Parse(now[end:])
	begins := len(next.Turns) > 0 && next.Turns[0].Role == transcript.You &&
		strings.TrimSpace(next.Preamble.Markdown) == ""
	if strings.TrimSpace(have[len(question):max(end, len(question))]) == "" || !begins && onOwnLines(now[end:]) != "" {
		return placed{}, false
	}
	return placed{have, len(question), onOwnLines(now[end:])}, true
}

// belowQuestion handles a text that holds nothing of the reply: it goes below the question.
func belowQuestion(question, reply, now string) (placed, bool) {
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
	return placed{now[:end] + reply, end, onOwnLines(now[end:])}, true
}

// onOwnLines returns a text for below a reply: empty if it is blank, else starting with a line end.
func onOwnLines(text string) string {
	if strings.Trim(text, " \t\r\n") == "" {
		return ""
	}
	if text[0] != '\n' && text[0] != '\r' {
		return "\n" + text
	}
	return text
}

// lines is the set of a text's lines that have a letter or a digit.
func lines(text string) map[string]bool {
	set := map[string]bool{}
	for line := range strings.Lines(text) {
		if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			set[strings.TrimSpace(line)] = true
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
