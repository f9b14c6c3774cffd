package chats

import (
	"context"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/lsp/chats/parsed"
)

// Topic is what a new chat about a part of a document asks for.
type Topic int

// The topics.
const (
	Ask Topic = iota + 1
	Explain
	Edit
	Fix
	WriteTests
	Document
)

// Problem is a diagnostic of another server about a place of a document.
type Problem struct {
	Line            int // from 1
	Message, Source string
}

// MaxProblems is how many problems a chat is begun with.
const MaxProblems = 10

const maxProblem = 500 // runes of one

// Begin makes a chat about what is mentioned, in the folder at root, and shows it. Nothing is sent: the person does
// that.
func (cs *Chats) Begin(ctx context.Context, root string, t Topic, mention string, problems []Problem) error {
	text, more := t.words(mention, problems)
	text = transcript.UserText(text)
	line := strings.Count(transcript.YouHeading, "\n")
	if more {
		text += "\n\n"
		line += strings.Count(text, "\n")
	}
	return cs.newChat(ctx, root, text, line)
}

// words are what the person would write; more says that they go on below.
func (t Topic) words(mention string, problems []Problem) (text string, more bool) {
	switch t {
	case Ask:
		return mention, true
	case Explain:
		return "/explain " + mention, false
	case Edit:
		return "Change " + mention + " and nothing else, like this:", true
	case Fix:
		return "/fix " + mention + said(problems), false
	case WriteTests:
		return "/test " + mention, false
	case Document:
		return "/document " + mention, false
	}
	return mention, true
}

// said quotes what other servers say: as code, it mentions nothing.
func said(problems []Problem) string {
	var b strings.Builder
	for i, p := range problems {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "\n- line %d: %s", p.Line, visible.CodeSpan(visible.Shorten(p.Message, maxProblem)))
		if p.Source != "" {
			fmt.Fprintf(&b, " (%s)", visible.CodeSpan(visible.Shorten(p.Source, parsed.MaxTarget)))
		}
	}
	return b.String()
}
