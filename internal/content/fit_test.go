package content_test

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/assent-ls/assent/internal/content"
)

// striped is an image whose left half is red.
func striped(width, height int) image.Image {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.RGBA{0, 0, 255, 255}
			if x < width/2 {
				c = color.RGBA{255, 0, 0, 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
	return m
}

// TestLargeImagesAreMadeSmaller: the longer side has 1280 pixels then, and what is seen stays the same; others stay as
// they are.
func TestLargeImagesAreMadeSmaller(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ width, height, toWidth, toHeight int }{
		{1280, 1280, 1280, 1280}, {7, 5, 7, 5}, {2560, 1000, 1280, 500}, {1000, 2560, 500, 1280}, {1281, 2, 1280, 2}, {20_000, 3, 1280, 1},
	} {
		for _, format := range []string{"image/png", "image/jpeg"} {
			var data bytes.Buffer
			err := png.Encode(&data, striped(tt.width, tt.height))
			if format == "image/jpeg" {
				data.Reset()
				err = jpeg.Encode(&data, striped(tt.width, tt.height), nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			whole, err := content.NewImage(data.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			fitted, err := whole.Fitted()
			if err != nil {
				t.Fatal(err)
			}
			small, err := content.NewImage(fitted.Sent())
			if err != nil || small.Type() != format || small.Width != tt.toWidth || small.Height != tt.toHeight || !bytes.Equal(fitted.Data, whole.Data) || fitted.Name() != whole.Name() {
				t.Errorf("%d×%d as %s becomes %v, %v", tt.width, tt.height, format, small, err)
			}
			if kept := bytes.Equal(fitted.Sent(), whole.Data); kept != (max(tt.width, tt.height) <= content.MaxSide) {
				t.Errorf("%d×%d: the same bytes: %v", tt.width, tt.height, kept)
			}
			if again, _ := whole.Fitted(); !bytes.Equal(again.Sent(), fitted.Sent()) {
				t.Errorf("%d×%d: other bytes the second time", tt.width, tt.height)
			}
			seen, _, err := image.Decode(bytes.NewReader(fitted.Sent()))
			if err != nil {
				t.Fatal(err)
			}
			red, _, _, _ := seen.At(tt.toWidth/8, 0).RGBA()
			_, _, blue, _ := seen.At(tt.toWidth-tt.toWidth/8-1, 0).RGBA()
			if red < 0xe000 || blue < 0xe000 {
				t.Errorf("%d×%d as %s: red %x, blue %x", tt.width, tt.height, format, red, blue)
			}
		}
	}
}

// TestBrokenPixels: what only begins and ends as an image has a sentence.
func TestBrokenPixels(t *testing.T) {
	t.Parallel()
	data := pngOf(t, 2000, 2000)
	data[len(data)/2] ^= 0xff
	broken, err := content.NewImage(data)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := broken.Fitted(); err == nil || err.Error() != "is broken: it begins like an image and cannot be read" {
		t.Errorf("%v", err)
	}
}

func BenchmarkFitted(b *testing.B) {
	var data bytes.Buffer
	if err := jpeg.Encode(&data, striped(4000, 3000), nil); err != nil {
		b.Fatal(err)
	}
	whole, err := content.NewImage(data.Bytes())
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := whole.Fitted(); err != nil {
			b.Fatal(err)
		}
	}
}
