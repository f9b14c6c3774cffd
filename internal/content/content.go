// Package content says what a tool's result, a context block or a user's turn consists of: a list of parts. It does no
// I/O.
package content

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Part is one piece of content: Text, Image, Audio, Link, Resource or Value.
type Part interface {
	// String is the part's plain-text form: what a document shows of it, and what a model reads that gets nothing else
	// of it.
	String() string
}

// Text is plain text or Markdown.
type Text string

// Audio is a sound. It is not sent to models: they read that there is one.
type Audio struct {
	Type string // media type, "audio/wav"
	Data []byte
}

// Link points to a resource that the receiver may ask for.
type Link struct {
	URI  string
	Name string // empty: the URI says it
	Type string // media type; empty: unknown
}

// Resource is a resource itself: Text if it is text, else Data.
type Resource struct {
	Link

	Text string
	Data []byte
}

// Value is a structured value: JSON, valid.
type Value struct{ JSON json.RawMessage }

// Texts is content of one text; of none if it is empty.
func Texts(text string) []Part {
	if text == "" {
		return nil
	}
	return []Part{Text(text)}
}

// Plain is the plain-text form of content: that of its parts, each from a new line on.
func Plain(parts []Part) string {
	var all strings.Builder
	for i, p := range parts {
		text := p.String()
		if all.WriteString(text); i < len(parts)-1 && !strings.HasSuffix(text, "\n") {
			all.WriteByte('\n')
		}
	}
	return all.String()
}

// Images are the images of content, in its order.
func Images(parts []Part) []Image {
	var images []Image
	for _, p := range parts {
		if image, ok := p.(Image); ok {
			images = append(images, image)
		}
	}
	return images
}

// String implements Part.
func (t Text) String() string { return string(t) }

// String implements Part.
func (a Audio) String() string { return fmt.Sprintf("[Audio: %s, %s]", a.Type, size(len(a.Data))) }

// String implements Part.
func (l Link) String() string {
	if l.Name == "" {
		return l.URI
	}
	return l.Name + ": " + l.URI
}

// String implements Part.
func (r Resource) String() string {
	if r.Text == "" && len(r.Data) > 0 {
		return fmt.Sprintf("[%s, %s]", r.Link, size(len(r.Data)))
	}
	return r.Link.String() + "\n" + r.Text
}

// String implements Part.
func (v Value) String() string { return string(v.JSON) }

// size is a number of bytes for people.
func size(bytes int) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(bytes)/(1<<20))
	case bytes >= 1<<10:
		return fmt.Sprintf("%d kB", bytes>>10)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// Cut cuts the long text among some parts at the end of a line, so that all have about limit bytes with rest, which
// takes the place of what is cut. What fences it stays.
func Cut(parts []Part, limit int, rest string) []Part {
	over := len(Plain(parts)) - limit
	out := make([]Part, len(parts))
	for i, part := range parts {
		out[i] = part
		if text, ok := part.(Text); ok && over > 0 && len(text) > over+len(rest) {
			head := string(text[:len(text)-over-len(rest)])
			head = head[:max(strings.LastIndexByte(head, '\n'), 0)]
			out[i], over = Text(head+rest), 0
		}
	}
	return out
}
