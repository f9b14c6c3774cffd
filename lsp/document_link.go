package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/assent-ls/assent/lsp/chats/features"
	"github.com/assent-ls/assent/lsp/documents"
)

// unresolved is what a link carries whose target takes a search.
type unresolved struct {
	URI     string `json:"uri"`
	Mention string `json:"mention"`
}

// resolvableLink is a link of a document. In the library's type its data may be anything.
type resolvableLink struct {
	Range   protocol.Range       `json:"range"`
	Target  protocol.DocumentURI `json:"target,omitempty"`
	Tooltip string               `json:"tooltip,omitempty"`
	Data    *unresolved          `json:"data,omitempty"`
}

// documentLink lists where the mentions of a chat lead.
func (s *Server) documentLink(ctx context.Context, params protocol.DocumentLinkParams) ([]resolvableLink, error) {
	out := []resolvableLink{}
	chat, snapshot, ok := s.opened(params.TextDocument.URI)
	if !ok {
		return out, nil
	}
	for _, link := range features.Links(ctx, chat) {
		l := resolvableLink{Range: s.rangeOf(snapshot, link.Span), Target: targetOf(link)}
		if link.Search != "" {
			l.Data = &unresolved{URI: string(params.TextDocument.URI), Mention: link.Search}
		}
		out = append(out, l)
	}
	return out, nil
}

// documentLinkResolve searches for the target of a link when somebody follows it. One that leads nowhere stays without
// a target.
func (s *Server) documentLinkResolve(ctx context.Context, link resolvableLink) (resolvableLink, error) {
	if link.Data == nil {
		return link, nil
	}
	if chat, ok := s.chats.Get(link.Data.URI); ok {
		if found, ok := features.Search(ctx, chat, link.Data.Mention); ok {
			link.Target = targetOf(found)
		}
	}
	return link, nil
}

// targetOf is the URI of a link's place; empty if that is not known.
func targetOf(link features.Link) protocol.DocumentURI {
	if link.Page != "" {
		return protocol.DocumentURI(link.Page)
	}
	if link.Path == "" {
		return ""
	}
	target := documents.URIOf(link.Path)
	if link.Line > 0 {
		target += fmt.Sprintf("#L%d", link.Line)
	}
	return protocol.DocumentURI(target)
}
