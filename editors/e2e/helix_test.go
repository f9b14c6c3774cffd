//go:build e2e

package e2e

import (
	"errors"
	"strings"
	"time"
)

// startHelix runs a Helix in a terminal with the configuration of its page, on the given files.
func startHelix(w *world, files ...string) *terminal {
	w.t.Helper()
	w.config("helix.md", "toml", "helix/languages.toml")
	// Helix has no notion of a workspace without one of its markers.
	w.write(".helix/.gitignore", "*\n")
	command := []string{installed(w.t, "helix.sh")["HELIX"], "--log", w.out + "/helix.log", "-vv"}
	for _, name := range files {
		command = append(command, w.path(name))
	}
	return startTerminal(w, "helix", w.env, command...)
}

// helixMenu opens the code actions of the cursor's line and takes the row with a title; the first row is selected
// already.
func helixMenu(term *terminal, title string, row int) {
	term.w.t.Helper()
	term.keys("Space")
	term.wait("Perform code action") // the help of the space menu
	term.text("a")
	term.wait(title)
	for range row {
		term.keys("Down")
	}
	term.keys("Enter")
}

// helixEscape leaves whatever is open. A key that follows at once would be taken for one with Alt.
func helixEscape(term *terminal) {
	term.w.t.Helper()
	term.keys("Escape")
	<-time.After(150 * time.Millisecond)
}

// helixLine goes to a line by its text.
func helixLine(term *terminal, text string) {
	term.w.t.Helper()
	helixEscape(term)
	term.text("gg/" + text)
	term.keys("Enter")
}

// helixFollow goes to the end of the document until it shows a text: Helix does not follow what grows below its window.
func helixFollow(term *terminal, text string) {
	term.w.t.Helper()
	eventually(term.w.t, "the end of the document", func() error {
		helixEscape(term)
		term.text("ge")
		<-time.After(100 * time.Millisecond)
		return contains(term.screen(), text)
	})
}

// helixCommand types a command of the colon prompt. Helix drops an Enter that comes while it completes.
func helixCommand(term *terminal, command string) {
	term.w.t.Helper()
	helixEscape(term)
	term.text(":" + command)
	term.wait(":" + command)
	eventually(term.w.t, ":"+command, func() error {
		term.keys("Enter")
		<-time.After(100 * time.Millisecond)
		if screen := term.screen(); strings.Contains(screen, "\n:"+command) {
			return errors.New(screen)
		}
		return nil
	})
}
