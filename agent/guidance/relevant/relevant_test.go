package relevant_test

import (
	"errors"
	"fmt"
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assent-ls/assent/agent/guidance/relevant"
	"github.com/assent-ls/assent/tools/workspace"
)

// A question brings more files than a change, as long as they are short and have enough of its words.
func TestWhatIsBrought(t *testing.T) {
	files := map[string]string{
		"plum.md": "Plum cake: 3 eggs", "almond.md": "Almond cake: 5 eggs", "sponge.md": "Sponge: 4 eggs", "pancakes.md": "Pancakes: 2 eggs", "omelette.md": "Omelette: 6 eggs",
		"flan.md": "Flan: 3 eggs", "long.md": "Eggs. " + strings.Repeat("Words about other things. ", 400),
	}
	for i := range 12 {
		files[fmt.Sprintf("bread%d.md", i)] = "Rye bread, without any"
	}
	x := newFixture(t, files)
	question := (&relevant.Words{}).Look(t.Context(), x.ws, "Eggs", relevant.ForAQuestion())
	change := (&relevant.Words{}).Look(t.Context(), x.ws, "Eggs", relevant.ForAChange())
	if len(question.Files) != 5 || len(change.Files) != 3 || slices.ContainsFunc(question.Files, func(f string) bool { return strings.HasPrefix(f, "bread") }) {
		t.Errorf("a question brings %v, a change %v", question.Files, change.Files)
	}
	large := newFixture(t, map[string]string{"a.md": "eggs " + strings.Repeat("x ", 1900), "b.md": "eggs " + strings.Repeat("y ", 1900), "c.md": "no", "d.md": "no", "e.md": "no", "f.md": "no"})
	if got := (&relevant.Words{}).Look(t.Context(), large.ws, "Eggs", relevant.ForAQuestion()).Files; len(got) != 1 {
		t.Errorf("together too long: %v", got)
	}
	const strange = "Do blue whales, quick foxes and lazy dogs ever eat eggs?"
	if got := (&relevant.Words{}).Look(t.Context(), large.ws, strange, relevant.ForAQuestion()); len(got.Files) != 0 || got.Covers <= 0 {
		t.Errorf("a question about other things brings %v", got)
	}
}

// A question about a long file brings the lines that have its words; a change does not, and what a file has in front is
// not brought twice.
func TestPassages(t *testing.T) {
	var long strings.Builder
	for i := range 60 {
		fmt.Fprintf(&long, "// Step%d does one thing after the other, and says what it did.\nfunc Step%d(state int) int {\n\tlog(%d)\n\treturn state + %d\n}\n\n", i, i, i, i)
	}
	text := long.String() + "// retryLimit is how often a refused parcel is sent again.\nconst retryLimit = 7\n\n" + long.String()
	files := map[string]string{"src/steps of all.go": text, "README.md": "Steps, one after the other."}
	for i := range 9 {
		files[fmt.Sprintf("other%d.md", i)] = "Something else."
	}
	x := newFixture(t, files)
	for _, tt := range []struct {
		message string
		bring   relevant.Bringing
		shows   bool
	}{
		{"How often is a refused parcel sent again?", relevant.ForAQuestion(), true},
		{"Send a refused parcel again twice as often.", relevant.ForAChange(), false},
		{"In src/steps of all.go, how often is a refused parcel sent again?", relevant.ForAQuestion(), true},
		{"What does Step1 in src/steps of all.go do?", relevant.ForAQuestion(), false}, // its head is attached
	} {
		var w relevant.Words
		about := w.Look(t.Context(), x.ws, tt.message, tt.bring)
		shown := ""
		source := relevant.Source(x.ws, x.reads, nil)
		for _, b := range about.Bring {
			if block, ok := source.Resolve(t.Context(), b.Mention, 12_000); ok && b.Path != b.Mention {
				shown += block.Name + "\n" + block.Text()
			}
		}
		if strings.Contains(shown, "retryLimit = 7") != tt.shows || len(shown) > 3_000 {
			t.Errorf("%s: %d bytes:\n%s", tt.message, len(shown), shown)
		}
	}
}

