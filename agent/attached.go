package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assent-ls/assent/agent/attach"
	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/guidance"
	"github.com/assent-ls/assent/agent/images"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/prompts"
	"github.com/assent-ls/assent/tools"
)

// attach sends the context of this turn: it is written into the document and stays as it is.
func (c *attacher) attach(ctx context.Context, more guidance.Attachments) {
	last := len(c.Turns) - 1
	if last < 0 || c.Turns[last].Role != model.RoleUser {
		return
	}
	message := attach.Message{
		Text: c.Turns[last].Asked, First: !hasContext(c.job.Document, c.job.Sources), Talk: more.Nothing,
		Bring: more.Files,
	}
	for _, block := range attach.Turn(ctx, c.job.Sources, message) {
		added, known := c.readImages(ctx, block)
		if ctx.Err() != nil {
			return
		}
		if !known && c.put(added) && !added.Unseen {
			c.Turns[last] = compose.See(c.Turns[last], added.Parts)
		}
	}
	c.attachPages(ctx, message.Text)
	c.attachResources(ctx, message.Text)
	c.attachTools(more)
}

// attachTools describes tools with the message.
func (c *attacher) attachTools(more guidance.Attachments) {
	text := tools.Describe(more.Tools)
	if text == "" {
		return
	}
	if more.Note != "" {
		text += "\n" + more.Note
	}
	if c.put(event.ContextAdded{Block: attach.Block{Name: attach.ToolsBlock, Parts: content.Texts(text)}}) {
		c.Tools = c.toolbox.After(c.Turns)
	}
}

// put attaches a block, unless the last turn has it: then the question is asked again.
func (c *attacher) put(added event.ContextAdded) (fresh bool) {
	if holds(c.job.Document, added.Name, added.Text()) {
		return false
	}
	c.emit(added)
	last := len(c.Turns) - 1
	c.Turns[last] = compose.WithContext(c.Turns[last], added.Block, c.Aside)
	return true
}

// holds reports whether the last turn has the very block that would be attached.
func holds(chat *transcript.Chat, name, text string) bool {
	return hasNamed(chat, name, func(had string) bool { return strings.TrimRight(had, "\n") == text })
}

// hasNamed reports whether the last turn has a block of this name with such a text.
func hasNamed(chat *transcript.Chat, name string, is func(text string) bool) bool {
	for b := range transcript.Contexts(chat.Turns[len(chat.Turns)-1]) {
		if b.Name == name && is(b.Text) {
			return true
		}
	}
	return false
}

// hasContext reports whether a source has attached something to this chat. What a person put into it, or is for people
// alone, does not count.
func hasContext(chat *transcript.Chat, sources []attach.Source) bool {
	for b := range transcript.Contexts(chat.Turns...) {
		if slices.ContainsFunc(sources, func(s attach.Source) bool {
			return b.Name == s.Name() || strings.HasPrefix(b.Name, s.Name()+" ")
		}) {
			return true
		}
	}
	return false
}

// readImages makes of a block what is sent: it reads the images as later runs do, from the files that the document
// links, and puts a sentence in the place of one that cannot be sent. known reports that the document shows all of its
// images already.
func (c *attacher) readImages(ctx context.Context, block attach.Block) (added event.ContextAdded, known bool) {
	added.Name = block.Name
	images := 0
	for _, part := range block.Parts {
		image, ok := part.(content.Image)
		if !ok {
			added.Parts = append(added.Parts, part)
			continue
		}
		if c.lookup.Shows(image) {
			continue
		}
		images++
		added.Parts = append(added.Parts, c.readImage(ctx, image)...)
	}
	added.Unseen = slices.ContainsFunc(
		content.Images(added.Parts), func(i content.Image) bool { return !c.Model.Can(i.Needs()) },
	)
	if n := len(added.Parts); n > 0 { // the document ends the last line by itself
		if text, ok := added.Parts[n-1].(content.Text); ok {
			added.Parts[n-1] = content.Text(strings.TrimRight(string(text), "\n"))
		}
	}
	return added, images == 0 && len(content.Images(block.Parts)) > 0
}

// readImage is an image of a block as it is sent, or what the model reads instead.
func (c *attacher) readImage(ctx context.Context, image content.Image) []content.Part {
	if c.job.Images == nil {
		return content.Texts(prompts.NoImage(visible.Line(errNoFolder.Error())))
	}
	image, err := c.job.Images.Load(ctx, image.Path)
	switch {
	case err != nil:
		return content.Texts(prompts.NoImage(visible.Line(err.Error())))
	case !c.Model.Can(image.Needs()):
		return []content.Part{image, content.Text(prompts.NotSeen(c.Model.Name, image.Sound()))}
	case c.lookup.Size()+len(image.Sent()) > images.MaxBytes:
		return content.Texts(prompts.NoImage(
			fmt.Sprintf("The images of this chat would have more than %d MB together.", images.MaxBytes>>20),
		))
	}
	c.lookup.Images[image.Path] = image
	return []content.Part{image}
}
