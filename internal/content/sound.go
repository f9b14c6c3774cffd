package content

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// sounds are the formats of sounds that model servers take, by the ends of names.
var sounds = []string{"wav", "mp3"}

// Sound reports whether it is a sound, for models that hear.
func (i Image) Sound() bool { return slices.Contains(sounds, i.extension) }

// Named is what a file seems to be by its name alone, an image or a sound, where its bytes are not read.
func Named(name string) Image {
	return Image{Path: name, extension: strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))}
}

// Needs is the capability that a model needs for it.
func (i Image) Needs() string {
	if i.Sound() {
		return "audio"
	}
	return "vision"
}

func isWAV(data []byte) bool {
	const head = 44 // of the smallest form
	return len(data) > head && bytes.HasPrefix(data, []byte("RIFF")) && bytes.Equal(data[8:12], []byte("WAVE"))
}

// isMP3 reports whether data begins with a tag or a frame of MPEG audio, layer III.
func isMP3(data []byte) bool {
	if bytes.HasPrefix(data, []byte("ID3")) {
		return len(data) > 10 && data[3] >= 2 && data[3] <= 4 // the version of the tag, which no text has there
	}
	if len(data) < 4 || data[0] != 0xff || data[1]&0xe0 != 0xe0 {
		return false
	}
	version, layer, rate, sampling := data[1]>>3&3, data[1]>>1&3, data[2]>>4, data[2]>>2&3
	return version != 1 && layer == 1 && rate != 15 && rate != 0 && sampling != 3
}
