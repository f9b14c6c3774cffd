package attach

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools/workspace"
)

const maxListed = 200 // lines of a folder

// file is all of a file, or its beginning.
func (s *Mentioned) file(ctx context.Context, p workspace.Path, limit int) (Found, error) {
	file, err := s.workspace.Read(ctx, p)
	if err != nil {
		return Found{Path: p}, err
	}
	block, whole := s.block(p, file, limit)
	found := Found{Block: block, Path: p}
	_, found.Known = s.reads.Knows(p.Abs, file.Text)
	switch {
	case len(content.Images(block.Parts)) > 0:
		found.Known = false // the run knows which images the chat shows
	case file.Binary:
		if _, err := content.NewImage(file.Data); !errors.Is(err, content.ErrKind) { // an image that is not sent
			return found, fmt.Errorf("%q %w", p.Rel, err)
		}
		return found, fmt.Errorf("%q is not a text file (%d bytes)", p.Rel, file.Size)
	case whole:
		found.whole, found.text = true, file.Text
	case !found.Known:
		found.Note = fmt.Sprintf("%s has %d lines, which are too much for one message: its beginning is attached. "+
			"%s names the lines that are wanted.",
			p.Rel, strings.Count(file.Text, "\n")+1, example(p.Rel))
	}
	return found, nil
}

// example is a mention of some lines of a file.
func example(rel string) string {
	if strings.ContainsAny(rel, " \t") {
		return `@"` + rel + `":10-40`
	}
	return "@" + rel + ":10-40"
}

// lines are some lines of a file.
func (s files) lines(ctx context.Context, p workspace.Path, m Mention, limit int) (Found, error) {
	file, err := s.workspace.Read(ctx, p)
	found := Found{Path: p, Line: m.First}
	all := strings.Split(strings.TrimSuffix(strings.ReplaceAll(file.Text, "\r\n", "\n"), "\n"), "\n")
	switch {
	case err != nil:
		return found, err
	case file.Binary:
		return found, fmt.Errorf("%q is not a text file (%d bytes), so it has no lines", p.Rel, file.Size)
	case m.First < 1:
		return found, errors.New("lines count from 1")
	case m.Last < m.First:
		return found, fmt.Errorf("the lines %d-%d end before they begin", m.First, m.Last)
	case m.First > len(all):
		return found, fmt.Errorf("%q has only %s", p.Rel, count(len(all), "line"))
	}
	if m.Last > len(all) {
		found.Note, m.Last = fmt.Sprintf("%s has only %s.", p.Rel, count(len(all), "line")), len(all)
	}
	text, last := "", m.First-1
	for ; last < m.Last && len(text)+len(all[last]) < limit; last++ {
		text += all[last] + "\n"
	}
	found.lines = strings.Join(strings.SplitAfter(file.Text, "\n")[m.First-1:last], "")
	if last < m.Last {
		text += fmt.Sprintf("[lines %d to %d are not shown here: "+allOfIt, last+1, m.Last)
		found.Note = fmt.Sprintf("These lines are too much for one message: those from %d on are not attached.", last+1)
	}
	name := fmt.Sprintf("lines %d-%d of %s", m.First, m.Last, p.Rel)
	if m.First == m.Last {
		name = fmt.Sprintf("line %d of %s", m.First, p.Rel)
	}
	found.Block = Block{name, content.Texts(text)}
	return found, nil
}

// Lines are the lines of a file that a mention names, in at most limit bytes: as a block, and as they are in the
// file.
func Lines(
	ctx context.Context, ws *workspace.Workspace, p workspace.Path, m Mention, limit int,
) (block Block, lines string, err error) {
	found, err := files{workspace: ws}.lines(ctx, p, m, limit)
	return found.Block, found.lines, err
}

// folder lists the files of a folder and those below it.
func (s *Mentioned) folder(ctx context.Context, p workspace.Path, limit int) (Found, error) {
	var text strings.Builder
	listed, left := 0, 0
	err := s.workspace.Walk(ctx, p, func(at workspace.Path) error {
		switch {
		case at.Dir || at.Protected != "":
		case listed == maxListed || text.Len()+len(at.Rel) > limit:
			left++
		default:
			listed++
			text.WriteString(at.Rel + "\n")
		}
		return nil
	})
	found := Found{Path: p, Block: Block{Name: "folder " + strings.TrimSuffix(p.Rel, "/") + "/"}}
	switch {
	case errors.Is(err, workspace.ErrTooMany):
		text.WriteString("… and more files")
	case err != nil:
		return found, err
	case listed+left == 0:
		text.WriteString("No file is listed: the folder is empty, or what is in it is ignored.")
	case left > 0:
		fmt.Fprintf(&text, "… %s", count(left, "more file"))
		found.Note = fmt.Sprintf("%s/ holds %s: %d of them are listed.", p.Rel, count(listed+left, "file"), listed)
	}
	found.Block.Parts = content.Texts(text.String())
	return found, nil
}

// count is a number of things, in words.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
