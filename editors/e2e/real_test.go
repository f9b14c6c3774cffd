//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// engine is a real Ollama with a real small model, started once for all tests that want one.
type engine struct {
	host, model string
	pid         int // 0: it ran already, and is not ours to end
}

var (
	engineOnce sync.Once
	theEngine  engine
)

func realEngine(t *testing.T) engine {
	t.Helper()
	engineOnce.Do(func() {
		found := installed(t, "engine.sh")
		if found["OLLAMA_HOST"] == "" {
			found = installed(t, "engine.sh", "serve")
		}
		theEngine = engine{host: found["OLLAMA_HOST"], model: found["MODEL"]}
		theEngine.pid, _ = strconv.Atoi(found["OLLAMA_PID"])
	})
	if theEngine.host == "" {
		t.Fatal("no model server could be started; see the test that tried first")
	}
	return theEngine
}

func TestMain(m *testing.M) {
	status := m.Run()
	if theEngine.pid > 0 {
		_ = syscall.Kill(theEngine.pid, syscall.SIGTERM)
	}
	os.Exit(status)
}

// modelSilence is the limit of silence of a real model: it reads its prompt without a word.
const modelSilence = 5 * silence

// converse sends the request to the real model, approves what changes the README, refuses all else, and waits for the
// end of the run. It returns the titles that were taken.
func converse(e *editor, model string) (taken []string, err error) {
	e.t.Helper()
	e.open("ask.chat.md")
	document := fmt.Sprintf("---\nmodel: %s\n---\n\n## You\n\n%s\n", model, request)
	e.insert("ask.chat.md", 0, 0, document)
	e.act("ask.chat.md", strings.Count(document, "\n")-1, "Send")
	for q := (quiet{}); ; <-time.After(50 * time.Millisecond) {
		var progress []string
		e.do("progress", nil, &progress)
		if q.tooLong(fmt.Sprint(len(progress))+e.text("ask.chat.md"), modelSilence) {
			return taken, fmt.Errorf("nothing new came for %v; messages %q", modelSilence, e.messages())
		}
		if n := len(progress); n > 0 && strings.HasPrefix(progress[n-1], "end:") {
			return taken, nil
		}
		var list []diagnostic
		e.do("diagnostics", e.file("ask.chat.md"), &list)
		for _, d := range list {
			if d.Source != "assent" || d.Severity != 3 || strings.HasPrefix(d.Message, "Not run") {
				continue
			}
			args, title := e.at("ask.chat.md", d.Line), ""
			for _, args["title"] = range []string{"Approve once: edit README.md", "Approve once: write README.md", "Deny"} {
				if e.try("act", args, &title) == nil {
					taken = append(taken, title)
					break
				}
			}
		}
	}
}

// realTries is how often the story may be tried: a model of this size does not always do what it is asked for.
const realTries = 3

func TestRealModel(t *testing.T) {
	real := realEngine(t)
	eachNvim(t, func(t *testing.T, version string) {
		for try := 1; ; try++ {
			e := startNvim(newWorld(t, real.host, plainFiles), version)
			err := realStory(e, real.model)
			if err == nil {
				t.Logf("the model did it in try %d", try)
				return
			}
			t.Logf("try %d of %d: %v\nREADME.md:\n%s\nask.chat.md:\n%s", try, realTries, err, e.text("README.md"), e.text("ask.chat.md"))
			if try == realTries {
				t.Fatal("the story did not come to its end")
			}
			e.kill()
		}
	})
}

// realStory is the story with the real model. What the model fails at is an error; what Assent fails at ends the test.
func realStory(e *editor, model string) error {
	e.t.Helper()
	e.open("README.md")
	e.insert("README.md", 4, len("The last line."), " Unsaved.")
	taken, err := converse(e, model)
	if err != nil {
		return err
	}
	before := strings.Replace(readmeText, "line.", "line. Unsaved.", 1)
	after := strings.Replace(before, "Helo", "Hello", 1)
	got := e.text("README.md")
	if !strings.Contains(strings.Join(taken, "\n"), "README.md") && got != before {
		e.t.Fatalf("README.md was changed without approval; taken: %q\n%s", taken, got)
	}
	if got != after {
		return fmt.Errorf("README.md is not as asked for; taken: %q", taken)
	}
	chat := e.text("ask.chat.md")
	if !strings.Contains(chat, "```tool ") || !strings.Contains(chat, " ok ") || !strings.HasSuffix(strings.TrimRight(chat, "\n"), "\n## You") {
		e.t.Fatalf("the chat lacks the call, its result or the next turn:\n%s", chat)
	}
	if diff := cmp.Diff(readmeText, e.w.read("README.md")); diff != "" {
		e.t.Fatalf("README.md on disk was touched while it had unsaved changes (-want +got):\n%s", diff)
	}
	e.undo("README.md")
	if got := e.text("README.md"); !strings.Contains(got, "Helo, world.") {
		e.t.Fatalf("undo did not take the edit back:\n%s", got)
	}
	e.do("redo", e.file("README.md"), nil)
	e.save("README.md")
	if diff := cmp.Diff(after, e.w.read("README.md")); diff != "" {
		e.t.Fatalf("README.md on disk after saving (-want +got):\n%s", diff)
	}
	return nil
}
