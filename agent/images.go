package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assent-ls/assent/agent/event"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/prompts"
)

// imagesBlock is the name of the context block that says which images are not sent. It is not sent itself.
const imagesBlock = "images"

const maxUnsent = 20 // lines about images that are not sent

var errNoFolder = errors.New("there is no folder to keep it in")

// sayUnsent writes into the document, and not to the model, which images are not sent and why: each once a chat.
func (c *attacher) sayUnsent() {
	said := map[string]bool{}
	for b := range transcript.Contexts(c.job.Document.Turns...) {
		for line := range strings.Lines(b.Text) {
			said[strings.TrimSpace(line)] = b.Name == imagesBlock || said[strings.TrimSpace(line)]
		}
	}
	var fresh []string
	for _, line := range c.lookup.Unsent {
		if !said[line] {
			fresh = append(fresh, line)
		}
	}
	if more := len(fresh) - maxUnsent; more > 0 {
		fresh = append(fresh[:maxUnsent], fmt.Sprintf("%d more images are not sent.", more))
	}
	if len(fresh) > 0 {
		c.note(imagesBlock, "Not sent:\n"+strings.Join(fresh, "\n"))
	}
}

// keepImages puts the images of a result into files, so that the document can show them. It does so after Stop, too:
// the call has run. What cannot be kept is not sent either.
func (c *attacher) keepImages(ctx context.Context, ended *event.CallEnded) {
	var parts []content.Part
	for _, part := range ended.Result.Parts {
		image, ok := part.(content.Image)
		if !ok {
			parts = append(parts, part)
			continue
		}
		image, err := image.Fitted()
		switch {
		case err != nil:
			err = fmt.Errorf("the image %w", err)
		case c.job.Images == nil:
			err = errNoFolder
		default:
			image.Path, err = c.job.Images.Keep(context.WithoutCancel(ctx), image)
		}
		if err != nil {
			parts = append(parts, content.Text(prompts.NoImage(visible.Line(err.Error()))))
			continue
		}
		parts = append(parts, image)
		if ended.Unseen = !c.Model.Can(image.Needs()); ended.Unseen {
			parts = append(parts, content.Text(prompts.NotSeen(c.Model.Name, image.Sound())))
		}
	}
	ended.Result.Parts = parts
}
