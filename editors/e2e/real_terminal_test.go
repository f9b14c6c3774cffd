//go:build e2e

package e2e

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRealModelOfLlamaServerInATerminal is the story of `assent run` with llama.cpp's server and no Ollama: the model
// asks, is approved, and the file is changed. Its calls are native, and made of replies that a schema limits.
func TestRealModelOfLlamaServerInATerminal(t *testing.T) {
	url := startLlamaServer(t)
	for format, tools := range map[string]string{"native": "edit_file", "guided": "read_file,edit_file"} {
		t.Run(format, func(t *testing.T) {
			for try := 1; ; try++ {
				w := newWorld(t, "127.0.0.1:1", plainFiles) // nobody listens there
				w.write("../config/assent/servers.json", fmt.Sprintf(`{"servers": [{"name": "box", "url": %q}]}`, url))
				temperature := "0.7"
				if try == 1 {
					temperature = "0" // the same answer each time, as far as the machine can
				}
				screen, err := answerQuestions(w, "run", "--model", "box/coder", "--tool-format", format, "--tools", tools, "--temperature", temperature, request)
				if err == nil {
					err = terminalStoryIsDone(w)
				}
				if err == nil {
					t.Logf("the model did it in try %d", try)
					return
				}
				t.Logf("try %d of %d: %v\nREADME.md:\n%s\n%s", try, realTries, err, w.read("README.md"), screen)
				if try == realTries {
					t.Fatal("the story did not come to its end")
				}
			}
		})
	}
}

// ended is the line that follows the program.
var ended = regexp.MustCompile(`(?m)^ended with (\d+)$`)

// answerQuestions runs the program in a terminal of its own, says yes to what changes the README and no to all else,
// and gives the last screen. README.md must not change before the yes.
func answerQuestions(w *world, args ...string) (screen string, err error) {
	w.t.Helper()
	name := fmt.Sprintf("try-%d", time.Now().UnixNano())
	term := startTerminal(w, name, w.env, append([]string{"sh", "-c", `"$@"; echo "ended with $?"; exec sleep 3600`, "sh", w.program}, args...)...)
	defer func() { _ = term.tmux("kill-server").Run() }()
	approved := false
	for q := (quiet{}); ; <-time.After(50 * time.Millisecond) {
		screen = term.screen()
		if q.tooLong(screen, modelSilence) {
			return screen, fmt.Errorf("nothing new came for %v", modelSilence)
		}
		if m := ended.FindStringSubmatch(screen); m != nil {
			if m[1] != "0" {
				return screen, fmt.Errorf("it ended with %s", m[1])
			}
			return screen, nil
		}
		if !approved && w.read("README.md") != readmeText {
			w.t.Fatalf("README.md was changed without approval:\n%s", screen)
		}
		if !strings.HasSuffix(strings.Join(strings.Fields(screen), " "), "[r] deny and say why:") { // it may be on two rows
			continue
		}
		about := screen[strings.LastIndex(screen, " wants: ")+1:]
		if strings.HasPrefix(about, "wants: README.md") {
			approved = true
			term.text("y")
		} else {
			term.text("n")
		}
		term.keys("Enter")
		eventually(w.t, "the answer is taken", func() error {
			if term.screen() == screen {
				return fmt.Errorf("it is asked still:\n%s", screen)
			}
			return nil
		})
	}
}

// terminalStoryIsDone looks at what the run left: the file as it was asked for, and a chat that tells how.
func terminalStoryIsDone(w *world) error {
	if diff := cmp.Diff(strings.Replace(readmeText, "Helo", "Hello", 1), w.read("README.md")); diff != "" {
		return fmt.Errorf("README.md (-want +got):\n%s", diff)
	}
	found, err := filepath.Glob(w.path(".assent/chats/*.chat.md"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("%d chats, %w", len(found), err)
	}
	chat := w.read(".assent/chats/" + filepath.Base(found[0]))
	if !strings.Contains(chat, "```tool edit_file ") || !strings.Contains(chat, " ok ") {
		w.t.Errorf("the chat lacks the call or its result:\n%s", chat)
	}
	return nil
}
