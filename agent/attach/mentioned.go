package attach

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/workspace"
)

// mentionBlock begins the name of the block that is in the place of a mention that could not be attached.
const mentionBlock = "mention "

// Failed reports whether a block of this name is in the place of a mention that could not be attached.
func Failed(block string) bool { return strings.HasPrefix(block, mentionBlock) }

// NotAttached is the block that is in the place of a mention which could not be attached.
func NotAttached(mention string, why error) Block {
	return Block{mentionBlock + mention, content.Texts(sentence(why) + " So nothing is attached.")}
}

// ErrNoPages says that pages of the web cannot be fetched.
var ErrNoPages = errors.New(
	"pages of the web are fetched only if the setting webFetch is on, in your own settings, " +
		"and toolsOff does not name web_fetch",
)

// ErrNoMention says that an ordinary word with an "@" names nothing here: it is only text.
var ErrNoMention = errors.New("nothing here has this name, so nothing is attached")

// Mentioned is the source of what a message mentions by @words.
type Mentioned struct {
	files
	diff      func(ctx context.Context, limit int) (string, error)
	selection func() *Selection
	problems  func(ctx context.Context) (string, error)
	pages     bool
	servers   Servers
	brief     bool // nothing near is looked for where something is missing
}

// MentionOptions are what mentions need of a chat.
type MentionOptions struct {
	Workspace *workspace.Workspace
	Reads     Reads
	// Link returns the path by which the chat links a file, given its path from the root.
	Link func(rel string) string
	// Diff shows what changed since the last commit in about limit bytes; empty: nothing. The error is a sentence.
	Diff func(ctx context.Context, limit int) (string, error)
	// Selection is what was chosen last, nil if nothing was; nil: nothing can be.
	Selection func() *Selection
	// Diagnostics lists what the editor's language servers say about files that the model may see, a line each; nil:
	// nobody can be asked. The error is a sentence.
	Diagnostics func(ctx context.Context) (string, error)
	// Pages says whether pages of the web can be fetched: then a person is asked when a message that mentions one is
	// sent.
	Pages bool
	// Servers have resources that messages can mention: those are read when a message is sent. nil: there are none.
	Servers Servers
}

// Servers are the MCP servers whose resources can be mentioned.
type Servers interface {
	// Names are those of the servers that count, whether they run or not.
	Names(ctx context.Context) []string
	// Running are the names of those that run.
	Running() []string
	// Resources lists those of a server that runs. It starts none.
	Resources(ctx context.Context, server string) []Resource
}

// Resource is something that a server gives to read.
type Resource struct {
	URI   string
	About string // what the server says about it, on one line
}

// NewMentioned returns the source of the mentions of a chat.
func NewMentioned(o MentionOptions) *Mentioned {
	return &Mentioned{
		files{o.Workspace, o.Reads, o.Link}, o.Diff, o.Selection, o.Diagnostics, o.Pages, o.Servers, false,
	}
}

// Found is what a mention means.
type Found struct {
	Block Block
	Path  workspace.Path // where it is
	Line  int            // from 1; 0: none
	Known bool           // the model knows it as it is: it is not attached again
	Note  string         // what a person should know of it: a sentence; may be empty
	whole bool           // the block shows all of a file,
	text  string         // which is this
	lines string         // of a file that the block shows, as they are there
	shown []definition   // of a symbol that the block shows, maybe in several files
}

// Name implements Source.
func (*Mentioned) Name() string { return "mention" }

// Mentions implements Source.
func (*Mentioned) Mentions(_ context.Context, message Message) []string {
	var all []string
	for _, m := range FindMentions(message.Text) {
		if !slices.Contains(all, m.Text) {
			all = append(all, m.Text)
		}
	}
	return all
}

// Resolve implements Source. What cannot be attached has a sentence in its place. Pages of the web and resources of
// servers are none of its blocks: a run gets them.
func (s *Mentioned) Resolve(ctx context.Context, mention string, limit int) (Block, bool) {
	m, ok := ParseMention(mention)
	if !ok || m.Kind == PageMention || s.IsResource(ctx, m) {
		return Block{}, false
	}
	found, err := s.Look(ctx, m, limit)
	switch {
	case errors.Is(err, ErrNoMention), ctx.Err() != nil:
		return Block{}, false
	case err != nil:
		return NotAttached(mention, err), true
	case found.Known:
		return Block{}, false
	}
	if found.whole {
		s.reads.MarkRead(found.Path.Abs, found.text)
	}
	s.reads.MarkShown(found.Path.Abs, found.lines)
	for _, d := range found.shown {
		s.reads.MarkShown(d.path.Abs, d.original)
	}
	return found.Block, true
}

