// Package images reads the images that a chat links, as far as its model is to see them.
package images

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"regexp"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/model"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/prompts"
)

const (
	MaxBytes     = 64 << 20 // bytes of the images in one request
	maxImageName = 100      // characters of a path, for models and people
)

// Files are the files of the images of one chat.
type Files interface {
	// Load reads an image by its path: slash-separated, relative to the folder of the chat. The error is a sentence.
	Load(ctx context.Context, path string) (content.Image, error)
	// Keep writes an image into a file and returns its path. It overwrites nothing; after an error there is no file.
	Keep(ctx context.Context, image content.Image) (path string, err error)
}

// Lookup is what a run knows of the images that its document links, by their paths.
type Lookup struct {
	Images  map[string]content.Image
	Instead map[string]string // what the model reads instead
	Unsent  []string          // for the user: a line for each image that is not sent
}

// address begins an address: nothing is fetched from one. A single letter is a drive.
var address = regexp.MustCompile(`^(//|[A-Za-z][A-Za-z0-9+.-]+:)`)

// Load reads the images that a document links and that a model is to see. Without files (nil) it reads none.
func Load(ctx context.Context, document *transcript.Chat, files Files, info model.Info) (Lookup, error) {
	l := Lookup{Images: map[string]content.Image{}, Instead: map[string]string{}}
	if files == nil {
		return l, nil
	}
	total := 0
	for _, path := range compose.Images(document) {
		name := visible.Shorten(visible.Line(path), maxImageName)
		switch {
		case address.MatchString(path):
			l.Unsent = append(
				l.Unsent,
				name+": it is an address, and nothing is fetched. Save the image beside the chat and link the file.",
			)
		case !info.Can(content.Named(path).Needs()):
			l.cannot(path, name, content.Named(path), info)
		default:
			image, err := files.Load(ctx, path)
			if ctx.Err() != nil {
				return l, ctx.Err()
			}
			if err == nil && !info.Can(image.Needs()) { // it is not what its name says
				l.cannot(path, name, image, info)
				continue
			}
			if err != nil {
				why := visible.Line(err.Error())
				l.Instead[path] = prompts.NoImage(why)
				l.Unsent = append(l.Unsent, name+": "+why)
				continue
			}
			l.Images[path] = image
			if total += len(image.Sent()); total > MaxBytes { // before any more of them fill the memory
				return l, &model.Error{Kind: model.Refused, Sentence: fmt.Sprintf(
					"The images of this chat have more than %d MB together, which cannot be sent. "+
						"Take some of them out, or write not-sent into their brackets.",
					MaxBytes>>20)}
			}
		}
	}
	return l, nil
}

// cannot puts a sentence in the place of an image or a sound that the model has no sense for.
func (l *Lookup) cannot(path, name string, image content.Image, info model.Info) {
	l.Instead[path] = prompts.Unseen(name, image.Sound())
	l.Unsent = append(l.Unsent, fmt.Sprintf("%s: %s %s.", name, info.Name, prompts.Lacks(image.Sound())))
}

// Find is compose.Memory.Image.
func (l Lookup) Find(path string) (image content.Image, instead string) {
	return l.Images[path], l.Instead[path]
}

// Size is how many bytes the images have together.
func (l Lookup) Size() int {
	total := 0
	for _, image := range l.Images {
		total += len(image.Sent())
	}
	return total
}

// Shows reports whether the document links an image already, perhaps by another path, or the model reads why it does
// not see it.
func (l Lookup) Shows(image content.Image) bool {
	for at := range l.Instead {
		if path.Clean(at) == path.Clean(image.Path) {
			return true
		}
	}
	for _, other := range l.Images {
		if bytes.Equal(other.Data, image.Data) {
			return true
		}
	}
	return false
}