// What is known of files follows what becomes of them, on disk and in the editor.
func TestWordsFollow(t *testing.T) {
	x := newFixture(t, map[string]string{"a.md": "eggs", "b.md": "flour"})
	var w relevant.Words
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(x.ws.Root(), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	finds := func(word, want string) {
		t.Helper()
		if got := strings.Join(w.Look(t.Context(), x.ws, word, relevant.ForAChange()).Files, " "); got != want {
			t.Errorf("%s: %q, not %q", word, got, want)
		}
	}
	finds("Eggs", "a.md")
	write("b.md", "two eggs, and more")
	write("c.md", "butter")
	finds("Eggs", "a.md b.md")
	finds("Butter", "c.md")
	if err := os.Remove(filepath.Join(x.ws.Root(), "a.md")); err != nil {
		t.Fatal(err)
	}
	finds("Eggs", "b.md")
	write("d.md", "eggs")
	finds("Eggs", "d.md b.md")
}

// The files nearest to the root count, where there are too many: the folder that is first in the alphabet does not
// take all the room.
func TestManyFiles(t *testing.T) {
	files := map[string]string{"zebra-eggs.md": "the eggs", "z/eggs.md": "no eggs at all here"}
	for i := range 3_100 {
		files[fmt.Sprintf("a/b/%d.txt", i)] = "filler"
	}
	x := newFixture(t, files)
	var w relevant.Words
	if got := w.Look(t.Context(), x.ws, "Eggs", relevant.ForAQuestion()).Files; !slices.Equal(got, []string{"zebra-eggs.md", "z/eggs.md"}) {
		t.Errorf("%v", got)
	}
}

// Of many files, what changed is seen after ten seconds, or at once after the files were looked at again.
func TestManyFilesAreLookedAtNowAndThen(t *testing.T) {
	files := map[string]string{}
	for i := range 310 {
		files[fmt.Sprintf("%d.txt", i)] = "filler"
	}
	x := newFixture(t, files)
	synctest.Test(t, func(t *testing.T) {
		var w relevant.Words
		look := func() []string { return w.Look(t.Context(), x.ws, "Eggs", relevant.ForAChange()).Files }
		write := func(name string) {
			if err := os.WriteFile(filepath.Join(x.ws.Root(), name), []byte("eggs"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		look()
		write("a.md")
		time.Sleep(10 * time.Second)
		if got := look(); len(got) != 0 {
			t.Errorf("within ten seconds: %v", got)
		}
		time.Sleep(time.Second)
		if got := look(); !slices.Equal(got, []string{"a.md"}) {
			t.Errorf("after them: %v", got)
		}
		write("b.md")
		w.Learn(t.Context(), x.ws)
		if got := look(); !slices.Equal(got, []string{"a.md", "b.md"}) {
			t.Errorf("after another look: %v", got)
		}
	})
}

// Tests count less than the code that they are about, unless the message speaks of them.
func TestTestsCountLess(t *testing.T) {
	x := newFixture(t, map[string]string{
		"sums.py": "def total(prices): return sum(prices)", "test_sums.py": "def test_total(): assert total([1]) == 1; total([2]); total([])", "a.md": "", "b.md": "", "c.md": "",
	})
	for message, want := range map[string]string{"What is the total of prices?": "sums.py", "Which total does the test expect?": "test_sums.py"} {
		var w relevant.Words
		if got := w.Look(t.Context(), x.ws, message, relevant.ForAQuestion()).Files; len(got) == 0 || got[0] != want {
			t.Errorf("%s %v", message, got)
		}
	}
}

// What is no text is read once, and again when it changed.
func TestWhatIsNoTextIsReadOnce(t *testing.T) {
	x := newFixture(t, map[string]string{"a.md": "eggs", "data.bin": "\x00utter"})
	path := filepath.Join(x.ws.Root(), "data.bin")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	var w relevant.Words
	finds := func(want ...string) {
		t.Helper()
		if got := w.Look(t.Context(), x.ws, "Butter", relevant.ForAChange()).Files; !slices.Equal(got, want) {
			t.Errorf("%q, not %q", got, want)
		}
	}
	write := func(text string, at time.Time) {
		t.Helper()
		if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, time.Time{}, at)); err != nil {
			t.Fatal(err)
		}
	}
	finds()
	write("butter", info.ModTime()) // nobody sees that it is another
	finds()
	write("butter", info.ModTime().Add(time.Second))
	finds("data.bin")
	write("\x00utter", info.ModTime().Add(2*time.Second))
	finds()
}

// refused is a line with the answer to a question.
const refused = "A refused parcel is sent again three times.\n"

// brought is what a question about parcels brings.
func (x fixture) brought(t *testing.T) string {
	t.Helper()
	about := (&relevant.Words{}).Look(t.Context(), x.ws, "How often is a refused parcel sent again?", relevant.ForAQuestion())
	var shown strings.Builder
	source := relevant.Source(x.ws, x.reads, nil)
	for _, b := range about.Bring {
		if block, ok := source.Resolve(t.Context(), b.Mention, 12_000); ok {
			shown.WriteString(block.Name + "\n" + block.Text())
		}
	}
	return shown.String()
}

// others are files about other things.
func others(files map[string]string) map[string]string {
	for i := range 9 {
		files[fmt.Sprintf("other%d.md", i)] = "Something else."
	}
	return files
}

// No name of a file makes the lines of another one come, which the model may not read.
func TestAPassageIsOfItsFile(t *testing.T) {
	const secret = "The secret.\n"
	text := strings.Repeat(refused, 200)
	for _, files := range []map[string]string{
		{`"key.md`: text, "key.md": secret},
		{"key.md": text, "key.md:1-40": secret},
	} {
		if got := newFixture(t, others(files)).brought(t); strings.Contains(got, secret) {
			t.Errorf("%.200s", got)
		}
	}
}

// A passage is short and shows something. What it shows may be edited, and what the model knows is not brought again.
func TestAPassageIsShown(t *testing.T) {
	if got := newFixture(t, others(map[string]string{"a.md": strings.Repeat(strings.TrimSpace(refused), 200)})).brought(t); got != "" {
		t.Errorf("a line that is too long: %.200s", got)
	}
	wide := strings.Repeat(strings.Repeat("refused parcel ", 20)+"\n", 50)
	x := newFixture(t, others(map[string]string{"a.md": wide}))
	path := filepath.Join(x.ws.Root(), "a.md")
	if got := x.brought(t); len(got) < 3_000 || len(got) > 4_200 {
		t.Errorf("%d bytes: %.200s", len(got), got)
	}
	if _, _, ok := x.reads.Shows(path, wide, 0, 100); !ok {
		t.Error("what was brought was not shown")
	}
	x.reads.MarkRead(path, wide)
	if got := x.brought(t); got != "" {
		t.Errorf("again: %.200s", got)
	}
}

// In Go's standard library every message has words of some file by chance. Only a file that says in its path what it is about is attached there.
func TestWhatFitsBadlyInALargeWorkspace(t *testing.T) {
	t.Parallel()
	ws, err := workspace.Open(filepath.Join(build.Default.GOROOT, "src"), workspace.NoBuffers{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	var words relevant.Words
	for message, want := range map[string]bool{
		"What is the capital of France?": false, "Where is the function that parses a duration string?": false, "Who wrote the first novel?": false,
		"Which function escapes HTML?": true,
	} {
		about := words.Look(t.Context(), ws, message, relevant.ForAQuestion())
		if got := len(about.Bring) > 0; got != want || want && about.Bring[0].Path != "html/escape.go" {
			t.Errorf("%s: attached: %v", message, about.Bring)
		}
	}
}
