package lsptest

import (
	"testing"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

func TestPositions(t *testing.T) {
	const text = "a\r\ngröße 𝄞e\u0301\n\nend"
	for encoding, want := range map[string]uint32{"utf-8": 12, "utf-16": 8, "utf-32": 7} {
		b := &buffer{text: text, encoding: encoding}
		if got := b.position(len("a\r\ngröße 𝄞")); got != (protocol.Position{Line: 1, Character: want}) {
			t.Errorf("%s: got %+v", encoding, got)
		}
		for i := range len(text) + 1 {
			if i < len(text) && (!utf8.RuneStart(text[i]) || text[i] == '\n') {
				continue
			}
			if got, err := b.offset(b.position(i)); err != nil || got != i {
				t.Errorf("%s: %d became %d, %v", encoding, i, got, err)
			}
		}
		if got, err := b.offset(protocol.Position{Line: 3, Character: 99}); err != nil || got != len(text) {
			t.Errorf("%s: past the end: %d, %v", encoding, got, err)
		}
		if _, err := b.offset(protocol.Position{Line: 4}); err == nil {
			t.Errorf("%s: a line that is not there", encoding)
		}
	}
}

func TestApplyAndUndo(t *testing.T) {
	b := &buffer{text: "één\nzwei\n", encoding: "utf-16", dos: false}
	at := func(line, from, to uint32) protocol.Range {
		return protocol.Range{
			Start: protocol.Position{Line: line, Character: from}, End: protocol.Position{Line: line, Character: to},
		}
	}
	edits := []protocol.TextEdit{{Range: at(0, 0, 2), NewText: "e"}, {Range: at(1, 0, 4), NewText: "two"}}
	changes, err := b.apply(edits)
	if err != nil || b.text != "en\ntwo\n" || len(changes) != 2 || changes[0].Range != at(1, 0, 4) {
		t.Errorf("%q, %v, %+v", b.text, err, changes)
	}
	if _, err := b.undoLast(); err != nil || b.text != "één\nzwei\n" {
		t.Errorf("%q, %v", b.text, err)
	}
	if _, err := b.undoLast(); err == nil {
		t.Error("there was nothing left to undo")
	}
	if _, err := b.apply([]protocol.TextEdit{edits[1], edits[0]}); err == nil {
		t.Error("edits out of order were applied")
	}
}
