package picture

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestSVG(t *testing.T) {
	got := SVG("a <b>\x1b[1;31mred\x1b[0m 名\x1b[38;2;1;2;3;48;5;21mx\x1b[39;49m\n\x1b[7mback\nfront\x1b[27m\n\n", 20, Theme{"#d4d4d4", "#1e1e1e"})
	for _, want := range []string{
		`fill="#d4d4d4" xml:space="preserve">a &lt;b&gt;</text>`,
		`fill="#cc3333" font-weight="bold" xml:space="preserve">red</text>`,
		`x="104.4" y="12" width="8.4" height="18" fill="#0000ff"/>`, // behind nine letters, of which one is two wide, and a blank
		`fill="#010203" xml:space="preserve">x</text>`,
		`fill="#1e1e1e" xml:space="preserve">back</text>`,
		`fill="#1e1e1e" xml:space="preserve">front</text>`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing in\n%s", want, got)
		}
	}
	if strings.Count(got, "<text") != 6 {
		t.Errorf("%d texts in\n%s", strings.Count(got, "<text"), got)
	}
}

// FuzzSVG: any screen is well-formed XML.
func FuzzSVG(f *testing.F) {
	f.Add("a\x1b[38;5mb\x1b[;mc\x1b[999;38;2;1md\x1b[x\n")
	f.Add("\x1b[38;5;-7mx")
	f.Add("\x1b[48;2;300;-1;7mx\x00\x07")
	f.Fuzz(func(t *testing.T, screen string) {
		d := xml.NewDecoder(strings.NewReader(SVG(screen, 80, Theme{"#000000", "#ffffff"})))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}
