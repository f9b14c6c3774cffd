package asking

import (
	"slices"
	"strings"

	"github.com/assent-ls/assent/internal/visible"
	"github.com/assent-ls/assent/tools/arguments"
)

// arePieces reports whether a form decides on pieces of changes: each field is to keep or to discard one.
func arePieces(fields []arguments.FormField) bool {
	other := func(f arguments.FormField) bool { return !slices.Equal(f.Choices, []string{keep, discard}) }
	return len(fields) > 0 && !slices.ContainsFunc(fields, other)
}

const (
	keep    = "keep"
	discard = "discard"
)

// pieceKeys are the answers to a piece, as they are shown.
const pieceKeys = "[k] keep  [d] discard  [K] keep this and the rest  [D] discard this and the rest"

// decide asks about one piece after the other, by show, which shows a piece and reads an answer. Anything unclear is
// asked again.
func decide(
	fields []arguments.FormField, show func(name, text string) (string, error),
) ([]arguments.FormField, error) {
	for i := 0; i < len(fields); {
		word, err := show(fields[i].Name, fields[i].About)
		if err != nil {
			return nil, err
		}
		choice := map[string]string{"k": keep, "K": keep, "d": discard, "D": discard}[strings.TrimSpace(word)]
		if choice == "" {
			continue
		}
		last := i + 1
		if strings.ContainsAny(word, "KD") {
			last = len(fields)
		}
		for ; i < last; i++ {
			fields[i].Default = choice
		}
	}
	return fields, nil
}

// piece shows a piece and reads an answer to it.
func (a *Asker) piece(name, text string) (string, error) {
	if !a.Terminal.Show(visible.Line(name), visible.Text(text), pieceKeys) {
		return "d", nil
	}
	return a.Terminal.Ask(pieceKeys)
}
