package attach

import (
	"strconv"
	"strings"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/lazyregexp"
)

// Mention is an @word of a message: what it names is attached to the turn.
type Mention struct {
	Span   transcript.Span // in the message, the "@" included
	Kind   Kind
	Text   string // as it is written, without "@"
	Name   string // of a path or a symbol, or the address of a page or a resource
	Server string // of a resource
	Ranged bool   // lines are given: First and Last, which count from 1
	First  int
	Last   int
	Plain  bool // an ordinary word, which is a mention only where something has this name
}

// Kind says what a mention names.
type Kind int

// The kinds of mentions.
const (
	PathMention        Kind = iota // @src/main.go, @src/main.go:10-40, @src/
	SymbolMention                  // @symbol:Name
	DiffMention                    // @diff
	SelectionMention               // @selection
	DiagnosticsMention             // @diagnostics
	PageMention                    // @https://example.org/page
	ResourceMention                // @notes:file:///todo.txt
)

// symbolPrefix is before the name of a symbol.
const symbolPrefix = "symbol:"

// maxMention is how many bytes a mention has at most: no path is longer.
const maxMention = 4200

// maxMentions is how many mentions of a message count.
const maxMentions = 20

// FindMentions lists the mentions of a message in its order, at most 20. In code, in addresses and behind a backslash
// there are none.
func FindMentions(message string) []Mention {
	var all []Mention
	for _, span := range transcript.AtWords(message) {
		text := trimMention(message[span.Start+1 : span.End])
		if m, ok := ParseMention(text); ok {
			m.Span = transcript.Span{Start: span.Start, End: span.Start + 1 + len(text)}
			if all = append(all, m); len(all) == maxMentions {
				break
			}
		}
	}
	return all
}

const afterMention = ".,;:!?]}'*”’»…、。" // what prose writes behind a mention

// trimMention takes off what is no part of a mention.
func trimMention(word string) string {
	if len(word) > maxMention {
		return ""
	}
	if rest, ok := strings.CutPrefix(word, `"`); ok {
		if name, behind, closed := strings.Cut(rest, `"`); closed {
			return `"` + name + `"` + lineNumbers().FindString(strings.TrimRight(behind, afterMention+")"))
		}
		return ""
	}
	for _, end := range []string{"](", "<", ">", "|", `"`} {
		word, _, _ = strings.Cut(word, end)
	}
	for {
		before := word
		word = strings.TrimRight(word, afterMention)
		if strings.Count(word, ")") > strings.Count(word, "(") {
			word = strings.TrimSuffix(word, ")")
		}
		word = strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
		if word == before {
			return word
		}
	}
}

// lineNumbers is what may be behind a path: :10, :10-40, :10:3, #L10, #L10-L40.
var lineNumbers = lazyregexp.New(`(?::(\d{1,9})(?:[-–](\d{1,9})|:\d{1,9})?|#L(\d{1,9})(?:-L?(\d{1,9}))?)$`)

// wordMentions are the mentions that are one word.
var wordMentions = map[string]Kind{
	"diff": DiffMention, "selection": SelectionMention, "diagnostics": DiagnosticsMention,
}

// ParseMention reads a mention without its "@"; ok is false where it names nothing.
func ParseMention(text string) (m Mention, ok bool) {
	m = Mention{Text: text, Name: text}
	name, isSymbol := strings.CutPrefix(text, symbolPrefix)
	switch {
	case isSymbol:
		m.Kind, m.Name = SymbolMention, name
		return m, name != ""
	case wordMentions[text] != 0:
		m.Kind = wordMentions[text]
		return m, true
	}
	if server, uri, ok := resourceOf(text); ok {
		m.Kind, m.Server, m.Name = ResourceMention, server, uri
		return m, true
	}
	if isPage(text) {
		m.Kind = PageMention
		return m, true
	}
	if at := lineNumbers().FindStringSubmatchIndex(text); at != nil && at[0] > 0 {
		group := func(i int) string { return text[max(at[2*i], 0):max(at[2*i+1], 0)] }
		m.Name, m.Ranged = text[:at[0]], true
		m.First, _ = strconv.Atoi(group(1) + group(3))
		m.Last = m.First
		if last := group(2) + group(4); last != "" {
			m.Last, _ = strconv.Atoi(last)
		}
	}
	quoted := strings.HasPrefix(m.Name, `"`)
	m.Name = strings.Trim(m.Name, `"`)
	m.Plain = !quoted && !m.Ranged && !strings.ContainsAny(m.Name, "./")
	return m, strings.Trim(m.Name, "@. ") != ""
}

// resources is what the mention of a resource of a server looks like: the name of the server, and an address.
var resources = lazyregexp.New(`^([\w.-]+):([a-zA-Z][a-zA-Z0-9+.-]*:.*[^\d].*)$`)

// resourceOf reads the mention of a resource of a server.
func resourceOf(text string) (server, uri string, ok bool) {
	m := resources().FindStringSubmatch(strings.Trim(text, `"`))
	if m == nil {
		return "", "", false
	}
	return m[1], m[2], true
}

// isPage reports whether a mention is the address of a page of the web.
func isPage(text string) bool {
	scheme, rest, ok := strings.Cut(text, "://")
	return ok && rest != "" && (strings.EqualFold(scheme, "https") || strings.EqualFold(scheme, "http"))
}

// Typed is what a person has typed of a mention at the end of a text: start is where its "@" is, prefix what
// follows it.
func Typed(text string) (start int, prefix string, ok bool) {
	line := text[strings.LastIndexAny(text, "\r\n")+1:]
	if at := strings.LastIndex(line, `@"`); at >= 0 && !strings.Contains(line[at+2:], `"`) {
		text = text[:len(text)-len(line)+at] + strings.ReplaceAll(line[at:], " ", "_")
	}
	words := transcript.AtWords(text)
	if len(words) == 0 || words[len(words)-1].End != len(text) {
		return 0, "", false
	}
	start = words[len(words)-1].Start
	return start, line[len(line)-(len(text)-start)+1:], true
}

// withoutMentions is a message with blanks in the place of its mentions: they are no plain words.
func withoutMentions(message string) string {
	for _, m := range FindMentions(message) {
		message = message[:m.Span.Start] + strings.Repeat(" ", m.Span.End-m.Span.Start) + message[m.Span.End:]
	}
	return message
}
