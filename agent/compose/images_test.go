package compose_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/agent/compose"
	"github.com/assent-ls/assent/agent/toolcall"
	"github.com/assent-ls/assent/agent/toolcall/formats"
	"github.com/assent-ls/assent/agent/transcript"
	"github.com/assent-ls/assent/internal/content"
)

const seen = "## You\n\nSee ![](a.png).\n\n```context screen\nhere\n```\n\n![context screen](b.png)\n\n![context screen not-sent](x.png)\n\n" +
	"## Assistant\n\nI look. ![](x.png)\n\n```tool read_file c1\npath: c.png\n```\n\n```tool read_file c2\npath: d.png\n```\n\n" +
	"```result c1 stopped\n```\n\n![result c1](x.png)\n\n```result c1 ok\n```\n\n![result c1](c.png)\n\n```result c2 ok\nmore\n```\n\n![result c2](d.png)\n\n![result c2](e.png)\n"

func found(path string) (content.Image, string) {
	if path == "e.png" {
		return content.Image{}, "[No e.]"
	}
	return content.Image{Data: []byte(path)}, ""
}

// Whatever the format, every image of the user's turns and of results reaches the model, in the document's order.
// Without images nothing is different, and a link is only text.
func TestImagesInEveryFormat(t *testing.T) {
	chat := transcript.Parse(seen)
	if diff := cmp.Diff([]string{"a.png", "b.png", "x.png", "c.png", "d.png", "e.png"}, compose.Images(chat)); diff != "" {
		t.Error(diff)
	}
	for _, format := range formats.Names() {
		c := newConversation(t, format)
		c.Turns = compose.Turns(chat, compose.Memory{Image: found})
		want := []string{"a.png", "b.png", "c.png", "d.png"}
		for range 2 { // composing again gives the same
			var got []string
			for _, m := range compose.Request(c, toolcall.Hints{}).Messages {
				for _, image := range m.Images {
					got = append(got, string(image))
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", format, diff)
			}
		}
		if last := c.Turns[len(c.Turns)-1].Text; last != "more\n[No e.]" {
			t.Errorf("%s: the last result is %q", format, last)
		}
		bare := c
		bare.Turns = compose.Turns(chat, compose.Memory{})
		for i, turn := range bare.Turns {
			if turn.Images != nil || i == 0 && turn.Asked != "See ![](a.png)." {
				t.Errorf("%s: turn %d without images: %+v", format, i, turn)
			}
		}
	}
}
