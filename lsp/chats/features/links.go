package features

import (
	"context"
	"strings"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/lazyregexp"
	"github.com/assent-ls/assent/lsp/chats"
	"github.com/assent-ls/assent/lsp/chats/parsed"
)

// maxLinks is how many links of a chat are shown.
const maxLinks = 500

// Link is a place in a chat that leads to a file, a folder or a page.
type Link struct {
	Span   transcript.Span
	Path   string // absolute; empty: it takes a search, or is a page
	Page   string // the address of a page of the web; empty: it is a file or folder
	Line   int    // from 1; 0: none
	Search string // what Search is asked for
}

// Links lists where the mentions of a chat lead.
func Links(ctx context.Context, c *chats.Chat) []Link {
	mentioned, ok := c.Session.Mentioned()
	if !ok {
		return nil
	}
	var links []Link
	view := c.View()
	for i, turn := range view.Chat.Turns {
		if len(links) < maxLinks {
			links = append(links, resultLinks(view, mentioned, turn)...)
		}
		for _, m := range view.Mentions(turn) {
			switch {
			case len(links) >= maxLinks:
			case m.Kind == attach.SelectionMention && i < len(view.Chat.Turns)-1: // it was another one
			case m.Kind == attach.SymbolMention:
				links = append(links, Link{Span: m.Span, Search: m.Text})
			case m.Kind == attach.PageMention:
				links = append(links, Link{Span: m.Span, Page: m.Name})
			default:
				if p, line, ok := mentioned.Place(ctx, m); ok {
					links = append(links, Link{Span: m.Span, Path: p.Abs, Line: line})
				}
			}
		}
	}
	return links
}

// resourceLine is a line of a result that is the link of a resource: its address, and perhaps its name before that.
var resourceLine = lazyregexp.New(`(?m)^(?:[^\n]*: )?((?:https?|file)://[^\s<>"]+)$`)

// resultLinks are the links of resources in the results of a turn: pages of the web, and files of the workspace. Where
// one leads is there in full.
func resultLinks(v parsed.View, mentioned *attach.Mentioned, turn transcript.Turn) (links []Link) {
	for result := range parsed.Blocks[transcript.Result](turn) {
		text := v.Slice(result.Span.Start, result.Span.End)
		for _, at := range resourceLine().FindAllStringSubmatchIndex(text, maxLinks) {
			address := text[at[2]:at[3]]
			link := Link{
				Span: transcript.Span{Start: result.Span.Start + at[2], End: result.Span.Start + at[3]}, Page: address,
			}
			if path, isFile := strings.CutPrefix(address, "file://"); isFile {
				p, err := mentioned.File(path)
				if err != nil {
					continue
				}
				link.Page, link.Path = "", p.Abs
			}
			links = append(links, link)
		}
	}
	return links[:min(len(links), maxLinks)]
}

// Search finds where a mention leads that takes a search.
func Search(ctx context.Context, c *chats.Chat, mention string) (Link, bool) {
	mentioned, ok := c.Session.Mentioned()
	found := attach.FindMentions("@" + mention)
	if !ok || len(found) != 1 || found[0].Kind != attach.SymbolMention {
		return Link{}, false
	}
	at, err := mentioned.Preview(ctx, found[0])
	return Link{Path: at.Path.Abs, Line: at.Line}, err == nil
}
