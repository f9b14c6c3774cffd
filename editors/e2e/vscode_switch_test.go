//go:build e2e

package e2e

import "testing"

// TestSwitchServerVSCode takes the name from the list of suggestions.
func TestSwitchServerVSCode(t *testing.T) {
	switchStory(t, startVSCode, func(e *editor) {
		e.do("press", arguments{"file": e.w.path("ask.chat.md"), "keys": []string{"Home", "Shift+End"}}, nil)
		e.do("write", arguments{"text": "model: "}, nil)
		e.do("press", arguments{"keys": []string{"Control+Space"}}, nil)
		e.sees(boxModel)
		e.sees(ollamaModel)
		e.shot("names")
		e.do("write", arguments{"text": "box"}, nil)
		e.waitText("ask.chat.md", "\nmodel: box\n")
		e.sees(boxModel)
		e.do("press", arguments{"keys": []string{"Enter"}}, nil)
	})
}
