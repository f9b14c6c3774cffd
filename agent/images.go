package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/prompts"
)

// imagesBlock is the name of the context block that says which images are not sent. It is not sent itself.
const imagesBlock = "images"

const (
	maxImages    = 64 << 20 // bytes of the images in one request
	maxImageName = 100      // characters of a path, for models and people
	maxUnsent    = 20       // lines about images that are not sent
)

var errNoFolder = errors.New("there is no folder to keep it in")

// Images are the files of the images of one chat.
type Images interface {
	// Load reads an image by its path: slash-separated, relative to the folder of the chat. The error is a sentence.
	Load(ctx context.Context, path string) (content.Image, error)
	// Keep writes an image into a file and returns its path. It overwrites nothing; after an error there is no file.
	Keep(ctx context.Context, image content.Image) (path string, err error)
}

// lookup is what a run knows of the images that its document links, by their paths.
type lookup struct {
	images  map[string]content.Image
	instead map[string]string // what the model reads instead
	unsent  []string          // for the user: a line for each image that is not sent
}

// address begins an address: nothing is fetched from one. A single letter is a drive.
var address = regexp.MustCompile(`^(//|[A-Za-z][A-Za-z0-9+.-]+:)`)

// loadImages reads the images of a job's document that its model is to see.
func loadImages(ctx context.Context, job Job, info model.Info) (lookup, error) {
	l := lookup{images: map[string]content.Image{}, instead: map[string]string{}}
	if job.Images == nil {
		return l, nil
	}
	total := 0
	for _, path := range compose.Images(job.Document) {
		name := visible.Shorten(visible.Line(path), maxImageName)
		switch {
		case address.MatchString(path):
			l.unsent = append(l.unsent, name+": it is an address, and nothing is fetched. Save the image beside the chat and link the file.")
		case !info.Can(content.Named(path).Needs()):
			l.cannot(path, name, content.Named(path), info)
		default:
			image, err := job.Images.Load(ctx, path)
			if ctx.Err() != nil {
				return l, ctx.Err()
			}
			if err == nil && !info.Can(image.Needs()) { // it is not what its name says
				l.cannot(path, name, image, info)
				continue
			}
			if err != nil {
				why := visible.Line(err.Error())
				l.instead[path] = prompts.NoImage(why)
				l.unsent = append(l.unsent, name+": "+why)
				continue
			}
			l.images[path] = image
			if total += len(image.Sent()); total > maxImages { // before any more of them fill the memory
				return l, &model.Error{Kind: model.Refused, Sentence: fmt.Sprintf(
					"The images of this chat have more than %d MB together, which cannot be sent. Take some of them out, or write not-sent into their brackets.", maxImages>>20)}
			}
		}
	}
	return l, nil
}

// cannot puts a sentence in the place of an image or a sound that the model has no sense for.
func (l *lookup) cannot(path, name string, image content.Image, info model.Info) {
	l.instead[path] = prompts.Unseen(name, image.Sound())
	l.unsent = append(l.unsent, fmt.Sprintf("%s: %s %s.", name, info.Name, prompts.Lacks(image.Sound())))
}

// find is compose.Memory.Image.
func (l lookup) find(path string) (image content.Image, instead string) {
	return l.images[path], l.instead[path]
}

// size is how many bytes the images have together.
func (l lookup) size() int {
	total := 0
	for _, image := range l.images {
		total += len(image.Sent())
	}
	return total
}

// shows reports whether the document links an image already, perhaps by another path, or the model reads why it does
// not see it.
func (l lookup) shows(image content.Image) bool {
	for at := range l.instead {
		if path.Clean(at) == path.Clean(image.Path) {
			return true
		}
	}
	for _, other := range l.images {
		if bytes.Equal(other.Data, image.Data) {
			return true
		}
	}
	return false
}

// sayUnsent writes into the document, and not to the model, which images are not sent and why: each once a chat.
func (c *loop) sayUnsent() {
	said := map[string]bool{}
	hasBlock(c.job.Document, func(b transcript.Context) bool {
		for line := range strings.Lines(b.Text) {
			said[strings.TrimSpace(line)] = b.Name == imagesBlock || said[strings.TrimSpace(line)]
		}
		return false
	})
	var fresh []string
	for _, line := range c.lookup.unsent {
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
func (c *loop) keepImages(ctx context.Context, ended *CallEnded) {
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
