package history_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-ls/assent/agent/session/history"
	"github.com/assent-ls/assent/internal/ranking"
)

// model knows that cars are automobiles, and that rain is weather.
type model struct {
	version string
	asked   []string
	err     error
}

func (m *model) Vectors(_ context.Context, texts []string) (string, []ranking.Vector, error) {
	m.asked = append(m.asked, texts...)
	var list []ranking.Vector
	for _, text := range texts {
		numbers := []float32{0.1, 0.1, 0.1}
		for i, words := range []string{"car automobile", "rain weather", "cook meal"} {
			for word := range strings.FieldsSeq(words) {
				if strings.Contains(text, word) {
					numbers[i] = 1
				}
			}
		}
		v, _ := ranking.NewVector(numbers)
		list = append(list, v)
	}
	return m.version, list, m.err
}

func (m *model) sent() string { return strings.Join(m.asked, "|") }

// TestByMeaning: other words find a turn once its vector is known, what was said stays first, and a person who writes a
// phrase or a beginning means the words.
func TestByMeaning(t *testing.T) {
	b := newBench(t)
	m := &model{version: "a"}
	b.history.ByMeaning(m)
	must(t, b.history.Learn(t.Context()))
	if len(m.asked) > 0 || b.history.Opened() {
		t.Fatal("something is learned before anybody searched")
	}
	b.write("car.chat.md", said("My car is broken"))
	b.write("secret.chat.md", said("A secret car"))
	b.write("rain.chat.md", said("The rain is heavy"))
	b.write("quoted.chat.md", said("Read it", "```tool read_file id=1\npath: key.txt\n```\n\nThe car key is canary."))
	must(t, os.WriteFile(b.rules, []byte(`{"deny":[{"paths":["secret.chat.md","key.txt"]}]}`), 0o600))
	b.history = b.open()
	b.history.ByMeaning(m)
	b.refresh()
	must(t, b.history.Learn(t.Context()))
	if text := m.sent(); strings.Contains(text, "secret") || strings.Contains(text, "canary") || !strings.Contains(text, "My car is broken") {
		t.Errorf("the model read %q", text)
	}
	for query, want := range map[string]string{"automobile": "car0", "weather": "rain0", "heavy automobile": "rain0"} {
		if got := b.found(history.Query{Text: query, Limit: 1}); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	for _, query := range []string{`"automobile"`, "automobil*"} {
		if got := b.found(history.Query{Text: query}); got != "" {
			t.Errorf("%q finds %q", query, got)
		}
	}
	if got := b.found(history.Query{Text: "automobile", Until: b.moment.AddDate(0, 0, -4)}); got != "" {
		t.Errorf("of another time: %q", got)
	}
	for _, hit := range b.search(history.Query{Text: "automobile"}) {
		if hit.AllWords {
			t.Errorf("%s is said to have the word", hit.Path)
		}
	}
	must(t, os.Remove(filepath.Join(b.root, "car.chat.md")))
	b.refresh()
	if n := history.Count(t, b.history, "SELECT count(*) FROM vectors WHERE turn NOT IN (SELECT id FROM turns)"); n != 0 {
		t.Errorf("%d vectors of turns that are gone", n)
	}
}

// TestMeaningIsNotNeeded: without a model, with one that is busy, and with another one than before, words count.
func TestMeaningIsNotNeeded(t *testing.T) {
	b := newBench(t)
	b.write("car.chat.md", said("My car is broken"))
	b.refresh()
	must(t, b.history.Learn(t.Context()))
	if n := history.Count(t, b.history, "SELECT count(*) FROM vectors"); n != 0 {
		t.Errorf("%d vectors without a model", n)
	}
	m := &model{version: "a"}
	b.history = b.open()
	b.history.ByMeaning(m)
	must(t, b.history.Learn(t.Context()))
	m.version = "b"
	b.finds("automobile", "")
	m.version, m.err = "a", errors.New("busy")
	b.finds("automobile", "")
	b.finds("car", "car0")
	if err := b.history.Learn(t.Context()); err != nil {
		t.Errorf("nothing is left to learn: %v", err)
	}
	m.err = nil
	b.finds("automobile", "car0")
}

// TestWordsComeBeforeMeaning: a chat whose turns have all words stays before what is only near in meaning.
func TestWordsComeBeforeMeaning(t *testing.T) {
	b := newBench(t)
	b.write("trip.chat.md", said("The boat left for the weather station", "By the harbour, with a sail"))
	for _, name := range []string{"a", "b", "c", "d"} {
		b.write(name+".chat.md", said("The rain and the weather of the harbour "+name))
	}
	m := &model{version: "a"}
	b.history.ByMeaning(m)
	b.refresh()
	must(t, b.history.Learn(t.Context()))
	if got := b.found(history.Query{Text: "sail harbour weather", Limit: 1}); got != "trip1" && got != "trip0" {
		t.Errorf("%q is first", got)
	}
	if got := b.found(history.Query{Text: "sail harbour rainy", Limit: 1}); !strings.Contains("a0 b0 c0 d0", got) {
		t.Errorf("%q is first although no chat has all words", got)
	}
}
