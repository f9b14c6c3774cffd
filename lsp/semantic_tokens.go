package lsp

import (
	"context"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/documents"
	"github.com/assent-ls/assent/lsp/wire"
)

// tokenTypes are how the kinds of parts of a chat are shown: standard types, since every theme has a colour for them.
var tokenTypes = map[features.TokenKind]protocol.SemanticTokenTypes{
	features.HeadingToken:  protocol.SemanticTokenClass,
	features.CallToken:     protocol.SemanticTokenFunction,
	features.ResultToken:   protocol.SemanticTokenString,
	features.ThinkingToken: protocol.SemanticTokenComment,
	features.ContextToken:  protocol.SemanticTokenNamespace,
	features.WrittenToken:  protocol.SemanticTokenParameter,
	features.MentionToken:  protocol.SemanticTokenVariable,
	features.CommandToken:  protocol.SemanticTokenMacro,
}

// legend are the types of tokens that the client shows, in a fixed order; empty: it shows none.
func legend(s *Server) (types []protocol.SemanticTokenTypes) {
	caps := s.client.Capabilities().TextDocument.SemanticTokens
	if !caps.Full() {
		return nil
	}
	for kind := features.HeadingToken; kind <= features.CommandToken; kind++ {
		if slices.Contains(caps.TokenTypes, string(tokenTypes[kind])) {
			types = append(types, tokenTypes[kind])
		}
	}
	return types
}

func newSemanticTokensOptions(types []protocol.SemanticTokenTypes) *wire.SemanticTokensRegistrationOptions {
	o := &wire.SemanticTokensRegistrationOptions{Full: true}
	o.Legend.TokenTypes, o.Legend.TokenModifiers = types, []protocol.SemanticTokenModifiers{}
	return o
}

// semanticTokens colours the parts of a chat.
func (s *Server) semanticTokens(
	ctx context.Context, params protocol.SemanticTokensParams,
) (*protocol.SemanticTokens, error) {
	chat, snapshot, ok := s.opened(params.TextDocument.URI)
	types := legend(s)
	if !ok || len(types) == 0 {
		return nil, nil
	}
	var kinds []int
	var offsets []int // of the starts and ends
	last := 0
	for _, token := range features.Tokens(chat) {
		if kind := slices.Index(types, tokenTypes[token.Kind]); kind >= 0 && last <= token.Span.Start &&
			token.Span.Start < token.Span.End {
			kinds, offsets, last = append(kinds, kind), append(
				offsets, token.Span.Start, token.Span.End,
			), token.Span.End
		}
	}
	tokens := &protocol.SemanticTokens{Data: []uint32{}}
	var before documents.Position
	places := snapshot.Text.Positions(offsets, s.store.Encoding())
	for i, kind := range kinds {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		start, end := places[2*i], places[2*i+1]
		if start.Line != end.Line || end.Character <= start.Character {
			continue // not in one line: the document changed meanwhile
		}
		column := start.Character
		if start.Line == before.Line {
			column -= before.Character
		}
		tokens.Data = append(
			tokens.Data, start.Line-before.Line, column, end.Character-start.Character, uint32(kind), 0,
		)
		before = start
	}
	return tokens, nil
}
