package conversation

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assent-ls/assent/internal/visible"
)

// Keys that the editor handles, since the library would take the columns of a glyph for characters.
const (
	keyLeft = firstKey + iota
	keyRight
	keyBackspace
	keyDelete
	keyEnd   // Ctrl-D: the end of the conversation, where nothing is written
	keyEnter // the end of the message, or of a line where a backslash is before it
)

// What is pasted is in the line as it is if it is no longer than this.
const (
	maxInline = 400 // bytes
	maxBreaks = 4
)

// keys read what a person types and give the library what it understands: one key of ours for each that the editor
// handles, and nothing for keys that do nothing. What is pasted becomes one glyph. No Read goes beyond an Enter, so
// that what is typed ahead waits for the next message.
type keys struct {
	in      io.Reader
	glyphs  *glyphs
	suspend func()

	raw  []byte // read, and not looked at
	out  []byte // for the library
	seen int    // how much of a paste in raw was searched for its end
	err  error  // of in

	ended       bool // by Ctrl-D
	entered     bool // the library gets an Enter next
	interrupted bool // by Ctrl-C
}

const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// Read implements io.Reader.
func (k *keys) Read(p []byte) (int, error) {
	chunk := make([]byte, 4096)
	for len(k.out) == 0 {
		switch {
		case k.ended:
			return 0, io.EOF
		case k.entered:
			k.entered = false
			k.out = append(k.out, '\r')
		case k.take():
		case k.err != nil:
			return 0, k.err
		default:
			var n int
			n, k.err = k.in.Read(chunk)
			k.raw = append(k.raw, chunk[:n]...)
		}
	}
	n := copy(p, k.out)
	k.out = k.out[n:]
	return n, nil
}

// take handles the next key, and reports whether it was whole.
func (k *keys) take() bool {
	raw := k.raw
	if len(raw) == 0 {
		return false
	}
	if raw[0] == '\x1b' {
		return k.takeSequence()
	}
	if !utf8.FullRune(raw) && k.err == nil {
		return false
	}
	r, n := utf8.DecodeRune(raw)
	k.raw = raw[n:]
	switch r {
	case '\n':
		k.write("\n")
	case 3: // Ctrl-C
		k.interrupted = true
		k.out = append(k.out, '\r')
	case 4: // Ctrl-D
		k.key(keyEnd)
	case 2: // Ctrl-B
		k.key(keyLeft)
	case 6: // Ctrl-F
		k.key(keyRight)
	case 8, 127:
		k.key(keyBackspace)
	case 26: // Ctrl-Z
		k.suspend()
	case 20: // Ctrl-T: the library would exchange the columns of a glyph
	case '\r':
		k.key(keyEnter)
	case '\t', 1, 5, 11, 12, 14, 16, 21, 23:
		k.out = append(k.out, raw[:n]...)
	default:
		if r >= ' ' && r < firstGlyph {
			k.out = utf8.AppendRune(k.out, r)
		}
	}
	return true
}

func (k *keys) key(r rune) { k.out = utf8.AppendRune(k.out, r) }

// sequences are what terminals send for keys, beside the forms that the library knows.
var sequences = map[string]string{ //nolint:gochecknoglobals // a table
	"\x1b[D": string(rune(keyLeft)), "\x1bOD": string(rune(keyLeft)),
	"\x1b[C": string(rune(keyRight)), "\x1bOC": string(rune(keyRight)),
	"\x1b[3~": string(rune(keyDelete)),
	"\x1b[A":  "\x10", "\x1bOA": "\x10", "\x1b[B": "\x0e", "\x1bOB": "\x0e",
	"\x1b[H": "\x01", "\x1bOH": "\x01", "\x1b[1~": "\x01", "\x1b[7~": "\x01",
	"\x1b[F": "\x05", "\x1bOF": "\x05", "\x1b[4~": "\x05", "\x1b[8~": "\x05",
	"\x1bb": "\x1b[1;3D", "\x1b[1;5D": "\x1b[1;3D", "\x1b[1;3D": "\x1b[1;3D",
	"\x1bf": "\x1b[1;3C", "\x1b[1;5C": "\x1b[1;3C", "\x1b[1;3C": "\x1b[1;3C",
	"\x1b\x7f": "\x17",
}

// breaks are the keys that begin a new line, beside Ctrl-J: Alt-Enter, and Shift-Enter where a terminal tells it.
func breaks() []string { return []string{"\x1b\r", "\x1b\n", "\x1b[13;2u", "\x1b[27;2;13~"} }

// takeSequence handles what begins with an escape.
func (k *keys) takeSequence() bool {
	if bytes.HasPrefix(k.raw, []byte(pasteStart)) {
		return k.takePaste()
	}
	n := sequenceLength(k.raw)
	if n == 0 && k.err == nil {
		return false
	}
	if n == 0 {
		n = len(k.raw)
	}
	sequence := string(k.raw[:n])
	k.raw = k.raw[n:]
	if slices.Contains(breaks(), sequence) {
		k.write("\n")
	}
	k.out = append(k.out, sequences[sequence]...)
	return true
}

// sequenceLength is that of the sequence (ECMA-48, 5.4) that a text begins with; 0: more of it is to come.
func sequenceLength(raw []byte) int {
	switch {
	case len(raw) < 2:
		return 0
	case raw[1] == 'O' && len(raw) < 3:
		return 0
	case raw[1] == 'O':
		return 3
	case raw[1] == '\x1b':
		return 1
	case raw[1] != '[':
		_, n := utf8.DecodeRune(raw[1:])
		return 1 + n
	}
	for i, b := range raw[2:] {
		if b >= 0x40 && b <= 0x7e {
			return i + 3
		}
		if b < 0x20 || b > 0x3f { // it is broken
			return i + 2
		}
	}
	return 0
}

// takePaste handles what is pasted once all of it is there.
func (k *keys) takePaste() bool {
	from := max(k.seen-len(pasteEnd), len(pasteStart))
	at := bytes.Index(k.raw[from:], []byte(pasteEnd))
	k.seen = len(k.raw)
	switch {
	case at >= 0:
		at += from
		text := string(k.raw[len(pasteStart):at])
		k.raw, k.seen = k.raw[at+len(pasteEnd):], 0
		k.paste(text)
	case k.err != nil: // the terminal is gone
		k.raw = nil
	default:
		return false
	}
	return true
}

// paste writes a text into the line: under a name, if it is long.
func (k *keys) paste(text string) {
	text = visible.Text(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
	lines := strings.Count(strings.TrimRight(text, "\n"), "\n")
	switch {
	case text == "":
	case len(text) <= maxInline && lines <= maxBreaks:
		k.write(text)
	default:
		lead, _ := utf8.DecodeRuneInString(k.glyphs.pasted(text, pasteName(text, lines+1)))
		k.key(lead)
	}
}

func pasteName(text string, lines int) string {
	if lines > 1 {
		return fmt.Sprintf("[pasted: %d lines]", lines)
	}
	return fmt.Sprintf("[pasted: %d characters]", utf8.RuneCountInString(text))
}

// write types a text.
func (k *keys) write(text string) {
	for _, r := range k.glyphs.line(text) {
		if k.glyphs.of(r).leads { // the editor adds the other columns
			k.key(r)
		}
	}
}
