package attach

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/internal/content"
)

// Selection is what a person chose in an editor, as it was then.
type Selection struct {
	Path        string // absolute
	First, Last int    // lines, from 1
	Text        string
}

// changes is what changed since the last commit.
func (s *Mentioned) changes(ctx context.Context, limit int) (Found, error) {
	text, err := s.diff(ctx, limit)
	if text == "" {
		text = "Nothing changed since the last commit."
	}
	return Found{Block: Block{"diff", content.Texts(text)}}, err
}

// diagnostics is what the editor's language servers say, whole lines of it.
func (s *Mentioned) diagnostics(ctx context.Context, limit int) (Found, error) {
	if s.problems == nil {
		return Found{}, errors.New(
			"nobody says here what language servers report: that takes an editor with Assent's own extension",
		)
	}
	text, err := s.problems(ctx)
	found := Found{}
	if len(text) > limit {
		head := text[:max(0, limit)]
		head = head[:strings.LastIndexByte(head, '\n')+1]
		left := count(strings.Count(text[len(head):], "\n")+1, "line")
		text = head + "[" + left + " more are not shown here]"
		found.Note = "This is too much for one message: " + left + " of it are not attached."
	}
	found.Block = Block{"diagnostics", content.Texts(text)}
	return found, err
}

// selected is what was chosen in an editor.
func (s *Mentioned) selected(limit int) (Found, error) {
	if s.selection == nil || s.selection() == nil {
		return Found{}, errors.New(
			"there is no selection: choose lines of a file in the editor, " +
				"and there the code action Take these lines as @selection",
		)
	}
	chosen := s.selection()
	p, err := s.workspace.Resolve(chosen.Path)
	switch {
	case err != nil:
		return Found{}, err
	case p.Protected != "":
		return Found{Path: p}, errors.New(p.Protected)
	case len(chosen.Text) > limit:
		return Found{Path: p}, fmt.Errorf(
			"the selection has %d bytes, which are too much for one message: choose fewer lines", len(chosen.Text),
		)
	}
	name := fmt.Sprintf("selection: lines %d-%d of %s", chosen.First, chosen.Last, p.Rel)
	return Found{Block: Block{name, content.Texts(chosen.Text)}, Path: p, Line: chosen.First, lines: chosen.Text}, nil
}
