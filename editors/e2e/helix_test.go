//go:build e2e

package e2e

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-ls/assent/agent/agenttest"
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
// already. also is what shows that the menu is there, where the title is on the screen before.
func helixMenu(term *terminal, title string, row int, also ...string) {
	term.w.t.Helper()
	term.keys("Space")
	term.wait("Perform code action") // the help of the space menu
	term.text("a")
	term.wait(append(also, title)...)
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

// helixAsk opens a chat with the request in a Helix beside the README, and sends it.
func helixAsk(t *testing.T, script string) (*agenttest.Server, *terminal) {
	t.Helper()
	server, address := play(t, script)
	w := newWorld(t, address, map[string]string{"README.md": readmeText, "ask.chat.md": "## You\n\n" + request + "\n"})
	term := startHelix(w, "README.md", "ask.chat.md")
	term.wait("Helo, world.")
	helixCommand(term, "open ask.chat.md")
	term.wait(request[:20])
	helixLine(term, "In README")
	helixMenu(term, "Send", 0)
	return server, term
}

// helixPending goes to the line of the call that waits.
func helixPending(term *terminal) {
	term.w.t.Helper()
	helixFollow(term, "tool edit_file")
	helixLine(term, "tool edit_file")
	term.wait("Waits for your answer")
}

// rowOf is the row of a pending edit's menu.
func rowOf(title string) int { return slices.Index(pendingTitles, title) }

func TestPreviewHelix(t *testing.T) {
	_, term := helixAsk(t, editScript)
	helixPending(term)
	helixMenu(term, "Show what would happen", 0)
	term.wait("previews/")
	term.keep("shown")
	helixLine(term, "tool edit_file")
	term.keys("Space")
	term.wait("Perform code action")
	term.text("k")
	term.wait("+Hello, world.")
	term.keep("hover")
}

func TestAllowInThisChatHelix(t *testing.T) {
	_, term := helixAsk(t, allowScript)
	helixPending(term)
	helixMenu(term, "Allow edit_file in this chat", rowOf("Allow edit_file in this chat"))
	helixFollow(term, "All is well now.")
	helixEscape(term)
	term.text("geo")
	term.text("Once more, in README.md.")
	helixLine(term, "Once more")
	helixMenu(term, "Send", 0)
	helixFollow(term, "Without a question.")
	helixCommand(term, "open README.md")
	term.wait("Hullo, world.")
}

func TestDenyHelix(t *testing.T) {
	_, term := helixAsk(t, scriptedModel+editTurn+"turn\nsay: Then I leave it.\n")
	helixPending(term)
	helixMenu(term, "Deny", rowOf("Deny"))
	helixFollow(term, "Then I leave it.")
	helixCommand(term, "open README.md")
	term.wait("Helo, world.")
}

func TestDenyAndSayWhyHelix(t *testing.T) {
	_, term := helixAsk(t, denyScript)
	helixPending(term)
	helixMenu(term, "Deny and say why", rowOf("Deny and say why"))
	helixFollow(term, "```reason") // Helix is told the line, and stays where it is
	helixLine(term, "```reason")
	term.text("o" + whyDenied)
	helixEscape(term)
	helixMenu(term, "Deny and say why", rowOf("Deny and say why"))
	helixFollow(term, "I see.")
	helixCommand(term, "open README.md")
	term.wait("Helo, world.")
}

func TestStopHelix(t *testing.T) {
	for _, how := range []string{"code action", "command"} {
		t.Run(strings.ReplaceAll(how, " ", "-"), func(t *testing.T) {
			server, term := helixAsk(t, streamScript(20, 20*time.Millisecond, "hang\n"))
			helixFollow(term, "[3]")
			if how == "command" {
				helixCommand(term, "lsp-workspace-command assent.stop")
			} else {
				helixLine(term, "In README")
				helixMenu(term, "Stop", 0)
			}
			term.keep("stopped")
			must(t, server.WaitGone(t.Context(), 1))
			helixFollow(term, "## You")
		})
	}
}

func TestReviewHelix(t *testing.T) {
	_, address := play(t, strings.ReplaceAll(twoEdits, "list.txt", "list.md"))
	w := newWorld(t, address, map[string]string{"list.md": listText, "ask.chat.md": "## You\n\n" + request + "\n"})
	term := startHelix(w, "list.md", "ask.chat.md")
	term.wait("seven")
	helixCommand(term, "open ask.chat.md")
	term.wait(request[:20])
	helixLine(term, "In README")
	helixMenu(term, "Send", 0)
	for _, call := range []string{"tool edit_file c2", "tool edit_file c3"} {
		helixFollow(term, call)
		helixLine(term, call)
		term.wait("Waits for your answer")
		helixMenu(term, "Approve once", 1)
	}
	helixFollow(term, "All is well now.")
	helixCommand(term, "open list.md")
	term.wait("TWO", "SIX")
	helixLine(term, "TWO")
	helixMenu(term, "Keep hunk", 1, "Reject and say why")
	helixLine(term, "SIX")
	helixMenu(term, "Reject hunk", 2, "Reject and say why")
	term.wait("six")
	helixCommand(term, "open ask.chat.md")
	helixLine(term, "In README")
	helixMenu(term, "Undo turn: list.md", 3)
	helixCommand(term, "open list.md")
	term.wait("two", "six")
}

// A chat about chosen lines is begun in a file, which Helix 25.01 cannot be asked to open: a message names it.
func TestAskAboutHelix(t *testing.T) {
	_, address := play(t, scriptedModel)
	w := newWorld(t, address, plainFiles)
	term := startHelix(w, "README.md")
	term.wait("Helo, world.")
	helixLine(term, "Helo")
	term.text("x")
	helixMenu(term, "Ask Assent", 0)
	term.wait(".assent/chats/")
	term.keep("asked")
	beganAbout(w)
}

// beganAbout waits for a chat about the README.
func beganAbout(w *world) {
	w.t.Helper()
	eventually(w.t, "the chat", func() error {
		found, err := filepath.Glob(w.path(".assent/chats/*.chat.md"))
		if err != nil || len(found) != 1 {
			return errors.Join(err, fmt.Errorf("there are %d chats", len(found)))
		}
		text, err := os.ReadFile(found[0])
		must(w.t, err)
		return contains(string(text), "README.md")
	})
}

func TestOutlineHelix(t *testing.T) {
	_, address := play(t, scriptedModel)
	w := newWorld(t, address, map[string]string{"ask.chat.md": "## You\n\nOne?\n\n## Assistant\n\n1\n\n## You\n\nTwo?\n"})
	term := startHelix(w, "ask.chat.md")
	term.wait("Two?")
	helixEscape(term)
	term.keys("Space")
	term.wait("Perform code action")
	term.text("s")
	term.wait("kind", "One?") // the picker lists the questions
	term.keep("outline")
}
