package builtin_test

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"github.com/assent-ls/assent/internal/content"
	"github.com/assent-ls/assent/tools/toolstest"
)

// What a file holds decides whether it is an image: then the result is one, whatever the file's name.
func TestReadFileBringsImages(t *testing.T) {
	var dot bytes.Buffer
	if err := png.Encode(&dot, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	b := toolstest.NewBench(t, map[string]string{"a.png": dot.String(), "notes.txt": dot.String(), "b.png": "# no image\n", "c.png": "\x89PNG\x00"})
	for _, name := range []string{"a.png", "notes.txt"} {
		r := b.Do("read_file", toolstest.Args("path", name))
		if images := content.Images(r.Parts); r.Failed || len(images) != 1 || !bytes.Equal(images[0].Data, dot.Bytes()) {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for name, want := range map[string]string{"b.png": "# no image", "c.png": `"c.png" is not a text file (5 bytes).`} {
		if r := b.Do("read_file", toolstest.Args("path", name)); r.Text() != want || len(content.Images(r.Parts)) > 0 {
			t.Errorf("%s: %q", name, r.Text())
		}
	}
}
