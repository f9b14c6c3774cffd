package features

import (
	"strings"

	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/parsed"
)

// TokenKind says what a part of a chat is.
type TokenKind int

// The kinds of tokens.
const (
	HeadingToken TokenKind = iota
	CallToken
	ResultToken
	ThinkingToken
	ContextToken
	WrittenToken // what a person writes about a call
	MentionToken
	CommandToken
)

// Token is a part of a line of a chat that is shown in a way of its own.
type Token struct {
	Span transcript.Span
	Kind TokenKind
}

// Tokens are those of the chat, in its order.
func Tokens(c *chats.Chat) (list []Token) {
	view := c.View()
	for _, turn := range view.Chat.Turns {
		list = append(list, Token{view.FirstLine(turn.Heading), HeadingToken})
		if w, ok := view.CommandOf(turn); ok {
			list = append(list, Token{w.Span, CommandToken})
		}
		for _, block := range turn.Blocks {
			switch b := block.(type) {
			case transcript.Text:
				if turn.Role == transcript.You {
					for _, m := range view.MentionsIn(b) {
						list = append(list, Token{m.Span, MentionToken})
					}
				}
			case transcript.Thinking:
				list = append(list, eachLine(view, b.Span, ThinkingToken)...)
			case transcript.Call:
				list = append(list, Token{view.FirstLine(b.Span), CallToken})
			case transcript.Result:
				list = append(list, Token{view.FirstLine(b.Span), ResultToken})
			case transcript.Context:
				list = append(list, Token{view.FirstLine(b.Span), ContextToken})
			case transcript.Reason, transcript.Answer:
				list = append(list, Token{view.FirstLine(b.Range()), WrittenToken})
			}
		}
	}
	return list
}

// eachLine is a token for each line of a part that is not blank.
func eachLine(v parsed.View, span transcript.Span, kind TokenKind) (list []Token) {
	at := span.Start
	for line := range strings.Lines(v.Slice(span.Start, span.End)) {
		if text := strings.TrimRight(line, "\r\n"); strings.TrimSpace(text) != "" {
			list = append(list, Token{transcript.Span{Start: at, End: at + len(text)}, kind})
		}
		at += len(line)
	}
	return list
}
