package content

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
)

// The limits of an image. What models see is far smaller.
const (
	MaxImage  = 10 << 20   // bytes
	MaxPixels = 50_000_000 // width times height: decoding needs four bytes for each
)

// Image is a PNG or JPEG, as its bytes say and not its name. It may also be a sound (see Sound): model servers take
// sounds in the same list, and a chat links them in the same way.
type Image struct {
	Data          []byte
	Width, Height int
	// Path is where it is kept: slash-separated, relative to the folder of the chat. Empty: nowhere.
	Path string

	extension string
	smaller   []byte // what is sent instead of Data; nil: that
}

// NewImage takes data for an image. The error is the rest of a sentence that begins with the image's name: "is empty".
// It looks at the beginning and the end of the data and decodes no pixels.
func NewImage(data []byte) (Image, error) {
	switch {
	case len(data) == 0:
		return Image{}, errors.New("is empty")
	case len(data) > MaxImage:
		return Image{}, fmt.Errorf("has %s: files of up to %s are sent", size(len(data)), size(MaxImage))
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		config, err := png.DecodeConfig(bytes.NewReader(data))
		return newImage(data, "png", config, err, bytes.Contains(data, []byte("IEND\xaeB`\x82")))
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		config, err := jpeg.DecodeConfig(bytes.NewReader(data))
		// A small preview in the head has an end, too: that of the image is behind its last scan.
		return newImage(
			data, "jpg", config, err,
			bytes.LastIndex(data, []byte("\xff\xd9")) > bytes.LastIndex(data, []byte("\xff\xda")),
		)
	case isWAV(data):
		return Image{Data: data, extension: "wav"}, nil
	case isMP3(data):
		return Image{Data: data, extension: "mp3"}, nil
	}
	return Image{}, ErrKind
}

// ErrKind says about data that it does not begin like an image or a sound that is sent.
var ErrKind = errors.New("is no PNG, JPEG, WAV or MP3: other files are not sent as images or sounds")

func newImage(data []byte, extension string, config image.Config, broken error, ends bool) (Image, error) {
	switch {
	case broken != nil:
		return Image{}, errors.New("is broken: it begins like an image and cannot be read")
	case config.Width < 1 || config.Height < 1:
		return Image{}, errors.New("has no pixels")
	case int64(config.Width) > MaxPixels/int64(config.Height):
		return Image{}, fmt.Errorf(
			"has %d×%d pixels: images of up to %d million are sent", config.Width, config.Height, MaxPixels/1_000_000,
		)
	case !ends:
		return Image{}, errors.New("is cut off: its end is missing")
	}
	return Image{Data: data, Width: config.Width, Height: config.Height, extension: extension}, nil
}

// Type is the media type.
func (i Image) Type() string {
	return map[string]string{
		"jpg": "image/jpeg", "png": "image/png", "wav": "audio/wav", "mp3": "audio/mpeg",
	}[i.extension]
}

// Name is a file name for the image: equal images have equal names, and others do not.
func (i Image) Name() string {
	sum := sha256.Sum256(i.Data)
	return fmt.Sprintf("%x.%s", sum[:16], i.extension)
}

// String implements Part.
func (i Image) String() string {
	if i.Sound() {
		return fmt.Sprintf("[Sound: %s, %s]", strings.ToUpper(i.extension), size(len(i.Data)))
	}
	return fmt.Sprintf(
		"[Image: %s, %d×%d pixels, %s]", strings.ToUpper(i.extension), i.Width, i.Height, size(len(i.Data)),
	)
}
