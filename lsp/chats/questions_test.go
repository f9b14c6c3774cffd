package chats

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Who shows or answers what waits in a chat asks Questions, which has what calls by hand ask as well: a question of a
// session alone would leave those out.
func TestNobodyAsksASessionForItsQuestions(t *testing.T) {
	t.Parallel()
	files, own := 0, 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		files++
		n := strings.Count(string(text), "Session.Questions()")
		if filepath.Base(path) == "byhand_run.go" {
			own += n
		} else if n > 0 {
			t.Errorf("%s asks the session: call chats.Questions", path)
		}
		return err
	})
	if err != nil || files < 100 || own != 1 {
		t.Errorf("%d files, %d in Questions itself: %v", files, own, err)
	}
}
