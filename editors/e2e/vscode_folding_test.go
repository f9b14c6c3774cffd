//go:build e2e

package e2e

import (
	"errors"
	"strings"
	"testing"
)

// TestQuestionIsNeverFoldedVSCode adds a line at the top of a chat, of which the extension learns late, as on a busy
// machine, and folds meanwhile: the attached file is folded then, and not the question, which is where that was.
func TestQuestionIsNeverFoldedVSCode(t *testing.T) {
	const question = "Which of @notes.md matters most?"
	server, address := play(t, scriptedModel+"turn\n\tsay: \"One.\"\n\thold\n\tsay: \" Two.\"\n")
	chat := "## You\n\n" + question + "\n\nAnd why?\n\n```context file notes.md\n" + strings.Repeat("Something to read.\n", 9) + "```\n\n## Assistant\n\nThe first.\n\n## You\n\n"
	w := newWorld(t, address, map[string]string{"ask.chat.md": chat, "other.chat.md": "## You\n\nCount.\n"})
	e := vscode{program: w.program, delays: true}.start(w)
	e.keepDocuments("ask.chat.md", "other.chat.md")
	e.open("other.chat.md")
	e.click("Send")
	e.waitText("other.chat.md", "One.")
	e.do("setting", arguments{"name": "assent.foldDetails", "value": false}, nil)
	e.open("ask.chat.md")
	e.do("cursor", e.at("ask.chat.md", 0), nil)
	e.do("setting", arguments{"name": "assent.foldDetails", "value": true}, nil)

	e.do("hold", nil, nil)
	e.do("press", arguments{"file": e.w.path("ask.chat.md"), "keys": []string{"Control+Home", "Enter"}}, nil)
	server.Release() // the other chat goes on, and the extension looks for what to fold
	eventually(t, "the extension folds", func() error {
		var asked int
		if e.do("folds_asked", nil, &asked); asked == 0 {
			return errors.New("it does not")
		}
		return nil
	})
	e.do("release", nil, nil)

	eventually(t, "something is folded", func() error {
		if view := e.view("ask.chat.md"); len(view.Ranges) < 2 {
			return errors.New("all lines are open")
		}
		return nil
	})
	e.shot("folded")
	eventually(t, "the attached notes are folded", func() error {
		if lines := e.lines("ask.chat.md"); strings.Contains(lines, "Something to read.") {
			return errors.New("they are open:\n" + lines)
		}
		return nil
	})
	lines := e.lines("ask.chat.md")
	for _, want := range []string{question, "And why?", "context file notes.md", "The first."} {
		if !strings.Contains(lines, want) {
			t.Errorf("%q is folded away:\n%s", want, lines)
		}
	}
}

// lines is what the window draws of a file.
func (e *editor) lines(name string) (text string) {
	e.t.Helper()
	e.do("lines", e.file(name), &text)
	return text
}
