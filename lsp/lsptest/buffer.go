package lsptest

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// buffer is one open document, as an editor holds it. It converts positions with code of its own, which checks
// the server's.
type buffer struct {
	text     string
	version  int32
	dos      bool // line ends are CRLF, also those that are inserted as LF
	undo     []string
	encoding string
	dirty    bool // not saved
}

// change is one content change of didChange.
type change struct {
	Range protocol.Range `json:"range"`
	Text  string         `json:"text"`
}

// replace changes the text between two byte offsets and returns the change in positions of the text before.
func (b *buffer) replace(start, end int, text string) change {
	if b.dos {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
	}
	c := change{Range: protocol.Range{Start: b.position(start), End: b.position(end)}, Text: text}
	b.text = b.text[:start] + text + b.text[end:]
	b.version++
	b.dirty = true
	return c
}

// mark is called before a change that the user can undo as one.
func (b *buffer) mark() { b.undo = append(b.undo, b.text) }

// undoLast undoes to the last mark.
func (b *buffer) undoLast() (change, error) {
	if len(b.undo) == 0 {
		return change{}, fmt.Errorf("there is nothing to undo")
	}
	old := b.undo[len(b.undo)-1]
	b.undo = b.undo[:len(b.undo)-1]
	start := 0
	for start < min(len(old), len(b.text)) && old[start] == b.text[start] {
		start++
	}
	for start > 0 && start < len(old) && !utf8.RuneStart(old[start]) {
		start--
	}
	tail := 0
	for tail < min(len(old), len(b.text))-start && old[len(old)-1-tail] == b.text[len(b.text)-1-tail] {
		tail++
	}
	for tail > 0 && !utf8.RuneStart(old[len(old)-tail]) {
		tail--
	}
	return b.replace(start, len(b.text)-tail, old[start:len(old)-tail]), nil
}

// position converts a byte offset.
func (b *buffer) position(offset int) protocol.Position {
	before := b.text[:offset]
	line := strings.LastIndexByte(before, '\n') + 1
	return protocol.Position{
		Line:      uint32(strings.Count(before, "\n")),
		Character: b.units(before[line:]),
	}
}

func (b *buffer) units(s string) uint32 {
	switch b.encoding {
	case "utf-8":
		return uint32(len(s))
	case "utf-32":
		return uint32(utf8.RuneCountInString(s))
	}
	n := uint32(0)
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// offset converts a position; a position behind a line's end is that end, as the protocol says; a line behind the last
// is an error.
func (b *buffer) offset(p protocol.Position) (int, error) {
	start := 0
	for range p.Line {
		i := strings.IndexByte(b.text[start:], '\n')
		if i < 0 {
			return 0, fmt.Errorf("there is no line %d", p.Line)
		}
		start += i + 1
	}
	line, _, _ := strings.Cut(b.text[start:], "\n")
	line = strings.TrimSuffix(line, "\r")
	at := 0
	for at < len(line) && b.units(line[:at]) < p.Character {
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	return start + at, nil
}

// apply makes the edits of one workspace edit; the ranges of all are of the text before the first.
func (b *buffer) apply(edits []protocol.TextEdit) ([]change, error) {
	type span struct{ start, end int }
	spans := make([]span, len(edits))
	for i, e := range edits {
		start, err := b.offset(e.Range.Start)
		if err != nil {
			return nil, err
		}
		end, err := b.offset(e.Range.End)
		if err != nil {
			return nil, err
		}
		if start > end || (i > 0 && start < spans[i-1].end) {
			return nil, fmt.Errorf("edit %d overlaps or is out of order", i)
		}
		spans[i] = span{start, end}
	}
	b.mark()
	var changes []change
	for i, edit := range slices.Backward(edits) { // from the end, so that the spans stay right
		changes = append(changes, b.replace(spans[i].start, spans[i].end, edit.NewText))
	}
	return changes, nil
}
