package attach

import (
	"context"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools/workspace"
)

const outlineLines = 40

// OutlineBlock is the name of the block of an outline.
const OutlineBlock = "outline"

// ToolsBlock is the name of the block that describes tools which a message asks for, and no core has.
const ToolsBlock = "tools"

// Outline is the source of an outline of the workspace, which is attached to the first turn. It takes no mention but
// the empty one.
func Outline(ws *workspace.Workspace) Source { return outline{ws} }

type outline struct{ workspace *workspace.Workspace }

// Name implements Source.
func (outline) Name() string { return OutlineBlock }

// Mentions implements Source.
func (outline) Mentions(_ context.Context, message Message) []string {
	if message.First && !message.Talk {
		return []string{""}
	}
	return nil
}

// Resolve implements Source.
func (o outline) Resolve(ctx context.Context, mention string, _ int) (Block, bool) {
	text := "The workspace is empty."
	if files := o.workspace.Outline(ctx, outlineLines); files != "" {
		text = "The files of the workspace:\n" + files
	}
	return Block{o.Name(), content.Texts(text)}, mention == ""
}
