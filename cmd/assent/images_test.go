package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assent-ls/assent/internal/content"
)

// TestImagesOverTheWire sends the image that a turn links, the one that it names and the one that a tool read to a
// model that sees, and nothing of them to one that does not. The document and the events link the files.
func TestImagesOverTheWire(t *testing.T) {
	var chart, photo bytes.Buffer
	if err := png.Encode(&chart, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&photo, image.NewGray(image.Rect(0, 0, 8, 8)), nil); err != nil {
		t.Fatal(err)
	}
	name := func(data []byte) string {
		seen, err := content.NewImage(data)
		if err != nil {
			t.Fatal(err)
		}
		return seen.Name()
	}
	hash := func(data []byte) string { return fmt.Sprintf("image: %x", sha256.Sum256(data)) }
	const question = "## You\n\nCompare ![the chart](my%20chart.png) with photo.jpeg.\n"
	for _, test := range []struct {
		capabilities, first, second, mark string
		parts                             []any
	}{
		{
			"completion,tools,vision", "expect-last: " + hash(chart.Bytes()) + "\nexpect-last: " + hash(photo.Bytes()), "expect: " + hash(chart.Bytes()) + "\nexpect-last: " + hash(photo.Bytes()), "",
			[]any{map[string]any{"type": "image", "mediaType": "image/jpeg", "width": 8.0, "height": 8.0, "path": "ask.images/" + name(photo.Bytes())}},
		},
		{
			"completion,tools", "expect-not: image: \nexpect-last: [It was not sent to m:1b, which cannot see images.]", "expect: [You cannot see the image my chart.png.]\nexpect-last: [It was not sent to m:1b, which cannot see images.]\nexpect-not: image: ", " not-sent",
			[]any{
				map[string]any{"type": "image", "mediaType": "image/jpeg", "width": 8.0, "height": 8.0, "path": "ask.images/" + name(photo.Bytes())},
				map[string]any{"type": "text", "text": "[It was not sent to m:1b, which cannot see images.]"},
			},
		},
	} {
		s := newUser(t, "model m:1b capabilities="+test.capabilities+"\nturn\n"+test.first+"\ncall read_file {\"path\":\"photo.jpeg\"}\nturn\n"+test.second+"\nsay: Alike.\n")
		path := s.file("ask.chat.md", question)
		s.file("my chart.png", chart.String())
		s.file("photo.jpeg", photo.String())
		out, notes, status := s.run("send", "--json", "--tool-format", "native", "--folder", s.root, path)
		if status != 0 {
			t.Fatalf("status %d: %s\n%s", status, notes, out)
		}
		var parts, named []any
		for line := range strings.Lines(out) {
			var event map[string]any
			if err := json.Unmarshal([]byte(line), &event); err != nil {
				t.Fatal(err)
			}
			if event["name"] == "file photo.jpeg" {
				named, _ = event["parts"].([]any)
			}
			if event["event"] == "result" {
				parts, _ = event["parts"].([]any)
				if text, _ := event["text"].(string); !strings.HasPrefix(text, "[Image: JPG, 8×8 pixels, ") {
					t.Errorf("the plain text is %q", text)
				}
			}
		}
		if diff := cmp.Diff(test.parts, parts); diff != "" {
			t.Error(diff)
		}
		want := slices.Concat([]any{map[string]any{"type": "text", "text": "This is not a text file but an image:"}}, test.parts)
		want[1] = map[string]any{"type": "image", "mediaType": "image/jpeg", "width": 8.0, "height": 8.0, "path": "photo.jpeg"}
		if diff := cmp.Diff(want, named); diff != "" {
			t.Error(diff)
		}
		if link := "![context file photo.jpeg" + test.mark + "](photo.jpeg)\n"; !strings.Contains(s.text("ask.chat.md"), link) {
			t.Errorf("the chat has no %q:\n%s", link, s.text("ask.chat.md"))
		}
		link := "![result c1" + test.mark + "](ask.images/" + name(photo.Bytes()) + ")\n"
		if text := s.text("ask.chat.md"); !strings.Contains(text, link) || s.text("ask.images/"+name(photo.Bytes())) != photo.String() {
			t.Errorf("the chat has no %q:\n%s", link, text)
		}
		if said := strings.Contains(out, `"name":"images"`); said != (test.mark != "") {
			t.Errorf("the user is told: %v", said)
		}
	}
}