// Look finds what a mention means now, in about limit bytes. The error says in a sentence why nothing is attached.
// Nothing counts as read by it.
func (s *Mentioned) Look(ctx context.Context, m Mention, limit int) (Found, error) {
	switch m.Kind {
	case DiffMention:
		return s.changes(ctx, limit)
	case SymbolMention:
		return s.symbol(ctx, m.Name, limit)
	case SelectionMention:
		return s.selected(limit)
	case DiagnosticsMention:
		return s.diagnostics(ctx, limit)
	case PageMention:
		if !s.pages {
			return Found{}, ErrNoPages
		}
		return Found{}, nil
	case ResourceMention:
		if s.IsResource(ctx, m) {
			return Found{}, nil
		}
	case PathMention:
	}
	p, err := s.find(ctx, &m)
	switch {
	case err != nil:
		return Found{}, err
	case p.Dir && m.Ranged:
		return Found{Path: p}, fmt.Errorf("%q is a folder: it has no lines", p.Rel)
	case p.Dir:
		return s.folder(ctx, p, limit)
	case m.Ranged:
		return s.lines(ctx, p, m, limit)
	}
	return s.file(ctx, p, limit)
}

// IsResource reports whether a mention is of a resource of a server that there is. What it holds is not known before
// the message is sent.
func (s *Mentioned) IsResource(ctx context.Context, m Mention) bool {
	return m.Kind == ResourceMention && s.servers != nil && slices.Contains(s.servers.Names(ctx), m.Server)
}

// Preview is Look for a person: it tells what the first mention of a turn would attach.
func (s *Mentioned) Preview(ctx context.Context, m Mention) (Found, error) {
	brief := *s
	brief.brief = true
	return brief.Look(ctx, m, maxTurn)
}

// Place finds where the file or folder of a mention is, without looking into it; line is from 1, or 0.
func (s *Mentioned) Place(ctx context.Context, m Mention) (path workspace.Path, line int, ok bool) {
	switch m.Kind {
	case SelectionMention:
		found, err := s.selected(maxTurn)
		return found.Path, found.Line, err == nil
	case DiffMention, DiagnosticsMention, SymbolMention, PageMention, ResourceMention:
		// they take a search, or are no file
		return workspace.Path{}, 0, false
	case PathMention:
	}
	p, err := s.find(ctx, &m)
	return p, m.First, err == nil
}

// File finds a file of the workspace by its path. One that is protected, denied or outside is none.
func (s *Mentioned) File(path string) (workspace.Path, error) {
	p, err := s.workspace.Resolve(path)
	switch {
	case err != nil:
		return p, err
	case !p.Exists || p.Protected != "":
		return p, ErrNoMention
	}
	return p, nil
}

// find finds the file or folder that a mention names; where a file's own name ends as a mention with lines does, that
// is meant.
func (s *Mentioned) find(ctx context.Context, m *Mention) (workspace.Path, error) {
	if m.Kind == ResourceMention && strings.Contains(m.Text, "://") {
		return workspace.Path{}, fmt.Errorf(
			"there is no MCP server %q: `assent mcp list` names those that there are", m.Server,
		)
	}
	if m.Kind == ResourceMention {
		m.Name = strings.Trim(m.Text, `"`)
	}
	if strings.Contains(m.Text, "://") {
		return workspace.Path{}, fmt.Errorf(
			"%q is an address that is not fetched: only pages at https:// and http:// are", m.Text,
		)
	}
	p, err := s.workspace.Resolve(m.Text)
	if err != nil || !p.Exists || p.Rel == "." && m.Plain {
		p, err = s.workspace.Resolve(m.Name)
	} else {
		m.Ranged = false
	}
	switch {
	case errors.Is(err, workspace.ErrDenied):
		return p, err
	case err == nil && p.Protected != "":
		return p, errors.New(p.Protected)
	case err == nil && p.Exists:
		return p, nil
	}
	if found, ok := s.workspace.Named(ctx, m.Name); ok {
		return found, nil
	}
	switch {
	case m.Plain:
		return p, ErrNoMention
	case err != nil:
		return p, err
	case s.brief:
		return p, fmt.Errorf("there is no file or folder %q", m.Name)
	}
	return p, s.workspace.Missing(ctx, m.Name)
}

// sentence is an error as a sentence.
func sentence(err error) string {
	text := strings.TrimRight(visible.Line(err.Error()), ".") + "."
	return strings.ToUpper(text[:1]) + text[1:]
}
