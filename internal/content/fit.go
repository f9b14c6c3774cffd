package content

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
)

// MaxSide is how many pixels the longer side of an image has at most when it is sent: about what models see, and what a
// small context has room for.
const MaxSide = 1280

// jpegQuality is that of photos that were made smaller.
const jpegQuality = 85

// Fitted is the image with what is sent of it: itself, or a smaller one in the same format if a side is longer than
// MaxSide. Equal images give equal bytes. The error is the rest of a sentence that begins with the image's name.
func (i Image) Fitted() (Image, error) {
	longest := max(i.Width, i.Height)
	if longest <= MaxSide {
		return i, nil
	}
	source, _, err := image.Decode(bytes.NewReader(i.Data))
	if err != nil {
		return i, errors.New("is broken: it begins like an image and cannot be read")
	}
	side := func(n int) int { return max(1, (n*MaxSide+longest/2)/longest) }
	small := image.NewRGBA(image.Rect(0, 0, side(i.Width), side(i.Height)))
	draw.BiLinear.Scale(small, small.Bounds(), source, source.Bounds(), draw.Src, nil)
	var out bytes.Buffer
	if i.extension == "jpg" {
		err = jpeg.Encode(&out, small, &jpeg.Options{Quality: jpegQuality})
	} else {
		err = png.Encode(&out, small)
	}
	i.smaller = out.Bytes()
	return i, err
}

// Sent is what models get of the image.
func (i Image) Sent() []byte {
	if i.smaller != nil {
		return i.smaller
	}
	return i.Data
}
