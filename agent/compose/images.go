package compose

import (
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/content"
)

// Images lists the paths of the images that are to be sent with a document: those that the user's turns link, and those
// of contexts and results. Each is listed once.
func Images(chat *transcript.Chat) []string {
	var paths []string
	known := map[string]bool{}
	add := func(path string) {
		if !known[path] {
			known[path] = true
			paths = append(paths, path)
		}
	}
	for _, turn := range chat.Turns {
		for _, block := range turn.Blocks {
			switch b := block.(type) {
			case transcript.Text:
				if turn.Role == transcript.You {
					for _, link := range transcript.ImageLinks(b.Markdown) {
						add(link.Target)
					}
				}
			case transcript.Image:
				if !b.NotSent {
					add(b.Path)
				}
			}
		}
	}
	return paths
}

// see adds the image with this path to a turn, or returns what the model reads instead.
func (m Memory) see(turn *toolcall.Turn, path string) (instead string) {
	if m.Image == nil {
		return ""
	}
	image, instead := m.Image(path)
	if instead == "" && len(image.Data) > 0 {
		turn.Images = append(turn.Images, image.Sent())
	}
	return instead
}

// See adds the images of a result or a context block to its turn.
func See(turn toolcall.Turn, parts []content.Part) toolcall.Turn {
	for _, image := range content.Images(parts) {
		turn.Images = append(turn.Images, image.Sent())
	}
	return turn
}

// WithImages are the marks of a model that sees: the server takes these for places where an image goes.
func (m Marks) WithImages() Marks {
	m.Control = m.With("[img]", "[img-")
	return m
}
