package asking

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/assent-ls/assent/tools/arguments"
)

// Pieces of changes are kept and discarded one by one, or all that are left; nothing unclear counts as an answer.
func TestPiecesAreDecidedByKeys(t *testing.T) {
	for typed, want := range map[string]string{
		"k d k":     "keep discard keep",
		"d K":       "discard keep keep",
		"k D":       "keep discard discard",
		"x k d y k": "keep discard keep",
		"k":         "",
	} {
		fields := []arguments.FormField{{Name: "1 a"}, {Name: "2 b"}, {Name: "3 c"}}
		left := strings.Fields(typed)
		got, err := decide(fields, func(string, string) (string, error) {
			if len(left) == 0 {
				return "", io.EOF
			}
			word := left[0] + "\n"
			left = left[1:]
			return word, nil
		})
		var chosen []string
		for _, f := range got {
			chosen = append(chosen, f.Default)
		}
		if strings.Join(chosen, " ") != want || (want == "") != errors.Is(err, io.EOF) {
			t.Errorf("%s: %v, %v", typed, chosen, err)
		}
	}
	pieces := []arguments.FormField{{Choices: []string{"keep", "discard"}}}
	if !arePieces(pieces) || arePieces(append(pieces, arguments.FormField{Choices: []string{"true", "false"}})) || arePieces(nil) {
		t.Error("pieces are not told from other forms")
	}
}
