package content_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/assent-ls/assent/internal/content"
)

func pngOf(t *testing.T, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 3)), nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// claims is a small PNG whose head claims another size.
func claims(t *testing.T, width, height uint32) []byte {
	t.Helper()
	data := pngOf(t, 1, 1)
	binary.BigEndian.PutUint32(data[16:], width)
	binary.BigEndian.PutUint32(data[20:], height)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

func TestImages(t *testing.T) {
	t.Parallel()
	small := pngOf(t, 7, 5)
	seen, err := content.NewImage(small)
	if err != nil || seen.Width != 7 || seen.Height != 5 || seen.Type() != "image/png" || !strings.HasSuffix(seen.Name(), ".png") {
		t.Errorf("a PNG is %+v, %v", seen, err)
	}
	photo, err := content.NewImage(jpegOf(t))
	if err != nil || photo.Width != 4 || photo.Type() != "image/jpeg" || !strings.HasSuffix(photo.Name(), ".jpg") || photo.Name() == seen.Name() {
		t.Errorf("a JPEG is %+v, %v", photo, err)
	}
	if again, _ := content.NewImage(pngOf(t, 7, 5)); again.Name() != seen.Name() {
		t.Error("the same image has two names")
	}
}

// What is not a whole PNG or JPEG of a bearable size is refused with a sentence, whatever it is called.
// Promise 4.
func TestBadImages(t *testing.T) {
	t.Parallel()
	whole, photo := pngOf(t, 40, 40), jpegOf(t)
	preview := append([]byte("\xff\xd8\xff\xe1\x00\x20Exif\xff\xd8\xff\xda\xff\xd9"), make([]byte, 18)...) // a head with a preview in it
	for name, tt := range map[string]struct {
		data []byte
		want string
	}{
		"empty":          {nil, "is empty"},
		"a secret":       {[]byte("TOKEN=abc\n"), "is no PNG, JPEG, WAV or MP3"},
		"a program":      {[]byte("\x7fELF\x02\x01"), "is no PNG, JPEG, WAV or MP3"},
		"a GIF":          {[]byte("GIF89a\x01\x00\x01\x00"), "is no PNG, JPEG, WAV or MP3"},
		"SVG":            {[]byte("<svg onload='x()'/>"), "is no PNG, JPEG, WAV or MP3"},
		"a head alone":   {whole[:8], "is broken"},
		"a wrong sum":    {bytes.Replace(whole, []byte("IHDR"), []byte("IHDX"), 1), "is broken"},
		"cut off":        {whole[:len(whole)-5], "is cut off"},
		"a cut photo":    {photo[:len(photo)-2], "is cut off"},
		"a cut preview":  {append(preview, photo[2:len(photo)-2]...), "is cut off"},
		"no photo":       {[]byte("\xff\xd8\xff\xe0"), "is broken"},
		"a bomb":         {claims(t, 1_000_000, 1_000_000), "has 1000000×1000000 pixels: images of up to 50 million are sent"},
		"over all sizes": {claims(t, 1<<31-1, 1<<31-1), "is broken"},
		"too many bytes": {append(whole, make([]byte, content.MaxImage)...), "has 10.0 MB: files of up to 10.0 MB are sent"},
	} {
		if _, err := content.NewImage(tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
}

// A sound is what a model server takes for one, by its bytes; text that begins alike is none.
func TestSounds(t *testing.T) {
	t.Parallel()
	wav := "RIFF\x24\x08\x00\x00WAVEfmt \x10\x00\x00\x00" + strings.Repeat("\x00", 40)
	for data, want := range map[string]string{
		wav: "audio/wav", "ID3\x04\x00\x00\x00\x00\x00\x00\x00x": "audio/mpeg", "\xff\xfb\x90\x64\x00": "audio/mpeg", "\xff\xf3\x40\xc0x": "audio/mpeg",
		"ID3 is a kind of tag.": "", "\xff\xfeh\x00i\x00": "", "RIFF\x24\x08\x00\x00WEBPVP8 " + strings.Repeat("\x00", 40): "", "RIFF\x24\x08\x00\x00WAVE": "", "\xff\xfb\xf0\x00": "", "OggS\x00": "", "\xff\xf9\x50\x80": "",
	} {
		heard, err := content.NewImage([]byte(data))
		if (err == nil) != (want != "") || err == nil && (heard.Type() != want || !heard.Sound() || heard.Needs() != "audio" || string(heard.Sent()) != data) {
			t.Errorf("%.12q is %q, %v, %v", data, heard.Type(), heard.Sound(), err)
		}
		if fitted, err := heard.Fitted(); err != nil || len(fitted.Sent()) != len(heard.Sent()) {
			t.Errorf("%.12q is changed: %v", data, err)
		}
	}
	if one := content.Named("a/Talk.WAV"); !one.Sound() || content.Named("wav").Sound() || content.Named("a.png").Needs() != "vision" {
		t.Errorf("%+v", one)
	}
}

func TestPlain(t *testing.T) {
	t.Parallel()
	seen, err := content.NewImage(pngOf(t, 7, 5))
	if err != nil {
		t.Fatal(err)
	}
	got := content.Plain([]content.Part{
		content.Text("Two:\n"), seen,
		content.Audio{Type: "audio/wav", Data: make([]byte, 2048)},
		content.Link{URI: "file:///a.md", Name: "notes"},
		content.Link{URI: "https://x/y"},
		content.Resource{Link: content.Link{URI: "db://t"}, Text: "a row"},
		content.Resource{Link: content.Link{URI: "db://b"}, Data: make([]byte, 3<<20)},
		content.Value{JSON: []byte(`{"n":1}`)},
	})
	want := "Two:\n" + seen.String() + "\n[Audio: audio/wav, 2 kB]\nnotes: file:///a.md\nhttps://x/y\ndb://t\na row\n[db://b, 3.0 MB]\n{\"n\":1}"
	if got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	for _, text := range []string{"", "a", "a\n\n", "\n"} {
		if got := content.Plain(content.Texts(text)); got != text {
			t.Errorf("the text %q became %q", text, got)
		}
	}
	if content.Plain(nil) != "" || len(content.Images([]content.Part{content.Text("x"), seen})) != 1 {
		t.Error("no content is some, or an image is missing")
	}
}
